#!/bin/bash
# What the units promise, so that no later hardening or loosening takes it away unseen.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

complain() {
    echo "units: $*" >&2
    failed=1
}

# has UNIT LINE: the unit sets it, and nothing after it sets it otherwise.
has() {
    [ "$(grep "^${2%%=*}=" "systemd/$1" | tail -n 1)" = "$2" ] || complain "$1 lacks $2"
}

# hasnt UNIT REGEX WHY
hasnt() {
    if grep -qE "^($2)" "systemd/$1"; then complain "$1 sets $2: $3"; fi
}

# lists UNIT KEY WORD: among the words of all lines with the key.
lists() {
    sed -n "s/^$2=//p" "systemd/$1" | tr ' ' '\n' | grep -qxF -e "$3" || complain "$1: $2 lacks $3"
}

# Nothing that systemd doesn't know. What isn't installed isn't of interest.
unknown=$(systemd-analyze verify --man=no systemd/*.service systemd/*.socket 2>&1 | grep -v 'is not executable' || true)
[ -z "$unknown" ] || complain "$unknown"

for unit in bioauthd.service bioauth-password@.service; do
    score=$(systemd-analyze security --offline=yes --no-pager "systemd/$unit" | grep -oE 'level for .*: [0-9.]+' | grep -oE '[0-9.]+$')
    awk -v score="$score" 'BEGIN { exit !(score <= 1.5) }' || complain "$unit: the exposure level is $score, and not 1.5 or less"
done

unit=bioauthd.service
has $unit Type=notify
has $unit WatchdogSec=30
has $unit Restart=on-failure
has $unit StartLimitIntervalSec=0
has $unit CapabilityBoundingSet=
has $unit RootDirectory=/run/bioauthd/root
has $unit StateDirectory=bioauthd
for command in $(sed -n "s,^Exec[A-Za-z]*=\([^ ]*\).*,\1,p" systemd/$unit); do
    case $command in /usr/*) ;; *) complain "$unit: $command is not in its view of the files" ;; esac
done
has $unit StateDirectoryMode=0700
has $unit WantedBy=multi-user.target
lists $unit Also bioauthd.socket
lists $unit Also bioauth-password.socket
# What it reads and writes: its view of the files holds nothing else.
for path in -/etc/bioauthd -/run/udev -/run/dbus -/run/systemd/sessions /run/bioauthd:/run/bioauthd:norbind; do lists $unit BindReadOnlyPaths $path; done
lists $unit ReadWritePaths +/sys/devices
lists $unit RestrictAddressFamilies AF_UNIX
lists $unit RestrictAddressFamilies AF_NETLINK
hasnt $unit 'PrivateNetwork=(yes|true|1|on)' 'udev could not tell of readers that come and go'
hasnt $unit 'ProcSubset=pid' 'the boot id could not be read, and no boot told from another'
hasnt $unit 'ProtectProc=(noaccess|invisible|ptraceable)' 'it could not be told who asks from which terminal'
hasnt $unit 'Private(Devices|Users)=' 'no reader could be opened'
hasnt $unit 'RuntimeDirectory=' "the sockets' directory would go with the service"

# Each kind of device that libfprint's own rules for udev are about, and each way to it: a sensor on SPI has a hidraw, too.
hwdb=$(dpkg -L libfprint-2-2 | grep -E '\.(hwdb|rules)$' | xargs cat)
for kind in $(grep -oE '^[a-z]+:v|SUBSYSTEM=="[a-z]+"' <<<"$hwdb" | grep -oE '[a-z]{3,}' | sort -u); do
    case $kind in
        usb) classes=char-usb_device ;;
        spi) classes='char-spi char-hidraw' ;;
        *) complain "libfprint has readers of a kind that $unit knows nothing of: $kind"; continue ;;
    esac
    for class in $classes; do lists $unit DeviceAllow "$class"; done
done

unit=bioauth-password@.service
# Whether an account has a password, and whether one is right, is in /etc/shadow, whatever that's mode is.
has $unit CapabilityBoundingSet='CAP_DAC_READ_SEARCH CAP_AUDIT_WRITE'
hasnt $unit 'InaccessiblePaths=.*(/etc|shadow)|RootDirectory=|TemporaryFileSystem=.*/etc' 'it could read no /etc/shadow'

# The sockets' directory is root's and stays; tmpfiles.d says the same as the sockets do.
for socket in bioauthd.socket bioauth-password.socket; do
    has $socket DirectoryMode=0755
    has $socket SocketMode=0666
    has $socket WantedBy=sockets.target
    hasnt $socket 'RemoveOnStop=(yes|true|1|on)' 'another could not be told from none'
done
grep -qx 'd /run/bioauthd 0755 root root -' systemd/bioauthd.tmpfiles || complain 'tmpfiles.d lacks /run/bioauthd'
grep -qx 'd /var/lib/bioauthd 0700 root root -' systemd/bioauthd.tmpfiles || complain 'tmpfiles.d lacks /var/lib/bioauthd'
grep -qx 'd /run/bioauthd/root 0700 root root -' systemd/bioauthd.tmpfiles || complain 'tmpfiles.d lacks /run/bioauthd/root'

[ $failed -eq 0 ] && echo 'units: hardened, and every reader works'
exit $failed

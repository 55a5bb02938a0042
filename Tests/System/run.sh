#!/bin/bash
# The package in a whole system: a Debian root of this machine's release, booted with systemd-nspawn. Says why, and ends
# with 0, where this machine can't.
#
# usage: Tests/System/run.sh PACKAGE PROGRAM DIRECTORY
#   PACKAGE    the .deb
#   PROGRAM    bioauth-system-test, which tells the story
#   DIRECTORY  where the root is kept for the next run; DEBOOTSTRAP_FLAGS are for making it
set -euo pipefail
here=$(realpath "$(dirname "$0")") package=$(realpath "$1") program=$(realpath "$2")
mkdir -p "$3"
directory=$(realpath "$3")
# One run at a time.
exec 9> "$directory/lock"
flock 9

cant() {
    echo "The system test did not run here: $*"
    exit 0
}

[ "$(id -u)" -eq 0 ] || cant 'it needs root'
why=$(unshare --mount --uts --ipc --pid --fork true 2>&1) || cant "no namespaces can be made: $why"
for tool in debootstrap systemd-nspawn nsenter; do command -v $tool > /dev/null || cant "there is no $tool"; done

# What the package depends on is there already, and installing it later needs no network.
. /etc/os-release
dependencies=$(dpkg-deb --field "$package" Depends | sed 's/([^)]*)//g; s/[ ,]\+/ /g; s/ $//')
include=$(tr ' ' , <<<"systemd-sysv dbus libpam-systemd sudo $dependencies")
made="$VERSION_CODENAME $include"
if [ "$(cat "$directory/base.made" 2>/dev/null)" != "$made" ]; then
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $VERSION_CODENAME" 'Component: main' | head -n 1)
    [ -n "$uri" ] || cant "apt has no source of $VERSION_CODENAME"
    echo "A root of $VERSION_CODENAME is made, once, in $directory/base"
    rm -rf "$directory/base" "$directory/base.made"
    # shellcheck disable=SC2086
    debootstrap ${DEBOOTSTRAP_FLAGS:-} --variant=minbase --include="$include" "$VERSION_CODENAME" "$directory/base" "$uri" \
        > "$directory/debootstrap.log" 2>&1 || cant "debootstrap failed: $(tail -n 1 "$directory/debootstrap.log")"
    rm -f "$directory"/base/var/cache/apt/archives/*.deb
    echo "$made" > "$directory/base.made"
fi

why=$(systemd-nspawn --quiet --directory="$directory/base" --read-only --register=no --keep-unit true 2>&1) ||
    cant "systemd-nspawn fails: $why"

# A copy for this run, and beside it what goes in: the package, itself as a later version, and the reader.
root=$directory/root packages=$directory/packages reader=$directory/reader
rm -rf "$root" "$packages" "$reader"
trap 'rm -rf "$root" "$packages" "$reader"' EXIT
cp -a "$directory/base" "$root"
mkdir "$packages" "$reader"
cp "$package" "$packages/now.deb"
dpkg-deb --raw-extract "$package" "$packages/later"
sed -i 's/^Version: .*/&+later/' "$packages/later/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$packages/later" "$packages/later.deb" > /dev/null
rm -r "$packages/later"
give() {
    "${CC:-cc}" -shared -fPIC -Wall -Wextra "-DVARIABLE=\"$2\"" "-DSOCKET=\"$3\"" -o "$reader/$1.so" "$here/virtual-reader.c"
}
give virtual-reader FP_VIRTUAL_IMAGE /reader/socket
give hanging-reader FP_VIRTUAL_DEVICE_STORAGE /reader/device

cp -r "$here/etc" "$root/"
echo tested > "$root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 tested\n' > "$root/etc/hosts"
# Updates of the system itself have no place in the story.
chroot "$root" systemctl --quiet mask apt-daily.timer apt-daily-upgrade.timer

"$program" "$root" "$packages" "$reader" 9>&-

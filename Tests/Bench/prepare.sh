#!/bin/sh
# Builds what the benchmark preloads into the daemons, and finds the peer or fetches it into a private root.
#
#   prepare.sh BUILD
#
# Afterwards BUILD/bench/probe.so is there, and BUILD/bench/peer says where the peer's parts are, one `name=value` a
# line; without a peer it has one line, `missing=why`. Nothing is installed.
set -eu

bench=$1/bench
mkdir -p "$bench"
cd "$(dirname "$0")"
case $bench in /*) ;; *) bench=$OLDPWD/$bench ;; esac
peer=$bench/peer

# shellcheck disable=SC2046 # pkg-config's words are to be split
cc -std=c17 -Wall -Wextra -O2 -fPIC -shared native/probe.c $(pkg-config --cflags libfprint-2) -o "$bench/probe.so"

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The packages of which something is missing here: these, and what they depend on.
missing_packages() {
    wanted=$*
    seen=' '
    while [ -n "$wanted" ]; do
        next=
        for package in $wanted; do
            case $seen in *" $package "*) continue ;; esac
            seen="$seen$package "
            is_installed "$package" && continue
            echo "$package"
            next="$next $(apt-cache depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
                --no-enhances "$package" | sed -n 's/^  Depends: \([^<]*\)$/\1/p')"
        done
        wanted=$(echo "$next")
    done
}

fetch() {
    root=$bench/root
    rm -rf "$root" "$bench/packages"
    mkdir -p "$root" "$bench/packages"
    packages=$(missing_packages fprintd libpam-fprintd dbus-daemon)
    [ -n "$packages" ] || return 0
    # shellcheck disable=SC2086 # one word a package
    (cd "$bench/packages" && apt-get download -qq -o APT::Sandbox::User=root $packages) || return 1
    for package in "$bench"/packages/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    rm -rf "$bench/packages"
}

# The file's path on this system, or else in the private root.
locate() {
    for path in "$1" "$bench/root$1" "$bench/root/usr$1"; do
        if [ -e "$path" ]; then
            echo "$path"
            return
        fi
    done
    return 1
}

triplet=$(gcc -print-multiarch)
if ! { is_installed fprintd && is_installed libpam-fprintd && is_installed dbus-daemon; } \
    && ! [ -e "$bench/root/usr/libexec/fprintd" ]; then
    fetch >&2 || rm -rf "$bench/root"
fi
if daemon=$(locate /usr/libexec/fprintd) && module=$(locate "/lib/$triplet/security/pam_fprintd.so") \
    && enroll=$(locate /usr/bin/fprintd-enroll) && bus=$(locate /usr/bin/dbus-daemon); then
    root=$bench/root
    cat >"$peer" <<END
daemon=$daemon
module=$module
enroll=$enroll
bus=$bus
libraries=$root/usr/lib/$triplet:$root/lib/$triplet
version=$(apt-cache policy fprintd | sed -n 's/^  \(Installed\|Candidate\): \([^(]*\)$/\2/p' | head -n 1)
END
else
    echo 'missing=fprintd is not installed, and apt-get download could not fetch it (apt-get update first?)' >"$peer"
fi

#!/bin/bash
# Installs the Debian packages that building and most tests need and that aren't there, through sudo when not root.
#
#   install-packages.sh hosts    and those that the tests of whole hosts need
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
    gcc make pkg-config gettext
    libfprint-2-dev libgusb-dev libpam0g-dev libglib2.0-dev libsystemd-dev
    libpam-modules libpam-wrapper systemd umockdev valgrind groff man-db zsh
    sudo login util-linux dbus python3-dbusmock
    debhelper dpkg-dev lintian debootstrap systemd-container
)
# Programs that ask who sits there, and what shows them and types at them.
hosts=(
    vlock opendoas pkexec polkitd gir1.2-polkit-1.0 python3-gi
    i3lock xsecurelock xvfb xdotool swaylock sway wtype grim
    openssh-client libwrap0 iproute2
)
[ "${1-}" != hosts ] || packages+=("${hosts[@]}")
missing=()
for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

# Only unpacked: installed, it would let in whoever can reach this machine.
if [ "${1-}" = hosts ] && [ ! -x build/openssh-server/usr/sbin/sshd ]; then
    echo "Unpacking: openssh-server"
    "${as_root[@]}" apt-get update -q
    mkdir -p build
    (cd build && apt-get download -q openssh-server && dpkg-deb -x openssh-server_*.deb openssh-server)
    rm build/openssh-server_*.deb
fi

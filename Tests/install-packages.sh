#!/bin/bash
# Installs the Debian packages that building and testing need and that aren't there, through sudo when not root.
set -euo pipefail

packages=(
    gcc make pkg-config gettext
    libfprint-2-dev libgusb-dev libpam0g-dev libglib2.0-dev libsystemd-dev
    libpam-modules libpam-wrapper systemd umockdev valgrind groff man-db zsh
    dbus python3-dbusmock
    debhelper dpkg-dev lintian debootstrap systemd-container
    # Programs that ask who sits there, and what shows them and types at them.
    sudo login util-linux vlock opendoas openssh-server openssh-client iproute2
    pkexec polkitd gir1.2-polkit-1.0 python3-gi
    i3lock xsecurelock xvfb xdotool swaylock sway wtype grim
)
missing=()
for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Installing: ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"

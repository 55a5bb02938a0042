#!/bin/sh
# Runs a program as a user, with what lies below DIRECTORY over the system's /etc and PAM modules and in place of its /run
# and logs, and in a login session, if SESSION isn't empty. In a mount namespace of its own, so that nobody else sees it:
#
#   unshare --mount enter.sh DIRECTORY USER SESSION PROGRAM…
set -e
directory=$1 user=$2 session=$3
shift 3
cover() { mount -t overlay -o "lowerdir=$directory/$1:$2" overlay "$2"; }
cover etc /etc
cover security "$(dirname "$(ls /usr/lib/*/security/pam_unix.so /lib/*/security/pam_unix.so 2> /dev/null | head -n 1)")"
for path in run var/log var/lib/sudo usr/share/locale; do
    mount --bind "$directory/$path" "/$path"
done
cd /
if [ -n "$session" ]; then
    # Wherever systemd would put the session's processes.
    for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
        [ -e "$hierarchy/cgroup.procs" ] || continue
        scope=$hierarchy/user.slice/user-$(id -u "$user").slice/session-$session.scope
        mkdir -p "$scope"
        echo $$ > "$scope/cgroup.procs"
    done
fi
[ "$user" != root ] || exec "$@"
# As login leaves the terminal to the person.
if terminal=$(tty); then
    chown "$user" "$terminal"
fi
exec setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups "$@"

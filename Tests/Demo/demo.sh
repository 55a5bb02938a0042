#!/bin/bash
# The main job on a virtual reader: real PAM, real libfprint, real matching, and nothing on the system is changed.
#
#   demo.sh BIN_DIR PAM_DIR LOCALE_DIR
#
# With KEEP set it waits at the end, the daemon still there to be touched by hand.
# Exits 0 only if every outcome was the right one.
set -euo pipefail

bin=$(realpath "$1") pam=$(realpath "$2") locale=$(realpath "$3")
dir=$(mktemp -d "${TMPDIR:-/tmp}/bioauth-demo.XXXXXX")
reader=$dir/reader socket=$dir/bioauthd.sock
user=$(id -un) password='correct horse' wrong=0
export BIOAUTH_LOCALEDIR=$locale
started=()

cleanup() {
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$dir"
}
trap cleanup EXIT

# The parts: the daemon in private mode, the password's own process, a stack like sudo's.
# What checks the password is a stand-in, for the real one would need this system's: a script that knows one.
cat > "$dir/check-password" <<SCRIPT
#!/bin/sh
read -r given
[ "\$given" = '$password' ]
SCRIPT
chmod 700 "$dir/check-password"
mkdir "$dir/pam.d"
mkfifo "$dir/keys"
cat > "$dir/pam.d/sudo" <<STACK
auth     [success=done conv_err=die abort=die auth_err=die default=ignore]  $pam/pam_bioauth.so socket=$socket
auth     [success=1 default=ignore]     pam_exec.so quiet expose_authtok $dir/check-password
auth     requisite                      pam_deny.so
auth     optional                       $pam/pam_bioauth.so report socket=$socket
auth     required                       pam_permit.so
STACK
cat > "$dir/pam.d/bioauth-password" <<STACK
auth     required  pam_exec.so quiet expose_authtok $dir/check-password
account  required  pam_permit.so
STACK

FP_VIRTUAL_IMAGE=$reader FP_DRIVERS_WHITELIST=virtual_image \
    "$bin/bioauthd" --private --state-dir "$dir/state" --socket "$socket" 2> "$dir/log" &
started+=($!)
systemd-socket-activate --accept --seqpacket --listen "$dir/password.sock" \
    "$bin/bioauth-password" --private --pam-dir "$dir/pam.d" --socket "$socket" 2> "$dir/password.log" &
started+=($!)
for _ in $(seq 200); do
    if [ -S "$socket" ] && [ -S "$dir/password.sock" ]; then break; fi
    sleep 0.05
done

touch_reader() { timeout 10 "$bin/bioauth-finger" touch --reader "$reader" --finger "$1" --impression "$2" || true; }

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# transaction EXPECTED PASSWORD FINGER:IMPRESSION… – one `sudo` on a terminal of its own: whoever sits there answers each
# question with the next touch and, when none is left, with the password.
transaction() {
    local expected=$1 typed=$2 touches=("${@:3}") result='' text='' character host
    printf -v host '%q ' "$pam/pam-host" --confdir "$dir/pam.d" --service sudo --user "$user" \
        --locale "${LC_ALL:-${LANG:-C}}" --answer "$typed"
    exec 8<> "$dir/keys"
    while IFS= read -r -N 1 character; do
        case $character in
        $'\r') continue ;;
        $'\n')
            case $text in
            '{'*'"event":"result"'*) result=${text#*\"name\":\"} result=${result%%\"*} ;;
            '{'*'"event":"ask"'*) text=${text#*\"text\":\"}; echo "    ${text%\"\}}********" ;;
            '{'* | '') ;;
            *) echo "    $text" ;;
            esac
            text='' ;;
        *) text+=$character ;;
        esac
        case $text in
        Password*': ' | 암호*': ')
            if [ ${#touches[@]} -gt 0 ]; then
                echo "    $text"
                echo "      (finger ${touches[0]%:*} touches the reader)"
                touch_reader "${touches[0]%:*}" "${touches[0]#*:}"
                touches=("${touches[@]:1}")
            else
                echo "    $text********"
                printf '%s\n' "$typed" >&8
            fi
            text='' ;;
        esac
    done < <(script -qfec "exec $host" /dev/null <&8 || true)
    if [ "$result" = "$expected" ]; then
        if [ "$result" = PAM_SUCCESS ]; then echo "    => let in"; else echo "    => not let in ($result)"; fi
    else
        echo "    => WRONG: $result, and it should have been $expected"
        wrong=1
    fi
}

echo "bioauthd on a virtual reader, in $dir. Nothing on this system is changed."
echo "The password is checked by a stand-in (pam_exec and a script); all else is what an installed system runs."

say "Enrol finger 1 as the right index finger of $user"
"$bin/bioauthctl" enroll --socket "$socket" --finger right-index > "$dir/enroll" 2>&1 &
enrolling=$!
for impression in 0 1 2 3 4; do touch_reader 1 $impression; done
wait $enrolling || wrong=1
sed 's/^/    /' "$dir/enroll"

say "The password comes first: until it was given once, no finger is taken"
transaction PAM_SUCCESS "$password"

say "The right finger is let in, without a password"
transaction PAM_SUCCESS '' 1:10

say "A stranger's finger is not; the right one may still try"
transaction PAM_SUCCESS '' 2:10 1:11

say "Five strangers in a row lock the finger out: three here, who guess at the password too"
transaction PAM_AUTH_ERR 'guess' 3:10 4:10 5:10
say "... and two more"
transaction PAM_AUTH_ERR 'guess' 6:10 7:10

say "Locked out: not even the right finger is asked for, and the time left is shown. The password gets in, and clears it"
"$bin/bioauthctl" status --socket "$socket" | sed 's/^/    /'
transaction PAM_SUCCESS "$password"
say "So the finger works again at once"
transaction PAM_SUCCESS '' 1:12

if [ $wrong -ne 0 ]; then
    say "Something went wrong. The daemon's log:"
    cat "$dir/log" "$dir/password.log"
    exit 1
fi
say "Every outcome was the right one."
if [ -n "${KEEP:-}" ]; then
    how="The daemon keeps running until ^C here. In other terminals:"
else
    how="To keep such a daemon running and touch it by hand: make demo KEEP=1. It then waits; in other terminals, with its paths:"
fi
cat <<END

$how

  $bin/bioauthctl verify --socket $socket
  $bin/bioauth-finger touch --reader $reader --finger 1
  $bin/bioauthctl watch --socket $socket

(Finger 1 is the right one, any other a stranger's. The password is "$password".)
END
if [ -n "${KEEP:-}" ]; then
    trap 'exit 0' INT TERM
    wait "${started[0]}" || true
fi

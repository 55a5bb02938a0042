#!/bin/bash
# Do --help, the manual, the completion and the sources say the same?
#
# usage: Tests/consistency.sh DIRECTORY, the one with the built programs
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:?usage: Tests/consistency.sh DIRECTORY}
export LC_ALL=C.UTF-8 LANGUAGE=
failed=0

complain() {
    echo "consistency: $*" >&2
    failed=1
}

# same WHAT LIST WHAT LIST: both hold the same words.
same() {
    local difference
    difference=$(comm -3 <(sort -u <<<"$2") <(sort -u <<<"$4") | sed "s/^\t\(.*\)/  \1 only in $3/; t; s/^/  /; s/\$/ only in $1/")
    [ -z "$difference" ] || complain "$1 and $3 differ:"$'\n'"$difference"
}

# The options of a --help: those that begin a line. Sentences may name options, too.
help_options() { grep -oE '^  (-., )?--[a-z-]+' <<<"$1" | grep -oE -e '--[a-z-]+'; }

long_options() { grep -oE -e '--[a-z][a-z-]*' <<<"$1" | sort -u; }

# The long options of a page's OPTIONS section. In its source a hyphen of theirs is written \-.
page_options() {
    local text
    text=$(sed -n '/^\.SH OPTIONS/,/^\.SH [A-NP-Z]/p' "$1" | sed 's/\\-/-/g' | grep -E '^\.(B|BI|BR) "?-' || true)
    long_options "$text"
}

# What a section of a page names in bold at the head of a paragraph.
page_terms() { sed -n "/^\.SH $2/,/^\.SH/p" "$1" | sed 's/\\-/-/g' | grep -A1 '^\.TP' | sed -n 's/^\.B \([^ ]*\)$/\1/p'; }

# bioauthctl: every subcommand, and every option of each.
help=$("$programs/bioauthctl" --help)
subcommands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\)  .*/\1/p' <<<"$help")
[ -n "$subcommands" ] || complain 'bioauthctl --help names no subcommands'
same 'bioauthctl --help' "$subcommands" 'bioauthctl.1' "$(page_terms Sources/bioauthctl/bioauthctl.1 SUBCOMMANDS)"
options=$(help_options "$help")
for subcommand in $subcommands; do
    of_subcommand=$(help_options "$("$programs/bioauthctl" "$subcommand" --help)")
    completed=$(bash --norc -c '
        source Sources/bioauthctl/bioauthctl.bash
        COMP_WORDS=(bioauthctl "$1" --) COMP_CWORD=2
        _bioauthctl bioauthctl -- "$1"
        printf "%s\n" "${COMPREPLY[@]}"' - "$subcommand")
    same "bioauthctl $subcommand --help" "$of_subcommand" 'the completion' "$completed"
    same "bioauthctl $subcommand --help" "$of_subcommand" "zsh's completion" \
        "$(Tests/zsh-completion.zsh "$programs" "bioauthctl $subcommand --")"
    options+=$'\n'$of_subcommand
done
same 'bioauthctl --help' "$options" 'bioauthctl.1' "$(page_options Sources/bioauthctl/bioauthctl.1)"
for word in '' --; do
    completed=$(bash --norc -c '
        source Sources/bioauthctl/bioauthctl.bash
        COMP_WORDS=(bioauthctl "$1") COMP_CWORD=1
        _bioauthctl bioauthctl "$1" bioauthctl
        printf "%s\n" "${COMPREPLY[@]}"' - "$word")
    case $word in
        '') of_command=$subcommands ;;
        *) of_command=$(help_options "$help") ;;
    esac
    same 'bioauthctl --help' "$of_command" 'the completion' "$completed"
    same 'bioauthctl --help' "$of_command" "zsh's completion" "$(Tests/zsh-completion.zsh "$programs" "bioauthctl $word")"
done
codes=$(sed -n '/^Exit codes:/,$s/^  \([0-9]\)  .*/\1/p' <<<"$help")
same 'bioauthctl --help' "$codes" 'bioauthctl.1' "$(page_terms Sources/bioauthctl/bioauthctl.1 'EXIT STATUS')"

fingers=$(sed -n 's/^ *case \.[a-zA-Z]*: "\(\(left\|right\)-[a-z]*\)"$/\1/p' Sources/BioauthCore/Identity.swift)
same 'Identity.swift' "$fingers" 'the completion' \
    "$(sed -n "/local fingers=/,/'\$/p" Sources/bioauthctl/bioauthctl.bash | grep -oE '(left|right)-[a-z]+')"
same 'Identity.swift' "$fingers" "zsh's completion" \
    "$(Tests/zsh-completion.zsh "$programs" 'bioauthctl enroll --finger=')"
same 'Identity.swift' "$fingers" 'bioauthctl.1' \
    "$(sed -n '/\\-\\-finger " NAME"/,/^\.TP/p' Sources/bioauthctl/bioauthctl.1 | sed 's/\\-/-/g' | grep -oE '(left|right)-[a-z]+')"

causes=$(sed -n '/^public enum Cause/,/^    \/\/\//s/^    case \([a-zA-Z]*\) = .*/\1/p' Sources/BioauthCore/Denial.swift)
same 'Denial.swift' "$causes" 'bioauthctl.1' \
    "$(sed -n '/^The causes:/,/^\.SH/s/^\.IR //p' Sources/bioauthctl/bioauthctl.1 | grep -oE '[a-zA-Z]+')"

findings=$(sed -n '/^public enum Finding/,/enum Severity/p' Sources/Diagnosis/Finding.swift | sed -n 's/^    case \([a-zA-Z]*\).*/\1/p')
same 'Finding.swift' "$findings" 'bioauthctl.1' \
    "$(sed -n '/^The findings:/,/^\.TP/s/^\.IR //p' Sources/bioauthctl/bioauthctl.1 | grep -oE '[a-zA-Z]+')"

# bioauth-password and bioauthd.
for program in bioauth-password bioauthd; do
    options=$(help_options "$("$programs/$program" --help)")
    same "$program --help" "$options" "$program.8" "$(page_options "Sources/$program/$program.8")"
done
same 'bioauthd --help' "$options" "bioauthd.8's synopsis" \
    "$(long_options "$(sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' Sources/bioauthd/bioauthd.8 | sed 's/\\-/-/g')")"

# Its configuration: keys as "group key", and the list of services.
keys=$(grep -oE '(number|flag|names)\("[a-z-]+", "[a-z-]+"' Sources/BioauthDaemon/Configuration.swift \
    | sed 's/.*("\(.*\)", "\(.*\)"/\1 \2/')
described=$(sed 's/\\-/-/g' Sources/bioauthd/bioauthd.conf.5 | awk '
    /^\.SH/ { group = /\[/ ? substr($2, 2, length($2) - 2) : "" }
    group != "" && group != "services" && /^\.B / && head { print group, $2 }
    { head = /^\.TP/ }')
same 'Configuration.swift' "$keys" 'bioauthd.conf.5' "$described"
shipped=$(awk -F= '/^\[/ { group = substr($1, 2, length($1) - 2) } group != "services" && /^[a-z].*=/ { print group, $1 }' \
    Sources/bioauthd/bioauthd.conf)
same 'Configuration.swift' "$keys" 'bioauthd.conf' "$shipped"
services=$(sed -n '/shippedServices:/,/^    \]/p' Sources/BioauthCore/Settings.swift | grep -oE '"[a-z0-9-]+": \.[a-z]+' \
    | sed 's/"\(.*\)": \.\(.*\)/\2 \1/')
listed=$(sed 's/\\-/-/g' Sources/bioauthd/bioauthd.conf.5 | sed -n '/^The list that holds/,/^\.PP/p' | awk '
    /^\.B / { class = $2; next }
    class != "" && !/^\./ { gsub(",", ""); for (at = 1; at <= NF; at++) print class, $at }')
same 'Settings.swift' "$services" 'bioauthd.conf.5' "$listed"
same 'Settings.swift' "$services" 'bioauthd.conf' \
    "$(sed -n '/^\[services\]/,/^\[[^s]/s/^\([a-z0-9-]*\)=\([a-z]*\)$/\2 \1/p' Sources/bioauthd/bioauthd.conf)"

same 'Settings.swift' "$(cut -d' ' -f2 <<<"$services")" "the completion's services" "$(bash --norc -c '
    source Sources/bioauthctl/bioauthctl.bash
    _bioauthctl_services Sources/bioauthd/bioauthd.conf')"

# The pages themselves.
for page in Sources/*/*.[1-8] pam/*.8; do
    warnings=$(groff -ww -man -Tutf8 -z "$page" 2>&1)
    [ -z "$warnings" ] || complain "$page: $warnings"
done

# The words.
locale=$(mktemp -d)
make -s -C po check BUILD="$locale" || complain 'po: see above'
rm -r "$locale"

[ $failed -eq 0 ] && echo 'consistency: help, manual, completion and words agree'
exit $failed

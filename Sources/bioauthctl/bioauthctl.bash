# Completion for bioauthctl(1) in bash.

_bioauthctl() {
    local word=$2 previous=$3 subcommand= at
    local fingers='left-thumb left-index left-middle left-ring left-little
        right-thumb right-index right-middle right-ring right-little'
    COMPREPLY=()

    # Bash takes --finger=NAME for three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $previous in
        --finger) mapfile -t COMPREPLY < <(compgen -W "$fingers" -- "$word"); return ;;
        --reader)
            mapfile -t COMPREPLY < <(compgen -W "$(bioauthctl readers --json 2> /dev/null |
                grep -o '"driver": *"[^"]*"' | cut -d '"' -f 4)" -- "$word")
            return ;;
        --user) mapfile -t COMPREPLY < <(compgen -u -- "$word"); return ;;
        --socket) _bioauthctl_files "$word"; return ;;
        --root) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
        --service)
            mapfile -t COMPREPLY < <(cd /etc/pam.d 2> /dev/null && compgen -f -- "$word"); return ;;
    esac

    for ((at = 1; at < COMP_CWORD; at++)); do
        case ${COMP_WORDS[at]} in
            --finger | --reader | --user | --socket | --service | --root) ((at++)) ;;
            -*) ;;
            *) subcommand=${COMP_WORDS[at]}; break ;;
        esac
    done

    local words='--help'
    case $subcommand in
        '')
            words+=' --version'
            [[ $word == -* ]] || words='setup doctor status readers enroll list delete verify enable disable unlock storage watch check-config' ;;
        setup) words+=' --service --apply --undo --root --json' ;;
        doctor) words+=' --service --touch --root --user --socket --json' ;;
        enroll) words+=' --finger --reader --user --socket --json' ;;
        delete) words+=' --finger --all --yes --user --socket --json' ;;
        enable | disable)
            words+=' --app --app-lock --user --socket --json'
            [[ $word == -* ]] ||
                words=$(_bioauthctl_services /etc/bioauthd/bioauthd.conf /etc/bioauthd/bioauthd.conf.d/*.conf) ;;
        status | readers | list | verify | unlock) words+=' --user --socket --json' ;;
        storage) words+=' --reader --clear --yes --socket --json' ;;
        watch) words+=' --socket --json' ;;
        check-config)
            words+=' --json'
            [[ $word == -* ]] || { _bioauthctl_files "$word"; return; } ;;
        *) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

_bioauthctl_files() {
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# The services that these files of bioauthd's configuration list, one a line.
_bioauthctl_services() {
    awk -F '[ \t]*=[ \t]*' '
        /^\[/ { listing = /^\[services\]/ }
        listing && $1 ~ /^[A-Za-z0-9._-]+$/ && NF > 1 { class[$1] = $2 }
        END { for (name in class) if (class[name] !~ /^off/) print name }' "$@" 2> /dev/null
}

complete -F _bioauthctl bioauthctl

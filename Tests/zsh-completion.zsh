#!/usr/bin/env zsh
# What zsh offers when somebody types a line and presses Tab: a word a line. In a real shell, on a terminal of its own.
#
# usage: Tests/zsh-completion.zsh DIRECTORY LINE, the directory with the built programs
zmodload zsh/zpty
export PATH=$1:$PATH

# Each match is shown between marks, and all of them are, however many.
zpty shell 'PS1= TERM=dumb zsh -f -i'
zpty -w shell "
    unsetopt zle_bracketed_paste prompt_sp; stty -echo columns 200 rows 200
    fpath=(Sources/bioauthctl \$fpath); autoload -Uz compinit; compinit -D -u
    zstyle ':completion:*:default' list-colors 'no=<' 'lc=' 'rc=>' 'ec=>' 'fi=<'
    zstyle ':completion:*' verbose no; LISTMAX=10000
    done-listing() { print; print -- --listed--; exit }
    zle -N done-listing; bindkey '^I' list-choices; bindkey '^X' done-listing; print -- --ready--"
zpty -m -r shell output '*--ready--*' || exit 1
zpty -w -n shell "$2"$'\t\x18'
zpty -m -r shell output '*--listed--*' || exit 1
zpty -d shell
grep -oE '<>[^>]+>' <<< $output | tr -d '<>'

# bash completion for filum: what it offers comes from the program itself, so that it is never out of date.

_filum_commands() {
    filum --help 2>/dev/null | sed -n 's/^  filum \([a-z]*\) .*/\1/p'
}

_filum_options() {
    filum "$1" --help 2>/dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u
}

_filum() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} words=""
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words=$(_filum_commands)
    elif [[ $word == -* ]]; then
        words=$(_filum_options "$command")
    else
        case $command in
            run | info | view | render | plan) words=$(filum list 2>/dev/null | cut -d ' ' -f 1) ;;
            validate) words=$(filum validate --list 2>/dev/null | cut -d ' ' -f 1) ;;
            bench) words=$(filum bench --help 2>/dev/null | sed -n 's/^  \([a-z_]*\)  .*/\1/p') ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    # scenes, bags and what options name are files, too
    if ((COMP_CWORD > 1)) && [[ $word != -* ]]; then
        local files
        mapfile -t files < <(compgen -f -- "$word")
        COMPREPLY+=("${files[@]}")
    fi
}

complete -o filenames -F _filum filum

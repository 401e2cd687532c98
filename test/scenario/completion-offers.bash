# Calls the function that the script registers, as bash calls it, and prints the offers.
source completion.bash
COMP_WORDS=(rnv "$@"); COMP_CWORD=$(($# ))
registered=$(complete -p rnv); registered=${registered##*-F }
${registered%% *} rnv "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
for reply in "${COMPREPLY[@]}"; do printf '%s\n' "$reply"; done

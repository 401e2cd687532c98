export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/**
 * The completion script of a shell. It knows nothing itself: at each Tab it asks `rnv complete` with the words typed so
 * far, whose first line says `words` (complete with the lines below) or `files` (complete paths).
 */
export const completionScript = (shell: Shell): string => scripts[shell];

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for rnv
_rnv() {
  local line kind=""
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind="$line"; else COMPREPLY+=("$line"); fi
  done < <("$1" complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "$kind" = words ]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _rnv rnv
`,
  zsh: `#compdef rnv
# zsh completion for rnv
_rnv() {
  local -a lines rows
  lines=("\${(@f)$("\${words[1]}" complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${lines[1]}" != words ]]; then _files; return; fi
  rows=("\${(@)lines[2,-1]}")
  (( \${#rows} )) && _describe 'rnv' rows
}
if [ "$funcstack[1]" = "_rnv" ]; then _rnv "$@"; else compdef _rnv rnv; fi
`,
  fish: `# fish completion for rnv
function __rnv_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -e words[1]
  set -l lines (command rnv complete fish -- $words "$current" 2>/dev/null)
  if test "$lines[1]" = words
    set -e lines[1]
    for line in $lines
      printf '%s\\n' $line
    end
  else
    __fish_complete_path "$current"
  end
end
complete -c rnv -f -a '(__rnv_complete)'
`,
};

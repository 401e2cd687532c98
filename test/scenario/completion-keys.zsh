zmodload zsh/zpty
read_to() { local chunk all=""; while zpty -r -m z chunk "*$1*"; do all+=$chunk; break; done; print -r -- "$all"; }
zpty z zsh -f -i
zpty -w z 'autoload -Uz compinit; compinit -u -D; source <(rnv completion zsh); PS1="REA""DY> "'
read_to 'READY> ' >/dev/null
for line in "$@"; do
  zpty -w -n z "$line"$'\t\x05#END'
  read_to '#END'
  zpty -w -n z $'\x15'
done

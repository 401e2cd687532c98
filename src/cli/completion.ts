import type { Command } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** One command as completion sees it. */
interface Node {
  /** The words that lead to it: `state list`; empty for the program. */
  readonly path: string;
  readonly verbs: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly {
    readonly long: string;
    readonly description: string;
    readonly value: boolean;
  }[];
  /** Fixed values of its first argument. */
  readonly choices: readonly string[];
}

/** A script that completes verbs, options and fixed arguments of the program in one shell; files otherwise. */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = [...nodesOf(program, [])];
  if (shell === "bash") return bash(nodes);
  return shell === "zsh" ? zsh(nodes) : fish(nodes);
}

function* nodesOf(command: Command, path: readonly string[]): Generator<Node> {
  yield {
    path: path.join(" "),
    verbs: command.commands.map((inner) => ({ name: inner.name(), summary: inner.summary() })),
    options: [...command.options, ...(command.parent?.options ?? [])].flatMap((option) =>
      option.long
        ? [{ long: option.long, description: option.description, value: option.required || option.optional }]
        : [],
    ),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  for (const inner of command.commands) yield* nodesOf(inner, [...path, inner.name()]);
}

const wordsOf = (node: Node): string =>
  [
    ...node.verbs.map((verb) => verb.name),
    ...node.choices,
    ...node.options.map((option) => option.long),
  ].join(" ");

/** The words typed so far that are verbs, as a path, in the variable `path`; the same loop in bash and zsh. */
const pathCases = (nodes: readonly Node[]): string =>
  nodes
    .filter((node) => node.path !== "")
    .map((node) => `      "${parentOf(node)}|${node.path.split(" ").at(-1)}") verbs="${node.path}" ;;`)
    .join("\n");

const parentOf = (node: Node): string => node.path.split(" ").slice(0, -1).join(" ");

const bash = (nodes: readonly Node[]): string => `# bash completion for rnv
_rnv() {
  local current="\${COMP_WORDS[COMP_CWORD]}" verbs="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$verbs|\${COMP_WORDS[i]}" in
${pathCases(nodes)}
    esac
  done
  case "$verbs" in
${nodes.map((node) => `    "${node.path}") words="${wordsOf(node)}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _rnv rnv
`;

const zsh = (nodes: readonly Node[]): string => `#compdef rnv
# zsh completion for rnv
_rnv() {
  local verbs="" word
  local -a words_here
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$verbs|$word" in
${pathCases(nodes)}
    esac
  done
  case "$verbs" in
${nodes.map((node) => `    "${node.path}") words_here=(${wordsOf(node)}) ;;`).join("\n")}
  esac
  compadd -a words_here || _files
}
if [ "$funcstack[1]" = "_rnv" ]; then _rnv; else compdef _rnv rnv; fi
`;

const fish = (nodes: readonly Node[]): string =>
  `# fish completion for rnv
${nodes.flatMap(fishLines).join("\n")}
`;

function fishLines(node: Node): string[] {
  const words = node.path === "" ? [] : node.path.split(" ");
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const inner = node.verbs.map((verb) => verb.name);
  const open = inner.length > 0 ? [`not __fish_seen_subcommand_from ${inner.join(" ")}`] : [];
  const when = (conditions: readonly string[]): string =>
    conditions.length > 0 ? ` -n ${quote(conditions.join("; and "))}` : "";
  return [
    ...node.verbs.map(
      (verb) => `complete -c rnv -f${when([...seen, ...open])} -a ${verb.name} -d ${quote(verb.summary)}`,
    ),
    ...node.choices.map((choice) => `complete -c rnv -f${when(seen)} -a ${choice}`),
    ...node.options.map(
      (option) =>
        `complete -c rnv${when(seen)} -l ${option.long.slice(2)}${option.value ? " -r" : ""} -d ${quote(option.description)}`,
    ),
  ];
}

const quote = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;

import type { Argument, Command, Option } from "commander";
import { shownVerbs } from "./verbs/verb";

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

/** Candidates at the cursor. */
export type Completion =
  | { readonly kind: "files" }
  | { readonly kind: "words"; readonly words: readonly CompletedWord[] };

interface CompletedWord {
  readonly word: string;
  readonly meaning?: string;
}

/** Names that are looked up only where they may stand. */
interface CompletionSources {
  readonly addresses: () => Promise<readonly string[]>;
  readonly outputs: () => Promise<readonly string[]>;
  readonly stacks: () => Promise<readonly string[]>;
  readonly stages: () => Promise<readonly string[]>;
}

/** Values of options typed before the cursor, by long name: `file`, `state`, `chdir`. */
export type TypedOptions = Readonly<Record<string, readonly string[]>>;

/** The command line up to the cursor. */
export interface Typed {
  readonly command: Command;
  readonly options: TypedOptions;
  /** Positional words of the command. */
  readonly positional: readonly string[];
  /** The option whose value stands at the cursor. */
  readonly awaiting?: Option;
  /** The word at the cursor as far as it is typed; of `--out=x` only the value. */
  readonly current: string;
  /** Text before the value in the same word: `--target=`. */
  readonly prefix: string;
}

/** Reads the words after the program's name, the last one being that at the cursor. */
export function readTyped(program: Command, words: readonly string[]): Typed {
  const [current = "", ...before] = joinEquals(words).reverse();
  let command = program;
  const options: Record<string, string[]> = {};
  const positional: string[] = [];
  let awaiting: Option | undefined;
  let isLiteral = false;
  for (const word of before.reverse()) {
    const named = isLiteral ? undefined : /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word);
    if (awaiting && !(awaiting.variadic && named)) {
      note(options, awaiting, word);
      if (!awaiting.variadic) awaiting = undefined;
    } else if (word === "--" && !isLiteral) {
      isLiteral = true;
    } else if (named) {
      const option = findOption(command, named[1] as string);
      awaiting = option && takesValue(option) && named[2] === undefined ? option : undefined;
      if (option && named[2] !== undefined) note(options, option, named[2]);
    } else {
      const inner = positional.length === 0 ? command.commands.find((one) => isCalled(one, word)) : undefined;
      if (inner && inner.name() !== "help") command = inner;
      else positional.push(word);
    }
  }
  const given = isLiteral || awaiting ? undefined : /^(--?([A-Za-z][\w-]*)=)(.*)$/s.exec(current);
  const option = given ? findOption(command, given[2] as string) : awaiting;
  const prefix = given?.[1] ?? "";
  // Of `--out= x` bash makes three words, and completes what follows the sign.
  const value = awaiting && current === "=" ? "" : (given?.[3] ?? current);
  return { command, options, positional, ...(option && { awaiting: option }), current: value, prefix };
}

/** Returns the candidates at the cursor that begin with the typed text. */
export async function complete(typed: Typed, sources: CompletionSources): Promise<Completion> {
  const { current, prefix, awaiting } = typed;
  const found = await candidates(typed, sources);
  if (found === "files") return { kind: "files" };
  // Options that may be repeated, or take several values, leave room for what else may follow.
  const others = awaiting?.variadic && current.startsWith("-") ? optionWords(typed) : [];
  const words = [...found, ...others].filter(({ word }) => word.startsWith(current));
  return { kind: "words", words: words.map((one) => ({ ...one, word: `${prefix}${one.word}` })) };
}

/** Renders the output of `rnv complete`: the kind, then one word a line, with its meaning where the shell shows it. */
export function completionText(completion: Completion, shell: Shell): string {
  if (completion.kind === "files") return "files\n";
  const lines = completion.words.map(({ word, meaning }) => {
    if (shell === "bash" || meaning === undefined) return shell === "zsh" ? escaped(word) : word;
    return shell === "zsh" ? `${escaped(word)}:${meaning}` : `${word}\t${meaning}`;
  });
  return `${["words", ...lines].join("\n")}\n`;
}

const escaped = (word: string): string => word.replaceAll(":", "\\:");

type Candidates = readonly CompletedWord[] | "files";

async function candidates(typed: Typed, sources: CompletionSources): Promise<Candidates> {
  const { command, positional, current, awaiting } = typed;
  if (awaiting) return optionValues(awaiting, sources, current);
  if (current.startsWith("-")) return optionWords(typed);
  const isVerb = positional.length === 0 || (positional.length === 1 && positional[0] === "help");
  const inner = isVerb ? shownVerbs(command) : [];
  const verbs = inner.map((one) => ({ word: one.name(), meaning: one.summary() || one.description() }));
  const argument = argumentAt(command, positional.length);
  const values = argument ? await argumentValues(command, argument, sources) : [];
  return values === "files" ? "files" : [...verbs, ...values];
}

function optionValues(
  option: Option,
  sources: CompletionSources,
  current: string,
): Promise<Candidates> | Candidates {
  const placeholder = /<(\w+)/.exec(option.flags)?.[1] ?? "";
  // Classes are separated by commas: the last one is completed.
  const before = placeholder === "classes" ? current.slice(0, current.lastIndexOf(",") + 1) : "";
  if (option.argChoices) return option.argChoices.map((word) => ({ word: `${before}${word}` }));
  if (placeholder === "address") return asWords(sources.addresses());
  if (placeholder === "stack") return asWords(sources.stacks());
  if (placeholder === "stage") return asWords(sources.stages());
  return ["path", "file", "dir", "folder"].includes(placeholder) ? "files" : [];
}

/** Verbs that are about one service, and nothing else that has an address. */
const ofServices = new Set([
  "deploy",
  "restart",
  "suspend",
  "resume",
  "rollback",
  "cancel",
  "status",
  "deployments",
]);

async function argumentValues(
  command: Command,
  argument: Argument,
  sources: CompletionSources,
): Promise<Candidates> {
  if (argument.argChoices) return argument.argChoices.map((word) => ({ word }));
  const name = argument.name();
  if (["address", "from", "to"].includes(name)) {
    const addresses = await asWords(sources.addresses());
    return ofServices.has(command.name()) && command.parent?.parent === null
      ? addresses.filter(({ word }) => word.startsWith("service."))
      : addresses;
  }
  if (command.name() === "output") return asWords(sources.outputs());
  if (name === "stack") return asWords(sources.stacks());
  if (name === "stage") return asWords(sources.stages());
  return ["planfile|stack", "planfile", "file", "backup"].includes(name) ? "files" : [];
}

const asWords = async (texts: Promise<readonly string[]>): Promise<readonly CompletedWord[]> =>
  (await texts).map((word) => ({ word }));

/** With one dash where one is typed, as Terraform's are. */
function optionWords({ command, current }: Typed): readonly CompletedWord[] {
  const dashes = /^-[^-]/.test(current) ? "-" : "--";
  const help = { word: `${dashes}help`, meaning: "show help" };
  const known = allOptions(command).flatMap(({ long, description, hidden }) =>
    long && !hidden ? [{ word: `${dashes}${long.slice(2)}`, meaning: description }] : [],
  );
  return [...known, help];
}

const allOptions = (command: Command | null): readonly Option[] =>
  command === null ? [] : [...command.options, ...allOptions(command.parent)];

const findOption = (command: Command, name: string): Option | undefined =>
  allOptions(command).find(({ long, short }) => long === `--${name}` || short === `-${name}`);

const takesValue = (option: Option): boolean => option.required || option.optional;

const isCalled = (command: Command, name: string): boolean =>
  command.name() === name || command.aliases().includes(name);

/** The argument at a position; a variadic one takes all that follow. */
function argumentAt({ registeredArguments }: Command, position: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[position] ?? (last?.variadic ? last : undefined);
}

function note(options: Record<string, string[]>, option: Option, value: string): void {
  const name = option.attributeName();
  options[name] = [...(options[name] ?? []), value];
}

/** Bash makes words of `--out=x` that the program never gets: `--out`, `=`, `x`. */
function joinEquals(words: readonly string[]): string[] {
  return words.filter(
    (word, i) => !(word === "=" && i < words.length - 1 && /^--?[A-Za-z]/.test(words[i - 1] ?? "")),
  );
}

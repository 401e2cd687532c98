import { resolve } from "node:path";
import { Argument, type Command, type Option } from "commander";
import { listKnownNames } from "../../commands/validate";
import { stageText } from "../../model/stage";
import { escapeText } from "../../report/escape-text";
import { openContext, settingsOf } from "../context";
import type { Invocation } from "../invocation";
import { askedStage, stagesOf } from "../stages";
import { shownVerbs, type Verb } from "./verb";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export const completionVerb: Verb = {
  usage: "completion",
  arguments: [new Argument("<shell>", "the shell").choices(shells)],
  summary: "Print a completion script for a shell",
  detail:
    "It completes verbs, options and their values, and addresses of the manifest and the local state: it asks this " +
    "program at each Tab, which sends no request, runs no command and reads no secret.",
  examples: [
    ["source <(rnv completion bash)", "bash"],
    ["rnv completion zsh > ~/.zfunc/_rnv", "zsh, with ~/.zfunc in fpath"],
    ["rnv completion fish > ~/.config/fish/completions/rnv.fish", "fish"],
  ],
  handler: async ({ positional, terminal }) => {
    terminal.out(scripts[positional[0] as Shell]);
  },
};

/**
 * The completion script of each shell. It knows nothing itself: at each Tab it asks `rnv complete` with the words typed so
 * far, whose first line says `words` (complete with the lines below) or `files` (complete paths).
 */
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

export const completeVerb: Verb = {
  usage: "complete",
  hidden: true,
  arguments: [
    new Argument("<shell>", "the shell").choices(shells),
    new Argument("[words...]", "words typed so far, the last one being that at the cursor"),
  ],
  summary: "Print what may stand at the cursor; the completion scripts ask it",
  examples: [["rnv complete bash -- plan -target service.", "addresses that begin so"]],
  // Offline, and never an error: a shell shows its own.
  handler: async (invocation) => {
    const [shell, words = []] = invocation.positional as readonly [Shell, readonly string[] | undefined];
    const typed = readTyped(invocation.program, words);
    const namesOf: NameSource = async (kind) =>
      (await namesHere(invocation, typed.options))[kind].map(escapeText);
    invocation.terminal.out(completionText(await complete(typed, namesOf).catch(() => []), shell));
  },
};

/**
 * Lists names of the manifest and the state that the line names, else of the default ones; of a stage with several instances
 * with a slash at its end, and of these. A remote state is not asked.
 */
async function namesHere(
  invocation: Invocation,
  options: TypedOptions,
): Promise<Record<Parameters<NameSource>[0], readonly string[]>> {
  const cwd = resolve(invocation.cwd, options.chdir?.at(-1) ?? ".");
  const { environment } = invocation;
  const state = options.state?.at(-1);
  const files = (options.file ?? []).filter((file) => file !== "-");
  const unstaged = { ...invocation, cwd, options: { state, stage: options.stage?.at(-1), file: files } };
  const found = await stagesOf(unstaged, files);
  const asked = askedStage(unstaged);
  const stage = asked && { ...asked, state: found.place(asked).place.state };
  const here = { ...unstaged, stage };
  const isLocal = settingsOf(here).state.kind === "file";
  const { backend } = openContext(here);
  const known = { files, stage: found.stages.size > 0 ? asked : undefined, ...(isLocal && { backend }) };
  const names = await listKnownNames({ cwd, environment }, known);
  const stages: string[] = [];
  for (const declared of found.stages.values()) {
    const instances = await found.namesOf(declared, true).catch(() => []);
    stages.push(...(declared.each ? [`${declared.name}/`] : []), ...(instances ?? []).map(stageText));
  }
  return { ...names, stages };
}

interface CompletedWord {
  readonly word: string;
  readonly meaning?: string;
}

/** What may stand at the cursor: words, or the paths that the shell knows. */
type Candidates = readonly CompletedWord[] | "files";

/** Looks up names of a kind; asked only where they may stand. */
type NameSource = (kind: "addresses" | "outputs" | "stacks" | "stages") => Promise<readonly string[]>;

/** What may stand for a placeholder: `<address>`, `[stack...]`. */
const kinds: Readonly<Record<string, Parameters<NameSource>[0] | "files">> = {
  ...{ address: "addresses", from: "addresses", to: "addresses", stack: "stacks", stage: "stages" },
  ...{ path: "files", file: "files", dir: "files", folder: "files", backup: "files" },
  ...{ planfile: "files", "planfile|stack": "files" },
};

/** Values of options typed before the cursor, by long name: `file`, `state`, `chdir`. */
type TypedOptions = Readonly<Record<string, readonly string[]>>;

/** The command line up to the cursor. */
interface Typed {
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
function readTyped(program: Command, words: readonly string[]): Typed {
  // Bash makes words of `--out=x` that the program never gets: `--out`, `=`, `x`.
  const joined = words.filter(
    (word, i) => !(word === "=" && i < words.length - 1 && /^--?[A-Za-z]/.test(words[i - 1] ?? "")),
  );
  const [current = "", ...before] = joined.reverse();
  let command = program;
  const options: Record<string, string[]> = {};
  const positional: string[] = [];
  let awaiting: Option | undefined;
  const take = (option: Option, value: string): void => {
    const name = option.attributeName();
    options[name] = [...(options[name] ?? []), value];
  };
  for (const word of before.reverse()) {
    const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const inner = command.commands.find((one) => one.name() === word && word !== "help");
    if (awaiting) {
      take(awaiting, word);
      awaiting = undefined;
    } else if (name !== undefined) {
      const option = findOption(command, name);
      if (option && value !== undefined) take(option, value);
      else if (option?.required || option?.optional) awaiting = option;
    } else if (inner && positional.length === 0) command = inner;
    else positional.push(word);
  }
  const [, prefix = "", name = "", value] =
    (awaiting ? null : /^(--?([A-Za-z][\w-]*)=)(.*)$/s.exec(current)) ?? [];
  const option = awaiting ?? findOption(command, name);
  // Of `--out= x` bash makes three words, and completes what follows the sign.
  const typed = awaiting && current === "=" ? "" : (value ?? current);
  return { command, options, positional, ...(option && { awaiting: option }), current: typed, prefix };
}

/** Returns the candidates at the cursor that begin with the typed text. */
async function complete(typed: Typed, source: NameSource): Promise<Candidates> {
  const { current, prefix } = typed;
  const found = await candidates(typed, source);
  if (found === "files") return found;
  const words = found.filter(({ word }) => word.startsWith(current));
  return words.map((one) => ({ ...one, word: `${prefix}${one.word}` }));
}

/** Renders the output of `rnv complete`: the kind, then one word a line, with its meaning where the shell shows it. */
function completionText(found: Candidates, shell: Shell): string {
  if (found === "files") return "files\n";
  const lines = found.map(({ word, meaning }) => {
    if (shell === "bash" || meaning === undefined) return shell === "zsh" ? escaped(word) : word;
    return shell === "zsh" ? `${escaped(word)}:${meaning}` : `${word}\t${meaning}`;
  });
  return `${["words", ...lines].join("\n")}\n`;
}

const escaped = (word: string): string => word.replaceAll(":", "\\:");

async function candidates(typed: Typed, source: NameSource): Promise<Candidates> {
  const { command, positional, current, awaiting } = typed;
  if (awaiting) return optionValues(awaiting, source);
  if (current.startsWith("-")) return optionWords(typed);
  const isVerb = positional.length === 0 || (positional.length === 1 && positional[0] === "help");
  const inner = isVerb ? shownVerbs(command) : [];
  const verbs = inner.map((one) => ({ word: one.name(), meaning: one.summary() || one.description() }));
  // A variadic argument takes all that follow.
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[positional.length] ?? (last?.variadic ? last : undefined);
  const values = argument ? await argumentValues(command, argument, source) : [];
  return values === "files" ? "files" : [...verbs, ...values];
}

async function namesFor(placeholder: string, source: NameSource): Promise<Candidates> {
  const kind = kinds[placeholder];
  if (kind === undefined || kind === "files") return kind ?? [];
  return (await source(kind)).map((word) => ({ word }));
}

function optionValues({ flags, argChoices }: Option, source: NameSource): Promise<Candidates> | Candidates {
  if (argChoices) return argChoices.map((word) => ({ word }));
  return namesFor(/<(\w+)/.exec(flags)?.[1] ?? "", source);
}

async function argumentValues(command: Command, argument: Argument, source: NameSource): Promise<Candidates> {
  if (argument.argChoices) return argument.argChoices.map((word) => ({ word }));
  if (command.name() === "output") return (await source("outputs")).map((word) => ({ word }));
  return namesFor(argument.name(), source);
}

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

import { resolve } from "node:path";
import type { Command, ParseOptionsResult } from "commander";
import { listKnownNames } from "../../commands/validate";
import { escapeText } from "../../report/escape-text";
import { normalizeArgv, optionShapes } from "../argv";
import { openTarget, type Run } from "../open-target";
import { options } from "../options";
import { readSettings } from "../settings";
import { askedStage, stagesOf } from "../stages";
import { targetAt } from "../target";
import { argument, defineVerb, shownOptions, shownVerbs, type Verb } from "../verb";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

const shell = argument("<shell>", "the shell", shells);

export const completionVerb = defineVerb({
  name: "completion",
  arguments: { shell },
  scope: "none",
  summary: "Print a completion script for a shell",
  detail:
    "It completes verbs, options and their values, and addresses of the manifest and the local state: it asks this " +
    "program at each Tab, which sends no request, runs no command and reads no secret.",
  examples: [
    ["source <(rnv completion bash)", "bash"],
    ["rnv completion zsh > ~/.zfunc/_rnv", "zsh, with ~/.zfunc in fpath"],
    ["rnv completion fish > ~/.config/fish/completions/rnv.fish", "fish"],
  ],
  run: async ({ shell }, { screen: { terminal } }) => {
    terminal.out(scripts[shell]);
  },
});

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

export const completeVerb = (program: Command): Verb =>
  defineVerb({
    name: "complete",
    hidden: true,
    arguments: {
      shell,
      typed: argument("[words...]", "words typed so far, the last one being that at the cursor"),
    },
    scope: "none",
    summary: "Print what may stand at the cursor; the completion scripts ask it",
    examples: [["rnv complete bash -- plan -target service.", "addresses that begin so"]],
    // Offline, and never an error: a shell shows its own.
    run: async ({ shell, typed }, run) => {
      const found = await complete(program, typed, run).catch(() => []);
      run.screen.terminal.out(completionText(found, shell));
    },
  });

type Candidates = readonly { readonly word: string; readonly meaning?: string }[] | "files";

/** Returns the candidates at the cursor that begin with the typed text. */
async function complete(program: Command, words: readonly string[], run: Run): Promise<Candidates> {
  const typed = readTyped(program, words);
  const found = await candidates(typed, run);
  if (found === "files") return found;
  return found
    .filter(({ word }) => word.startsWith(typed.current))
    .map((one) => ({ ...one, word: `${typed.prefix}${one.word}` }));
}

/** Renders the output of `rnv complete`: the kind, then one word a line, with its meaning where the shell shows it. */
function completionText(found: Candidates, shell: Shell): string {
  if (found === "files") return "files\n";
  const lines = found.map(({ word, meaning }) => {
    const shown = shell === "zsh" ? word.replaceAll(":", "\\:") : word;
    if (shell === "bash" || meaning === undefined) return shown;
    return `${shown}${shell === "zsh" ? ":" : "\t"}${meaning}`;
  });
  return `${["words", ...lines].join("\n")}\n`;
}

/**
 * Lists names of the manifest and the state that the line names, else of the default ones. A stage with several instances has
 * a slash at its end. A remote state is not asked.
 */
async function namesHere(command: Command, { target: request, screen }: Run) {
  const { chdir = "." } = command.optsWithGlobals();
  const cwd = resolve(request.cwd, chdir);
  const files = options.files.valueIn(command).filter((file) => file !== "-");
  const givenState = options.state.valueIn(command);
  // No program is run while someone types.
  const environment = { ...request.environment, RNV_ALLOW_COMMANDS: "0" };
  const givenStage = options.stage.valueIn(command);
  const unstaged = { ...request, cwd, environment, files, givenState, givenStage };
  const found = await stagesOf(unstaged, screen);
  const asked = askedStage(unstaged);
  const here = asked ? found.at(asked, found.settingsOf(asked).settings) : targetAt(unstaged);
  const isLocal = readSettings(here).state.kind === "file";
  const { backend } = openTarget(here, screen);
  const names = await listKnownNames(
    { cwd, environment },
    { files, stage: found.stages.size > 0 ? asked : undefined, backend: isLocal ? backend : undefined },
  );
  return { ...names, stages: [...found.stages.values()].map(({ name, each }) => (each ? `${name}/` : name)) };
}

type NameKind = keyof Awaited<ReturnType<typeof namesHere>>;

/** What may stand for a placeholder: `<address>`, `[stack...]`. */
const kinds: Readonly<Record<string, NameKind | "files">> = {
  ...{
    address: "addresses",
    from: "addresses",
    to: "addresses",
    stack: "stacks",
    stage: "stages",
    name: "outputs",
  },
  ...{ path: "files", file: "files", dir: "files", folder: "files", backup: "files" },
  ...{ planfile: "files", "planfile|stack": "files" },
};

/** Reads the words after the program's name, the last one being that at the cursor. */
function readTyped(program: Command, words: readonly string[]) {
  const shapes = optionShapes(program);
  // Bash makes words of `--out=x` that the program never gets: `--out`, `=`, `x`.
  const joined = words.filter((word, i) => !(word === "=" && /^--?[A-Za-z]/.test(words[i - 1] ?? "")));
  const current = words.at(-1) === "=" ? "" : (joined.pop() ?? "");
  let left = [...normalizeArgv(joined, shapes)];
  const isAwaiting = shapes.get(/^--?(.+)/.exec(left.at(-1) ?? "")?.[1] ?? "") === "value";
  const last = isAwaiting ? left.pop() : undefined;
  let command = program;
  for (let inner: Command | undefined = program; inner !== undefined; ) {
    command = inner;
    const { operands, unknown }: ParseOptionsResult = command.parseOptions(left);
    inner = command.commands.find((one) => one.name() === operands[0]);
    left = [...operands.slice(inner === undefined ? 0 : 1), ...unknown];
  }
  const [, prefix = "", flag = last, value = current] =
    (isAwaiting ? null : /^((--?[A-Za-z][\w-]*)=)(.*)$/s.exec(current)) ?? [];
  const awaiting = [...shownOptions(command), ...command.options].find(
    ({ long, short }) => flag !== undefined && [long, short, long?.slice(1)].includes(flag),
  );
  return {
    /** It has the options before the cursor. */
    command,
    /** How many positional words of the command are before the cursor. */
    positional: left.filter((word) => !word.startsWith("-")).length,
    /** The option whose value stands at the cursor. */
    awaiting,
    /** The word at the cursor as far as it is typed; of `--out=x` only the value. */
    current: value,
    /** Text before the value in the same word: `--target=`. */
    prefix,
  };
}

type Typed = ReturnType<typeof readTyped>;

async function candidates({ command, positional, current, awaiting }: Typed, run: Run): Promise<Candidates> {
  if (!awaiting && current.startsWith("-")) return optionWords(command, current);
  const about = command.name() === "help" ? (command.parent ?? command) : command;
  const verbs = awaiting || positional > 0 ? [] : shownVerbs(about);
  const words = verbs.map((one) => ({ word: one.name(), meaning: one.summary() || one.description() }));
  // A variadic argument takes all that follow.
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[positional] ?? (last?.variadic ? last : undefined);
  const choices = (awaiting ?? argument)?.argChoices;
  if (choices) return [...words, ...choices.map((word) => ({ word }))];
  const kind = kinds[(awaiting ? /<(\w+)/.exec(awaiting.flags)?.[1] : argument?.name()) ?? ""];
  if (kind === undefined || kind === "files") return kind ?? words;
  // Names are looked up only where they may stand.
  const names = (await namesHere(command, run))[kind];
  return [...words, ...names.map((word) => ({ word: escapeText(word) }))];
}

/** With one dash where one is typed, as Terraform's are. */
function optionWords(command: Command, current: string): Candidates {
  const dashes = /^-[^-]/.test(current) ? "-" : "--";
  const help = { word: `${dashes}help`, meaning: "show help" };
  const known = shownOptions(command).map((option) => ({
    word: `${dashes}${option.long?.slice(2)}`,
    meaning: option.description,
  }));
  return [...known, help];
}

import { resolve } from "node:path";
import type { Command, ParseOptionsResult } from "commander";
import { listKnownNames } from "../../commands/validate";
import { escapeText } from "../../report/escape-text";
import { normalizeArgv, optionShapes } from "../argv";
import { openTarget, type Run } from "../open-target";
import { argument, options } from "../options";
import { readSettings } from "../settings";
import { requestedStage, stagesOf } from "../stages";
import { targetAt } from "../target";
import { defineVerb, shownOptions, shownVerbs, type Verb } from "../verb";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

const shell = argument("<shell>", "the shell", shells);

export const completionVerb = defineVerb({
  name: "completion",
  arguments: { shell },
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
 * The completion script of each shell. At each Tab it runs `rnv complete` with the typed words. The first line of the
 * answer is `words` (the next lines are candidates) or `files` (complete paths).
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
    summary: "Print what may stand at the cursor; the completion scripts ask it",
    examples: [["rnv complete bash -- plan -target service.", "addresses that begin so"]],
    run: async ({ shell, typed }, run) => {
      // The shell shows no error.
      run.screen.terminal.out(await complete(program, typed, shell, run).catch(() => "words\n"));
    },
  });

type Candidates = readonly { readonly word: string; readonly meaning?: string }[] | "files";

/** Returns the kind, then a word on each line, with its meaning for shells that show it. */
async function complete(program: Command, words: readonly string[], shell: Shell, run: Run): Promise<string> {
  const typed = readTyped(program, words);
  const found = await candidates(typed, run);
  if (found === "files") return "files\n";
  const fitting = found.filter(({ word }) => word.startsWith(typed.current));
  const lines = fitting.map(({ word, meaning }) => {
    const whole = `${typed.prefix}${word}`;
    const shown = shell === "zsh" ? whole.replaceAll(":", "\\:") : whole;
    if (shell === "bash" || meaning === undefined) return shown;
    return `${shown}${shell === "zsh" ? ":" : "\t"}${meaning}`;
  });
  return `${["words", ...lines].join("\n")}\n`;
}

/** Lists names of the manifest and the local state of the line. A stage with instances ends with a slash. */
async function namesHere(command: Command, { target: request, screen }: Run) {
  const { chdir = "." } = command.optsWithGlobals();
  const cwd = resolve(request.cwd, chdir);
  const files = options.files.valueIn(command).filter((file) => file !== "-");
  const givenState = options.state.valueIn(command);
  // Run no program during typing.
  const environment = { ...request.environment, RNV_ALLOW_COMMANDS: "0" };
  const givenStage = options.stage.valueIn(command);
  const unstaged = { ...request, cwd, environment, files, givenState, givenStage };
  const found = await stagesOf(unstaged, screen);
  const asked = requestedStage(unstaged);
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

/** Kinds of names that complete a placeholder: `<address>`, `[stack...]`. */
const nameKinds: Readonly<Record<string, NameKind>> = {
  address: "addresses",
  from: "addresses",
  to: "addresses",
  stack: "stacks",
  stage: "stages",
  name: "outputs",
};

const filePlaceholders = ["path", "file", "dir", "folder", "backup", "planfile", "planfile|stack"];

/** Reads the words after the program's name; the last word is at the cursor. */
function readTyped(program: Command, words: readonly string[]) {
  const shapes = optionShapes(program);
  // Bash splits `--out=x` into `--out`, `=`, `x`.
  const joined = words.filter((word, i) => !(word === "=" && /^--?[A-Za-z]/.test(words[i - 1] ?? "")));
  const current = words.at(-1) === "=" ? "" : (joined.pop() ?? "");
  let rest = [...normalizeArgv(joined, shapes)];
  const isAwaiting = shapes.get(/^--?(.+)/.exec(rest.at(-1) ?? "")?.[1] ?? "") === "value";
  const last = isAwaiting ? rest.pop() : undefined;
  let command = program;
  for (let inner: Command | undefined = program; inner !== undefined; ) {
    command = inner;
    const { operands, unknown }: ParseOptionsResult = command.parseOptions(rest);
    inner = command.commands.find((verb) => verb.name() === operands[0]);
    rest = [...operands.slice(inner === undefined ? 0 : 1), ...unknown];
  }
  const [, prefix = "", flag = last, value = current] =
    (isAwaiting ? null : /^((--?[A-Za-z][\w-]*)=)(.*)$/s.exec(current)) ?? [];
  const awaiting = [...shownOptions(command), ...command.options].find(
    ({ long, short }) => flag !== undefined && [long, short, long?.slice(1)].includes(flag),
  );
  return {
    command,
    /** Number of positional words before the cursor. */
    positional: rest.filter((word) => !word.startsWith("-")).length,
    /** The option whose value is at the cursor. */
    awaiting,
    /** The typed part of the word at the cursor; the value of `--out=x`. */
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
  const words = verbs.map((verb) => ({ word: verb.name(), meaning: verb.summary() || verb.description() }));
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[positional] ?? (last?.variadic ? last : undefined);
  const choices = (awaiting ?? argument)?.argChoices;
  if (choices) return [...words, ...choices.map((word) => ({ word }))];
  const placeholder = (awaiting ? /<(\w+)/.exec(awaiting.flags)?.[1] : argument?.name()) ?? "";
  if (filePlaceholders.includes(placeholder)) return "files";
  const kind = nameKinds[placeholder];
  if (kind === undefined) return words;
  const names = (await namesHere(command, run))[kind];
  return [...words, ...names.map((word) => ({ word: escapeText(word) }))];
}

/** Returns options with the typed number of dashes. */
function optionWords(command: Command, current: string): Candidates {
  const dashes = /^-[^-]/.test(current) ? "-" : "--";
  const help = { word: `${dashes}help`, meaning: "show help" };
  const known = shownOptions(command).map((option) => ({
    word: `${dashes}${option.long?.slice(2)}`,
    meaning: option.description,
  }));
  return [...known, help];
}

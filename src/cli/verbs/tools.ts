import { resolve } from "node:path";
import { Argument, InvalidArgumentError, Option } from "commander";
import { emulator } from "../../commands/emulator";
import { gapList, type SchemaName, schema, schemaNames } from "../../commands/schema";
import { graph, type KnownNames, listKnownNames } from "../../commands/validate";
import { type Condition, conditionNames } from "../../emulator/behaviour";
import { type Lags, parseLags, readClasses } from "../../emulator/lag";
import { escapeText } from "../../render/escape-text";
import { graphDot, graphMermaid } from "../../render/graph";
import {
  complete,
  completionScript,
  completionText,
  readTyped,
  type Shell,
  shells,
  type TypedOptions,
} from "../completion";
import { openContext } from "../context";
import { readStandardInput } from "../files";
import type { Invocation } from "../invocation";
import { options, positive } from "../options";
import { report } from "../report";
import { readSettings } from "../settings";
import { versionText } from "../version";
import type { Verb } from "./verb";

export const graphVerb: Verb = {
  usage: "graph",
  summary: "Print the dependencies between resources, as DOT",
  options: [
    options.file,
    options.app,
    options.untrusted,
    new Option("--mermaid", "as Mermaid, which GitHub and GitLab draw"),
  ],
  examples: [
    ["rnv graph | dot -Tsvg > graph.svg", "as a picture"],
    ["rnv graph -mermaid", "for Markdown"],
  ],
  handler: runGraph,
};

async function runGraph(invocation: Invocation): Promise<number> {
  const { terminal, environment, cwd, options } = invocation;
  const files = Array.isArray(options.file) ? options.file : [];
  const standardInput = () => readStandardInput(terminal);
  const untrusted = options.untrusted === true;
  const outcome = await graph({ environment, cwd, standardInput, untrusted }, { files });
  report(invocation, outcome.diagnostics, outcome.sources);
  if (outcome.graph)
    terminal.out(options.mermaid === true ? graphMermaid(outcome.graph) : graphDot(outcome.graph));
  return outcome.exitCode;
}

export const schemaVerb: Verb = {
  usage: "schema",
  arguments: [new Argument("[name]", "which one (default: manifest)").choices([...schemaNames, "gaps"])],
  summary: "Print a JSON Schema: manifest, overlay, plan, drift, state or events",
  examples: [
    ["rnv schema > manifest.schema.json", "of the manifest, for an editor"],
    ["rnv schema overlay", "of a file that overlays a manifest: everything optional, null takes away"],
    ["rnv schema events", "of the lines of apply -json"],
    [
      "rnv schema gaps",
      "what the service's documents do not show: what rnv assumes, and each RNV_GAP_… setting",
    ],
  ],
  handler: runSchema,
};

/** `rnv schema [name]`, and the list of `rnv schema gaps` */
async function runSchema({ terminal, positional }: Invocation): Promise<number> {
  const [name = "manifest"] = positional as readonly (SchemaName | "gaps" | undefined)[];
  const shown = name === "gaps" ? gapList() : schema(name);
  terminal.out(`${JSON.stringify(shown, undefined, 2)}\n`);
  return 0;
}

export const emulatorVerb: Verb = {
  usage: "emulator",
  summary: "Serve the embedded service over HTTP",
  detail: "Prints its address, workspace and key as export lines, and runs until Ctrl-C.",
  options: [
    new Option("--port <n>", "port on localhost").argParser(port).default(8787),
    new Option("--folder <dir>", "keep its data here (default: in memory)"),
    new Option("--latency <ms>", "wait this long before each answer").argParser(positive),
    new Option("--with <condition...>", "let something be wrong with it").choices(conditionNames),
    new Option(
      "--lag <how>",
      "let reads be behind writes, by time or by reads: 300ms, canvas=2reads",
    ).argParser(lags),
  ],
  examples: [
    ["rnv emulator", "in memory, on port 8787"],
    [
      "rnv emulator -port 0 -folder .rnv/emulator",
      "on any free port, with the data of RNV_BASE_URL=embedded",
    ],
    ["rnv emulator -lag projects=1s,canvas=2reads", "reads that do not show yet what was just written"],
  ],
  handler: runEmulator,
};

async function runEmulator({ terminal, options, signal }: Invocation): Promise<number> {
  const served = await emulator({
    port: options.port as number,
    folder: options.folder as string | undefined,
    latencyMs: options.latency as number | undefined,
    conditions: options.with as Condition[] | undefined,
    lag: options.lag as Lags | undefined,
  });
  terminal.out(
    `export RNV_BASE_URL=${served.url}\n` +
      `export RNV_WORKSPACE_ID=${served.workspaceId}\n` +
      `export RNV_API_KEY=${served.apiKey}\n`,
  );
  terminal.err("The embedded service is running. Ctrl-C ends it.\n");
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await served.close();
  return 0;
}

export const completeVerb: Verb = {
  usage: "complete",
  hidden: true,
  arguments: [
    new Argument("<shell>", "the shell").choices(shells),
    new Argument("[words...]", "words typed so far, the last one being that at the cursor"),
  ],
  summary: "Print what may stand at the cursor; the completion scripts ask it",
  examples: [["rnv complete bash -- plan -target service.", "addresses that begin so"]],
  handler: runComplete,
};

/** `rnv complete SHELL -- WORDS`: what may stand at the cursor. Offline, and never an error: a shell shows its own. */
async function runComplete(invocation: Invocation): Promise<number> {
  const [shell, words = []] = invocation.positional as readonly [Shell, readonly string[] | undefined];
  const typed = readTyped(invocation.program, words);
  let names: Promise<KnownNames> | undefined;
  const known = (): Promise<KnownNames> => {
    names ??= namesHere(invocation, typed.options);
    return names;
  };
  const completion = await complete(typed, {
    addresses: async () => (await known()).addresses.map(escapeText),
    outputs: async () => (await known()).outputs.map(escapeText),
  }).catch(() => ({ kind: "words", words: [] }) as const);
  invocation.terminal.out(completionText(completion, shell));
  return 0;
}

/** Of the manifest and the state that the line names, or of those that are the default. A remote state is not asked. */
async function namesHere(invocation: Invocation, options: TypedOptions): Promise<KnownNames> {
  const cwd = resolve(invocation.cwd, options.chdir?.at(-1) ?? ".");
  const { environment } = invocation;
  const state = options.state?.at(-1);
  const isLocal = readSettings(environment, { state, cwd }).state.kind === "file";
  const context = openContext({ ...invocation, cwd, options: { ...invocation.options, state } });
  return listKnownNames(
    { cwd, environment },
    // Standard input is the terminal of whoever types.
    {
      files: (options.file ?? []).filter((file) => file !== "-"),
      ...(isLocal && { backend: context.backend }),
    },
  );
}

export const versionVerb: Verb = {
  usage: "version",
  summary: "Print the version",
  options: [options.json],
  examples: [["rnv version -json", "for programs"]],
  handler: async (invocation) => {
    invocation.terminal.out(versionText(invocation.options.json === true));
    return 0;
  },
};

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
    terminal.out(completionScript(positional[0] as Shell));
    return 0;
  },
};

function lags(text: string): Lags {
  const parsed = parseLags(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError(
    `Write 300ms or 2reads, for some reads alone canvas=300ms,projects=2reads (${readClasses.join(", ")}).`,
  );
}

function port(text: string): number {
  return text === "0" ? 0 : positive(text);
}

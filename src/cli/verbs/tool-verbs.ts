import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { schemaNames } from "../../commands/schema-names";
import { conditionNames } from "../../emulator/behaviour";
import { type Lags, parseLags, readClasses } from "../../emulator/lag";
import { completionScript, type Shell, shells } from "../completion";
import { completeHandler } from "../handlers/complete";
import { initHandler } from "../handlers/init";
import { emulatorHandler, schemaHandler } from "../handlers/tools";
import type { Run } from "../invocation";
import { options, positive } from "../options";
import { versionText } from "../version";
import { addVerb } from "./add-verb";

/** What surrounds the work: `init`, `emulator`, `schema`, `version`, `completion`. */
export function addToolVerbs(program: Command, run: Run): void {
  program.commandsGroup("Getting started and tools:");
  addVerb(program, run, {
    usage: "init",
    summary: "Write a first manifest here, and check the settings",
    detail: "Never overwrites a file. Asks the service once whether the key opens the workspace.",
    options: [options.state()],
    examples: [["RNV_BASE_URL=embedded rnv init", "to try it without an account"]],
    handler: initHandler,
  });
  addVerb(program, run, {
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
    handler: emulatorHandler,
  });
  addVerb(program, run, {
    usage: "schema",
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
    handler: schemaHandler,
  }).addArgument(new Argument("[name]", "which one (default: manifest)").choices([...schemaNames, "gaps"]));
  addVerb(program, run, {
    usage: "version",
    summary: "Print the version",
    options: [options.json()],
    examples: [["rnv version -json", "for programs"]],
    handler: async (invocation) => {
      invocation.terminal.out(versionText(invocation.options.json === true));
      return 0;
    },
  });
  addVerb(program, run, {
    usage: "completion",
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
  }).addArgument(new Argument("<shell>", "the shell").choices(shells));
  addVerb(program, run, {
    usage: "complete",
    hidden: true,
    summary: "Print what may stand at the cursor; the completion scripts ask it",
    examples: [["rnv complete bash -- plan -target service.", "addresses that begin so"]],
    handler: completeHandler,
  })
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addArgument(new Argument("[words...]", "words typed so far, the last one being that at the cursor"));
}

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

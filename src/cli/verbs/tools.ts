import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { Argument, InvalidArgumentError, Option } from "commander";
import { succeeded } from "../../commands/context";
import { explain } from "../../commands/explain";
import type * as schemas from "../../commands/schemas";
import { terraformImports } from "../../commands/terraform-imports";
import {
  cliConfiguration,
  emulator,
  gapList,
  mirrorFolders,
  releaseFiles,
  type SchemaName,
  schemaNames,
} from "../../commands/tools";
import { graph } from "../../commands/validate";
import { failure } from "../../diagnostics/diagnostic";
import { type Condition, conditionNames } from "../../emulator/behaviour";
import { type Lags, parseLags, readClasses } from "../../emulator/lag";
import { version, versionText } from "../../model/version";
import type * as pictures from "../../report/html/topology-svg";
import { resourceTypes } from "../../resources";
import { sourcesOf, withContext } from "../context";
import { packageRoot, writeWholeFile } from "../files";
import { listOf, type OptionValues } from "../invocation";
import { options, positive, sourceOptions } from "../options";
import { report } from "../report";
import { completeVerb, completionVerb } from "./completion";
import { readPlanFile } from "./show";
import type { Verb, VerbFamily } from "./verb";

export const graphVerb: Verb = {
  usage: "graph [planfile|stack...]",
  stacks: { use: "one", others: "none", takesPlan: true },
  summary: "Print services and what they refer to, as DOT, Mermaid or SVG",
  detail:
    "Services are in the frames of their projects; of more than 300 each project is one node. Of a saved plan, each node " +
    "is marked with what the plan does to it: by colour and word.",
  options: [
    ...sourceOptions,
    new Option("--format <format>", "dot for Graphviz, mermaid for Markdown, svg for a picture")
      .choices(["dot", "mermaid", "svg"])
      .default("dot"),
    new Option("--all", "in dot and mermaid every resource: variables, deployments and projects too"),
  ],
  examples: [
    ["rnv graph -format svg > graph.svg", "a picture, which needs no other program"],
    ["rnv graph --all | dot -Tsvg > graph.svg", "drawn by Graphviz: every resource"],
    ["rnv graph -format mermaid plan.rnvplan", "what a saved plan does, for Markdown"],
  ],
  handler: async (invocation) => {
    const { terminal, options, positional } = invocation;
    const [planFile] = positional as readonly (string | undefined)[];
    const format = options.format as "dot" | "mermaid" | "svg";
    const outcome =
      planFile === undefined
        ? await graph(sourcesOf(invocation), { files: listOf(options.file) })
        : graphOfFile(planFile, options);
    report(invocation, outcome.diagnostics);
    const { drawn, exitCode } = outcome;
    if (drawn === undefined) return exitCode;
    // What draws is loaded where something is drawn.
    const { graphFile } = require("../../report/html/topology-svg") as typeof pictures;
    terminal.out(graphFile(drawn, resourceTypes, format, options.all === true));
    return exitCode;
  },
};

function graphOfFile(file: string, options: OptionValues): Awaited<ReturnType<typeof graph>> {
  const other = ["file", "app", "stack"].find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw failure("command.usage", `a saved plan says what it is about: leave --${other} out`);
  return { ...succeeded, drawn: readPlanFile(file).document.plan.resource_changes };
}

const schemaVerb: Verb = {
  usage: "schema",
  arguments: [new Argument("[name]", "which one (default: manifest)").choices([...schemaNames, "gaps"])],
  summary: "Print a JSON Schema: of a manifest, a fleet, a plan, a drift, a state, events …",
  examples: [
    ["rnv schema > manifest.schema.json", "of the manifest, for an editor"],
    ["rnv schema overlay", "of a file that overlays a manifest: everything optional, null takes away"],
    ["rnv schema events", "of the lines of apply -json"],
    [
      "rnv schema gaps",
      "what the service's documents do not show: what rnv assumes, and each RNV_GAP_… setting",
    ],
  ],
  handler: async ({ terminal, positional }) => {
    const [name = "manifest"] = positional as readonly (SchemaName | "gaps" | undefined)[];
    // Loads documents of verbs that others do not need.
    const { schema } = require("../../commands/schemas") as typeof schemas;
    const shown = name === "gaps" ? gapList() : schema(name);
    terminal.out(`${JSON.stringify(shown, undefined, 2)}\n`);
  },
};

const emulatorVerb: Verb = {
  usage: "emulator",
  summary: "Serve the embedded service over HTTP",
  detail: "Prints its address, workspace and key as export lines, and runs until Ctrl-C.",
  options: [
    new Option("--port <n>", "port on localhost")
      .argParser((text) => (text === "0" ? 0 : positive(text)))
      .default(8787),
    new Option("--folder <dir>", "keep its data here (default: in memory)"),
    new Option("--latency <ms>", "wait this long before each answer").argParser(positive),
    new Option("--with <condition...>", "let something be wrong with it").choices(conditionNames),
    new Option(
      "--lag <how>",
      "let reads be behind writes, by time or by reads: 300ms, canvas=2reads",
    ).argParser(lags),
    new Option("--readings <seed>").hideHelp(),
  ],
  examples: [
    ["rnv emulator", "in memory, on port 8787"],
    [
      "rnv emulator -port 0 -folder .rnv/emulator",
      "on any free port, with the data of RNV_BASE_URL=embedded",
    ],
    ["rnv emulator -lag projects=1s,canvas=2reads", "reads that do not show yet what was just written"],
  ],
  handler: async ({ terminal, options, signal, environment }) => {
    const { server, workspaceId, apiKey } = await emulator(options.port as number, {
      folder: options.folder as string | undefined,
      latencyMs: options.latency as number | undefined,
      conditions: options.with as Condition[] | undefined,
      lag: options.lag as Lags | undefined,
      readings: (options.readings as string | undefined) ?? environment.RNV_READINGS,
    });
    terminal.out(
      `export RNV_BASE_URL=${server.url}\n` +
        `export RNV_WORKSPACE_ID=${workspaceId}\n` +
        `export RNV_API_KEY=${apiKey}\n`,
    );
    terminal.err("The embedded service is running. Ctrl-C ends it.\n");
    if (!signal.aborted) await once(signal, "abort");
    await server.close();
  },
};

const explainVerb: Verb = {
  usage: "explain",
  arguments: [new Argument("<word>", "a field of the manifest, or the code of an error or warning")],
  summary: "Explain a field of the manifest, or the code of an error",
  detail: "A field is shown with its type, its default and what a change of it does. It needs no manifest.",
  examples: [
    ["rnv explain configuration.replicas", "a field, by its name or its path"],
    ["rnv explain lifecycle.preventDestroy", "a field of a block"],
    ["rnv explain guard.consumers", "the code of error[guard.consumers]"],
  ],
  handler: async ({ positional, terminal }) => {
    terminal.out(explain(positional[0] as string));
  },
};

const versionVerb: Verb = {
  usage: "version",
  summary: "Print the version",
  options: [options.json],
  examples: [["rnv version -json", "for programs"]],
  handler: async (invocation) => {
    invocation.terminal.out(versionText(process, invocation.options.json === true));
  },
};

function lags(text: string): Lags {
  const parsed = parseLags(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError(
    `Write 300ms or 2reads, for some reads alone canvas=300ms,projects=2reads (${readClasses.join(", ")}).`,
  );
}

const installVerb: Verb = {
  usage: "install",
  summary: "Lay out the provider as a filesystem mirror, and print the CLI configuration",
  detail:
    "The source is rnv/rnv, under the default registry of Terraform and that of OpenTofu. The files are the same " +
    "on every platform, so one lock file serves a whole team. Node has to be on the PATH of whoever runs Terraform. " +
    "On Windows the archive of a release goes into the mirror: it needs no Node.",
  options: [
    new Option("--dir <dir>", "the mirror (default: ~/.terraform.d/plugins, where both look by themselves)"),
  ],
  examples: [
    ["rnv terraform install", "for this user"],
    ["rnv terraform install --dir ./mirror > terraform.rc", "in a folder of a repository or a CI job"],
  ],
  handler: async ({ terminal, options, cwd, environment }) => {
    const { dir: given } = options as { readonly dir?: string };
    const usual = join(environment.HOME ?? homedir(), ".terraform.d", "plugins");
    const mirror = given === undefined ? usual : resolve(cwd, given);
    const provider = readBuilt("dist/terraform/terraform-provider-rnv");
    const files = releaseFiles(version, provider, readBuilt("THIRD_PARTY_NOTICES"));
    for (const folder of mirrorFolders(version)) {
      mkdirSync(join(mirror, folder), { recursive: true });
      for (const { name, content, mode } of files)
        writeWholeFile(join(mirror, folder, name), content, { mode });
    }
    terminal.err(
      `The provider ${version} is installed in ${mirror}.\n` +
        (given === undefined
          ? "Terraform and OpenTofu look there by themselves. For other settings, the CLI configuration is:\n"
          : "Put this into ~/.terraformrc, or into a file that TF_CLI_CONFIG_FILE names:\n"),
    );
    terminal.out(cliConfiguration(mirror));
  },
};

function readBuilt(name: string): string {
  const path = join(packageRoot(__dirname), name);
  if (existsSync(path)) return readFileSync(path, "utf8");
  throw failure("command.usage", "this package holds no built provider", {
    detail: `There is no ${path}.`,
    hint: "install the package again, or run npm run build in its sources",
  });
}

const importBlocksVerb: Verb = {
  usage: "import-blocks",
  summary: "Print what the state records as import blocks for Terraform and OpenTofu",
  detail:
    "Terraform then takes the same resources over; afterwards `rnv state rm` forgets them here. With --hcl the resource " +
    "blocks of the manifest are printed, too; without it, `terraform plan -generate-config-out=FILE` writes them. Values of " +
    "variables stay at the service: they are written as `preserve = true`.",
  options: [
    new Option("--hcl", "with the resource blocks of what the manifest declares"),
    ...sourceOptions,
    options.state,
  ],
  examples: [
    [
      "rnv terraform import-blocks --hcl > main.tf",
      "a configuration whose plan imports everything and changes nothing",
    ],
  ],
  handler: async (invocation) => {
    const { terminal, options } = invocation;
    const outcome = await withContext(invocation, (context) =>
      terraformImports(context, { files: listOf(options.file), blocks: options.hcl === true }),
    );
    report(invocation, outcome.diagnostics);
    if (outcome.text !== undefined) terminal.out(outcome.text);
    return outcome.exitCode;
  },
};

const terraformVerbs: VerbFamily = {
  name: "terraform",
  summary: "Install the provider for Terraform and OpenTofu, and move resources there",
  verbs: [installVerb, importBlocksVerb],
};

export const toolVerbs: readonly (Verb | VerbFamily)[] = [
  emulatorVerb,
  schemaVerb,
  versionVerb,
  completionVerb,
  completeVerb,
  explainVerb,
  terraformVerbs,
];

import { once } from "node:events";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { succeeded } from "../../commands/context";
import { explain } from "../../commands/explain";
import { emulator } from "../../commands/open-connection";
import { cliConfiguration, mirrorFolders, releaseFiles } from "../../commands/provider-mirror";
import { gapList, schemaNames } from "../../commands/schema-names";
import type * as schemas from "../../commands/schemas";
import { terraformImports } from "../../commands/terraform-imports";
import { graph } from "../../commands/validate";
import { type Condition, conditionNames } from "../../emulator/behaviour";
import { type Lags, parseLags, readClasses } from "../../emulator/lag";
import { version, versionJson, versionText } from "../../model/tool-version";
import type * as pictures from "../../report/html/topology-svg";
import { resourceTypes } from "../../resources";
import { makeFolder, packageRoot, readText, writeWholeFile } from "../files";
import { sourcesOf } from "../open-target";
import {
  argument,
  choice,
  firstGiven,
  flag,
  parsed,
  pick,
  positive,
  sourceOptions,
  TypedOption,
  text,
} from "../options";
import { report, usage } from "../screen";
import { defineVerb, type Verb, type VerbFamily } from "../verb";
import { completionVerb } from "./completion";
import { readPlanFile } from "./show";

export const graphVerb = defineVerb({
  name: "graph",
  arguments: { words: argument("[planfile|stack...]") },
  scope: "one",
  others: "none",
  takesPlan: true,
  summary: "Print services and what they refer to, as DOT, Mermaid or SVG",
  detail:
    "Services are in the frames of their projects; of more than 300 each project is one node. Of a saved plan, each node " +
    "is marked with what the plan does to it: by colour and word.",
  options: {
    ...sourceOptions,
    drawnAs: choice(
      "--format <format>",
      "dot for Graphviz, mermaid for Markdown, svg for a picture",
      ["dot", "mermaid", "svg"],
      "dot",
    ),
    all: flag("--all", "in dot and mermaid every resource: variables, deployments and projects too"),
    ...pick("stage"),
  },
  examples: [
    ["rnv graph -format svg > graph.svg", "a picture, which needs no other program"],
    ["rnv graph --all | dot -Tsvg > graph.svg", "drawn by Graphviz: every resource"],
    ["rnv graph -format mermaid plan.rnvplan", "what a saved plan does, for Markdown"],
  ],
  run: async (given, run) => {
    const { target, screen } = run;
    const { planFile, files } = target;
    const other = planFile && firstGiven(given, ["files", "app", "stacks"]);
    if (other) throw usage(`a saved plan says what it is about: leave ${other} out`);
    const { drawn, diagnostics, exitCode }: Awaited<ReturnType<typeof graph>> =
      planFile === undefined
        ? await graph(sourcesOf(run), { files })
        : { ...succeeded, drawn: readPlanFile(planFile).document.plan.resource_changes };
    report(screen, diagnostics);
    if (drawn === undefined) return exitCode;
    const { graphFile } = require("../../report/html/topology-svg") as typeof pictures;
    screen.terminal.out(graphFile(drawn, resourceTypes, given.drawnAs, given));
    return exitCode;
  },
});

const schemaVerb = defineVerb({
  name: "schema",
  arguments: { name: argument("[name]", "which one (default: manifest)", [...schemaNames, "gaps"]) },
  summary: "Print a JSON Schema: of a manifest, a fleet, a plan, a drift, a state, events …",
  options: {
    fromCatalog: flag(
      "--from-catalog",
      "of a manifest, an editor offers the words of the workspace's catalog",
    ),
  },
  examples: [
    ["rnv schema > manifest.schema.json", "of the manifest, for an editor"],
    ["rnv schema manifest --from-catalog > manifest.schema.json", "with the plans and regions on offer"],
    ["rnv schema overlay", "of a file that overlays a manifest: everything optional, null takes away"],
    ["rnv schema events", "of the lines of apply -json"],
    ["rnv schema gaps", "what the platform's documents do not show: assumptions, and RNV_GAP_… settings"],
  ],
  run: async ({ name = "manifest", fromCatalog }, { context, screen: { terminal } }) => {
    // Loaded late: other verbs do not need these schemas.
    const { catalogOf, schema } = require("../../commands/schemas") as typeof schemas;
    if (fromCatalog && name !== "manifest" && name !== "overlay")
      throw usage(`the schema of ${name} has no words of the catalog`, "rnv schema manifest --from-catalog");
    const catalog = fromCatalog ? await catalogOf(context) : undefined;
    const shown = name === "gaps" ? gapList() : schema(name, catalog);
    terminal.out(`${JSON.stringify(shown, undefined, 2)}\n`);
  },
});

const emulatorVerb = defineVerb({
  name: "emulator",
  summary: "Serve the embedded platform over HTTP",
  detail: "Prints its address, workspace and key as export lines, and runs until Ctrl-C.",
  options: {
    port: parsed(
      "--port <n>",
      "port on localhost",
      (word) => (word === "0" ? 0 : positive(word)),
      8787,
      "8787",
    ),
    folder: text("--folder <dir>", "keep its data here (default: in memory)"),
    latencyMs: parsed("--latency <ms>", "wait this long before each answer", positive),
    conditions: new TypedOption<Condition[] | undefined>(
      "--with <condition...>",
      "put it into a condition: something is wrong with it, or checkouts are paid",
      undefined,
    ).choices(conditionNames),
    lag: parsed("--lag <how>", "let reads be behind writes, by time or by reads: 300ms, canvas=2reads", lags),
    readings: text("--readings <seed>", "").hideHelp(),
  },
  examples: [
    ["rnv emulator", "in memory, on port 8787"],
    [
      "rnv emulator -port 0 -folder .rnv/emulator",
      "on any free port, with the data of RNV_BASE_URL=embedded",
    ],
    ["rnv emulator -lag projects=1s,canvas=2reads", "reads that do not show yet what was just written"],
  ],
  run: async ({ port, ...behaviour }, { screen: { terminal, signal, environment } }) => {
    const { readings = environment.RNV_READINGS } = behaviour;
    const { server, workspaceId, apiKey } = await emulator(port, { ...behaviour, readings });
    terminal.out(
      `export RNV_BASE_URL=${server.url}\n` +
        `export RNV_WORKSPACE_ID=${workspaceId}\n` +
        `export RNV_API_KEY=${apiKey}\n`,
    );
    terminal.note("The embedded platform is running. Ctrl-C ends it.\n");
    if (!signal.aborted) await once(signal, "abort");
    await server.close();
  },
});

const explainVerb = defineVerb({
  name: "explain",
  arguments: { word: argument("<word>", "a field of the manifest, or the code of an error or warning") },
  summary: "Explain a field of the manifest, or the code of an error",
  detail: "A field is shown with its type, its default and what a change of it does. It needs no manifest.",
  examples: [
    ["rnv explain configuration.replicas", "a field, by its name or its path"],
    ["rnv explain lifecycle.preventDestroy", "a field of a block"],
    ["rnv explain guard.consumers", "the code of error[guard.consumers]"],
  ],
  run: async ({ word }, { screen: { terminal } }) => {
    terminal.tell(explain(word));
  },
});

const versionVerb = defineVerb({
  name: "version",
  summary: "Print the version",
  options: pick("json"),
  examples: [["rnv version -json", "for programs"]],
  run: async ({ json }, { screen: { terminal } }) => {
    terminal.out(json ? versionJson(process) : versionText(process));
  },
});

function lags(text: string): Lags {
  const parsed = parseLags(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError(
    `Write 300ms or 2reads, for some reads alone canvas=300ms,projects=2reads (${readClasses.join(", ")}).`,
  );
}

const installVerb = defineVerb({
  name: "install",
  summary: "Lay out the provider as a filesystem mirror, and print the CLI configuration",
  detail:
    "The source is rnv/rnv, under the default registry of Terraform and that of OpenTofu. The files are the same " +
    "on every platform, so one lock file serves a whole team. Node has to be on the PATH of whoever runs Terraform. " +
    "On Windows the archive of a release goes into the mirror: it needs no Node. While the provider comes from a " +
    "mirror, `cdktf deploy` needs --skip-provider-lock: otherwise it asks a registry for the provider.",
  options: {
    dir: text("--dir <dir>", "the mirror (default: ~/.terraform.d/plugins, where both look by themselves)"),
  },
  examples: [
    ["rnv terraform install", "for this user"],
    ["rnv terraform install --dir ./mirror > terraform.rc", "in a folder of a repository or a CI job"],
  ],
  run: async ({ dir: given }, { target: { cwd, environment }, screen: { terminal } }) => {
    const usual = join(environment.HOME ?? homedir(), ".terraform.d", "plugins");
    const mirror = given === undefined ? usual : resolve(cwd, given);
    const provider = readBuilt("dist/terraform/terraform-provider-rnv");
    const files = releaseFiles(version, provider, readBuilt("THIRD_PARTY_NOTICES"));
    for (const folder of mirrorFolders(version)) {
      makeFolder(join(mirror, folder));
      for (const { name, content, mode } of files)
        writeWholeFile(join(mirror, folder, name), content, { mode });
    }
    terminal.note(
      `The provider ${version} is installed in ${mirror}.\n` +
        (given === undefined
          ? "Terraform and OpenTofu look there by themselves. For other settings, the CLI configuration is:\n"
          : "Put this into ~/.terraformrc, or into a file that TF_CLI_CONFIG_FILE names:\n"),
    );
    terminal.out(cliConfiguration(mirror));
  },
});

const readBuilt = (name: string): string => readText(join(packageRoot(__dirname), name));

const importBlocksVerb = defineVerb({
  name: "import-blocks",
  scope: "one",
  summary: "Print what the state records as import blocks for Terraform and OpenTofu",
  detail:
    "Terraform then takes the same resources over; afterwards `rnv state rm` forgets them here. With --hcl the resource " +
    "blocks of the manifest are printed, too; without it, `terraform plan -generate-config-out=FILE` writes them. From " +
    "Terraform 1.16 on, each block needs the line `provider = rnv` for that plan. Take the line out afterwards. Values of " +
    "variables stay on the platform: they are written as `preserve = true`.",
  options: {
    hcl: flag("--hcl", "with the resource blocks of what the manifest declares"),
    ...sourceOptions,
    ...pick("state", "stage"),
  },
  examples: [
    [
      "rnv terraform import-blocks --hcl > main.tf",
      "a configuration whose apply imports everything and writes nothing to the platform",
    ],
  ],
  run: async ({ hcl: blocks }, { target: { files }, context, screen }) => {
    const { text, diagnostics, exitCode } = await terraformImports(context, { files, blocks });
    report(screen, diagnostics);
    if (text !== undefined) screen.terminal.out(text);
    return exitCode;
  },
});

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
  explainVerb,
  terraformVerbs,
];

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { effectOf } from "../../src/commands/explain";
import { embeddedCatalog } from "../../src/emulator/views";
import type { Catalog } from "../../src/model/catalog";
import { type ResourceType, ruleAt } from "../../src/model/resource-type";
import { snakeCase } from "../../src/model/terraform-names";
import type { Plain } from "../../src/model/value";
import { resourceTypes } from "../../src/resources";
import {
  type FieldSchema,
  innerObject,
  limitsOf,
  schemaOf,
  textOf,
  withoutNull,
} from "../types/construct-props";

const manifestFolder = join(__dirname, "../../examples/manifest");

const opening = `# Fields of a manifest

Every field that \`rnv.yaml\` may hold. [examples/manifest/rnv.yaml](../../examples/manifest/rnv.yaml) uses each of them once. Editors
know them from the JSON Schema (\`rnv schema\`), those of \`rnv.config.ts\` from its [types](#in-typescript).

Only what is written is managed. A default is what the platform uses if you write nothing; its catalog decides. \`null\` sets a field to
its default. \`\${env.NAME}\` inserts a value of the environment, and \`\${service.shop.api.url}\` a field of another resource, in any
text.

<!-- Written by \`npm run docs\` from the resource types. -->
`;

/** The page of all fields, from the resource types and the example. */
export function manifestReference(): string {
  const example = parse(readFileSync(join(manifestFolder, "rnv.yaml"), "utf8"), { merge: true }) as Block;
  return [opening, topLevel, ...resourceTypes.map((type) => section(type, example)), sources, shared].join(
    "\n",
  );
}

type Block = Readonly<Record<string, unknown>>;

const topLevel = `## At the top

| Key | Meaning | Example |
|---|---|---|
| \`version\` | The version of the format. 1 is the only one | \`version: 1\` |
| \`projects\`, \`services\` | Projects with their services; services outside of projects | see below |
| \`stages\` | Places where the same manifest runs ([stages](stages.md)) | \`staging: { overlay: stages/staging.yaml }\` |
| \`variableGroups\` | Named groups of variables for \`variablesFrom\`. A generated value of a group is another one in each service | \`common: { LOG_LEVEL: info }\` |
| \`moved\` | Resources that have a new address ([rename](change.md#rename)) | \`[{ from: service.shop.web, to: service.shop.api }]\` |
| \`removed\` | Addresses whose deletion is confirmed ([remove](change.md#remove)) | \`[service.shop.worker]\` |
| \`outputs\` | Named values for \`rnv output\` | \`apiUrl: \${service.shop.api.url}\` |
| \`x-…\` | rnv does not read it, here and in every block: use it for anchors | \`x-node: &node { runtime: node }\` |
`;

const sources = `## Values of variables

| Written as | The value is |
|---|---|
| \`info\` | this text; quote numbers |
| \`{ value: info, sensitive: false }\` | this text, which is no secret: plans, comments and the state show it |
| \`{ fromEnv: NAME }\` | a variable of the environment of the run |
| \`{ fromFile: PATH }\` | a file in the project, or below \`RNV_SECRET_DIRS\`, without its last newline |
| \`{ fromCommand: [PROGRAM, …], env: [NAME], json: /POINTER }\` | the output of a program. If several variables name it, it runs once. \`env\` lists the variables that it may read, \`json\` selects a value of its output |
| \`{ generate: { length: 32 } }\` | generated when rnv creates the variable, for each service its own |
| \`{ preserve: true }\` | not managed: the variable exists and keeps its value |
`;

const shared = `## In services and projects

| Key | Meaning | Default | Example |
|---|---|---|---|
| \`lifecycle.preventDestroy\` | Refuses every plan that would destroy it. The state remembers it | \`false\` | \`true\` |
| \`lifecycle.ignoreChanges\` | Fields that are not compared and not updated | none | \`[configuration.replicas]\` |
| \`lifecycle.onRemove\` | What happens when it leaves the manifest: \`delete\`, \`archive\` (services) or \`retain\` | \`delete\` | \`archive\` |
| \`lifecycle.precondition\` | Conditions of the plan, written as in [policies](policies.md). If one fails, nothing is applied (exit 4) | none | \`[{ condition: service.configuration.replicas >= 2, message: two replicas }]\` |
| \`lifecycle.postcondition\` | Conditions that hold when the apply has finished. If one fails, exit 7; nothing is undone | none | \`[{ condition: service.healthStatus == "ready", message: not healthy }]\` |
| \`import\` | The ID of the live resource to adopt | none | \`import: 7f9c0e4a-5d0e-4f44-9f3c-0a4c3a1f2b6d\` |
| \`dependsOn\` (services) | Order only: services that are created, deployed and settled before this one, and destroyed after it. If one fails, this one is skipped until the next apply. A cycle is an error | none | \`[service.shop.migrate]\` |
| \`variablesFrom\` (services) | Groups and dotenv files. Later ones win, and its own variables over all; \`null\` leaves one out | none | \`[{ group: common }, { dotenv: api.env }]\` |

## In TypeScript

\`rnv.config.ts\` (\`.mts\`, \`.mjs\`, \`.js\`) exports the same manifest by default. rnv reads it where there is no \`rnv.yaml\`, or by
\`-f FILE.ts\`; YAML files may overlay it.

\`\`\`ts
import { defineManifest, type Manifest } from "terraform-provider-rnv";

export default defineManifest(({ stage, environment }): Manifest => ({
  stages: { production: { protect: true }, staging: {} },
  services: {
    api: { kind: "web", configuration: { replicas: stage?.name === "production" ? 2 : 1, region: environment.SHOP_REGION } },
  },
}));
\`\`\`

- \`stage\` is \`{ name, id? }\`. It is undefined where no stage is named, as for \`rnv stage list\`. \`environment\` holds the variables of
  the run, without the credentials of rnv.
- The project's \`tsx\` runs the file if it is installed; else Node 22.18 or later does, without \`enum\` and with endings in imports.
- It runs once for a stage, in a process of its own, for at most 60 s. What it prints goes to standard error. It is
  [no sandbox](../explain/secrets.md): \`--untrusted\` and \`RNV_ALLOW_COMMANDS=0\` refuse it.
- Its value is read as JSON. \`undefined\` is left out; NaN, Infinity, functions, dates, maps and cycles are errors. A mistake names
  its path: \`projects.shop.services.api.kind\`.
- [examples/typescript](../../examples/typescript) makes three environments of one function; \`rnv init --typescript\` writes a first file.
`;

function section(type: ResourceType, example: Block): string {
  const { properties = {}, required = [] } = schemaOf(type.schema);
  const defaults = type.defaults(embeddedCatalog as unknown as Catalog);
  const rows = Object.entries(properties).flatMap(([key, schema]) => {
    if (!type.groups.includes(key))
      return [row(type, key, schema, { defaults, example, isNeeded: required.includes(key) })];
    const inner = schema.properties ?? innerObject(schema)?.properties ?? {};
    return Object.entries(inner).map(([field, one]) =>
      row(type, `${key}.${field}`, one, { defaults, example, isNeeded: false }),
    );
  });
  const { key, within, shape } = type.manifest;
  const where = within.map((one) => (one === "root" ? "at the top" : `in a ${one}`)).join(" and ");
  const names = shape === "map" ? `\`${key}: { NAME: … }\`` : `\`${key}: …\``;
  return `## ${type.type}: \`${key}\`

${type.doc} Written ${where}: ${names}.

| Field | Meaning | Type | Default | A change | Example |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

interface RowContext {
  readonly defaults: ReadonlyMap<string, Plain>;
  readonly example: Block;
  readonly isNeeded: boolean;
}

function row(
  type: ResourceType,
  path: string,
  schema: FieldSchema,
  { defaults, example, isNeeded }: RowContext,
): string {
  const rule = ruleAt(type, path);
  const isSecret = rule?.secret === true;
  const limits = limitsOf(schema);
  const written = textOf(withoutNull(schema))
    .replaceAll(" | Resolvable", "")
    .replaceAll("readonly ", "")
    .replace("(string | Readonly<Record<string, unknown>>)[]", "string[]");
  const fallback = defaults.get(path);
  const cells = [
    `\`${path}\`${isNeeded ? " (required)" : ""}`,
    [withoutCells(schema.description ?? ""), limits].filter((text) => text !== "").join(" "),
    isSecret ? "secret text" : written,
    fallback === undefined ? "" : code(fallback),
    effectOf(path, type).replace(", without a deployment", "").replace("deploys the service", "deploys"),
    code(exampleOf(type, path, example)),
  ];
  return `| ${cells.map((text) => text.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

/** Removes the sentences that other cells of the row say. */
const withoutCells = (description: string): string =>
  description
    .replace(
      / (?:A change of it deploys nothing|A change is a replacement|Another one is a replacement)\./,
      "",
    )
    .replace(/ Default: (?:`[^`]*`|empty)\./, "");

const code = (value: unknown): string =>
  value === undefined ? "" : `\`${typeof value === "string" ? value || '""' : JSON.stringify(value)}\``;

/** The first value of a field that the example manifest has. Throws where it has none. */
function exampleOf(type: ResourceType, path: string, example: Block): unknown {
  for (const block of blocksOf(type, example)) {
    if (typeof block !== "object" || block === null || isSource(block)) {
      if (type.manifest.shorthand === path) return block;
      continue;
    }
    const value = path.split(".").reduce<unknown>((at, step) => (at as Block | undefined)?.[step], block);
    if (value !== undefined) return value;
  }
  throw new Error(`examples/manifest/rnv.yaml has no ${path} of a ${snakeCase(type.type)}`);
}

const isSource = (block: object): boolean =>
  ["fromEnv", "fromFile", "fromCommand", "generate"].some((key) => key in block);

function blocksOf(type: ResourceType, example: Block): readonly unknown[] {
  const { key, within, shape } = type.manifest;
  const holders = within.flatMap((one): readonly unknown[] => {
    const parent = resourceTypes.find((candidate) => candidate.type === one);
    return parent === undefined ? [example] : blocksOf(parent, example);
  });
  return holders.flatMap((holder) => {
    const found = (holder as Block | null)?.[key];
    if (found === undefined || found === null) return [];
    return shape === "map" ? Object.values(found as Block) : [found];
  });
}

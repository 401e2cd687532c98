import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { embeddedCatalog } from "../src/emulator/views";
import type { Catalog } from "../src/model/catalog";
import { type ResourceType, ruleAt } from "../src/model/resource-type";
import { snakeCase } from "../src/model/text";
import type { Plain } from "../src/model/value";
import { resourceTypes } from "../src/resources";
import {
  effectOf,
  type FieldSchema,
  innerObject,
  limitsOf,
  schemaOf,
  textOf,
  withoutNull,
} from "./construct-props";

export const manifestFolder = join(__dirname, "../examples/manifest");

const opening = `# Fields of a manifest

Every field that \`rnv.yaml\` may hold. [examples/manifest/rnv.yaml](../../examples/manifest/rnv.yaml) uses each of them once. Editors
know them from the JSON Schema (\`rnv schema\`).

Only what is written is managed. A default is what the platform uses if you write nothing; its catalog decides. \`null\` sets a field to
its default. \`\${env.NAME}\` inserts a value of the environment, and \`\${service.shop.api.url}\` a field of another resource, in any
text.

<!-- Written by \`npm run docs:cli\` from the resource types. -->
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

| Key | What it is | Example |
|---|---|---|
| \`version\` | Version of the format; 1 is the only one | \`version: 1\` |
| \`projects\`, \`services\` | Projects with their services; services outside of projects | see below |
| \`stages\` | Places where the same manifest runs: \`overlay\`, \`workspace\`, \`state\`, \`protect\`, \`each\`, \`disposable\`, \`expires\` | \`staging: { overlay: stages/staging.yaml }\` |
| \`variableGroups\` | Named groups of variables, which services take by \`variablesFrom\` | \`common: { LOG_LEVEL: info }\` |
| \`moved\` | Resources that are declared under a new address | \`[{ from: service.shop.web, to: service.shop.api }]\` |
| \`removed\` | Deletions that are confirmed by name, where they are reviewed | \`[service.shop.worker]\` |
| \`outputs\` | Named values for \`rnv output\` | \`apiUrl: \${service.shop.api.url}\` |
| \`x-…\` | Free, here and in every block: rnv does not read it. A place for anchors | \`x-node: &node { runtime: node }\` |
`;

const sources = `## Values of variables

| Written as | What it is |
|---|---|
| \`info\` | Text in the manifest; quote numbers |
| \`{ fromEnv: NAME }\` | A variable of the environment of the run |
| \`{ fromFile: PATH }\` | A file in the project, or below \`RNV_SECRET_DIRS\`, without the newline at its end |
| \`{ fromCommand: [PROGRAM, …], env: [NAME], json: /POINTER }\` | What a program prints; the same one runs once a run. \`env\` names what it is given of the environment, \`json\` the place of the value in its output |
| \`{ generate: { length: 32 } }\` | Made up when the variable is created |
| \`{ preserve: true }\` | It exists at the service, and its value is not ours to set |
`;

const shared = `## In services and projects

| Key | What it is | Default | Example |
|---|---|---|---|
| \`lifecycle.preventDestroy\` | Refuse every plan that would delete it; also kept in the state | \`false\` | \`true\` |
| \`lifecycle.ignoreChanges\` | Fields that are neither compared nor sent on update | none | \`[configuration.replicas]\` |
| \`lifecycle.onRemove\` | What becomes of it when it is no longer declared: \`delete\`, \`archive\` (services) or \`retain\` | \`delete\` | \`archive\` |
| \`lifecycle.precondition\` | What must hold of it as planned, in the language of [policies](policies.md): a list of conditions with the message of each; while one fails nothing is applied (exit 4) | none | \`[{ condition: service.configuration.replicas >= 2, message: two replicas }]\` |
| \`lifecycle.postcondition\` | What must hold of it once an apply has settled, with what the service computes; while one fails apply ends with exit 7, and nothing is undone | none | \`[{ condition: service.healthStatus == "ready", message: not healthy }]\` |
| \`import\` | Id of the live thing to take over | none | \`import: 7f9c0e4a-5d0e-4f44-9f3c-0a4c3a1f2b6d\` |
| \`variablesFrom\` (services) | Groups and dotenv files whose variables it takes; later ones win, and its own over all; \`null\` leaves one out | none | \`[{ group: common }, { dotenv: api.env }]\` |
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

| Field | What it is | Type | Default | A change | Example |
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
  const written = textOf(withoutNull(schema)).replaceAll(" | Resolvable", "").replaceAll("readonly ", "");
  const fallback = defaults.get(path);
  const cells = [
    `\`${path}\`${isNeeded ? " (needed)" : ""}`,
    [withoutCells(schema.description ?? ""), limits].filter((text) => text !== "").join(" "),
    isSecret ? "secret text" : written,
    fallback === undefined ? "" : code(fallback),
    effectOf(path, type),
    code(exampleOf(type, path, example)),
  ];
  return `| ${cells.map((text) => text.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

/** What other cells of the row say. */
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

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gapList } from "../../src/commands/schema-names";
import { partsOf, wireFields } from "./wire-fields";

const folder = resolve(__dirname, "../../schemas");

interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** The page of the JSON Schemas: the first level of each file that programs read or write. */
export function schemasPage(): string {
  const names = readdirSync(folder).map((file) => file.replace(".schema.json", ""));
  return `# JSON Schemas

Each schema is a file of the package, \`node_modules/terraform-provider-rnv/schemas/NAME.schema.json\`, and is printed by
\`rnv schema NAME\`. This page shows the first level of each. The fields of a manifest: [manifest](manifest.md).
Which command prints which document: [JSON for programs](json.md).

${names.map(schemaSection).join("\n")}`;
}

function schemaSection(name: string): string {
  const schema = JSON.parse(readFileSync(join(folder, `${name}.schema.json`), "utf8")) as JsonSchema;
  const forms = (schema.oneOf ?? schema.anyOf ?? [schema]).map(({ properties = {}, required = [] }) => {
    const rows = Object.entries(properties).map(
      ([key, value]) =>
        `| \`${key}\` | ${typeOf(value)} | ${required.includes(key) ? "yes" : ""} | ${cell(value.description ?? value.anyOf?.[0]?.description ?? "")} |\n`,
    );
    const event = properties.type?.const;
    const label = event === undefined ? "" : `An event of type \`${event}\`:\n\n`;
    return `${label}| key | type | required | meaning |\n|---|---|---|---|\n${rows.join("")}`;
  });
  return `## ${name}\n\n\`${schema.title}\`. ${schema.description}.\n\n${forms.join("\n")}`;
}

function typeOf({ const: only, type = "", anyOf, $ref }: JsonSchema): string {
  if (only !== undefined) return code(JSON.stringify(only));
  if ($ref !== undefined) return "object";
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" \\| ");
  return cell([type].flat().join(" | "));
}

/** A row for each comment: the answer, its fields, and the sentence or the gap that gives their meaning. */
function fieldRows(): string {
  const rows = new Map<string, string[]>();
  for (const { schema, name, meaning } of wireFields()) {
    const { sentences, gaps } = partsOf(meaning);
    const links = gaps.map((gap) => `Gap [${gap}](#${gap.replaceAll(" ", "-")}).`);
    const words = schema.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const row = `| ${words} | FIELDS | ${cell([...sentences, ...links].join(" "))} |\n`;
    rows.set(row, [...(rows.get(row) ?? []), `\`${name}\``]);
  }
  return [...rows].map(([row, names]) => row.replace("FIELDS", [...new Set(names)].join(", "))).join("");
}

/** The page of the settings for facts that the documents of the platform leave open. */
export function gapsPage(): string {
  const sections = gapList().map(({ name, assumption, verifiedBy, fallback, settings }) => {
    const rows = settings.map(
      (setting) =>
        `| \`${setting.variable}\` | ${code(setting.default)} | ${cell(setting.expected)} | ${code(setting.example)} |\n`,
    );
    const table = `\n| setting | default | takes | example |\n|---|---|---|---|\n${rows.join("")}`;
    return `## ${name}

- Assumed: ${assumption}
- Checked by: ${verifiedBy}
- Otherwise: ${fallback}
${settings.length > 0 ? table : ""}`;
  });
  return `# Settings for undocumented facts

The documents of the platform leave some facts open. rnv assumes each, checks it and has a fallback. If an error names one of these
settings, set it in the environment. \`rnv schema gaps\` prints the assumptions and the settings as JSON. The last section lists
the fields of answers that rnv reads, each with the sentence of those documents, or the assumption, that says what it means.

${sections.join("\n")}
## Fields of answers

Other fields are ignored. The settings below \`configuration\` are those of a [manifest](manifest.md).

| answer | fields | meaning |
|---|---|---|
${fieldRows()}`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const code = (text: string): string => (text === "" ? "" : `\`${cell(text)}\``);

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { terraformNameOf } from "../../src/model/terraform-names";
import { resourceTypes } from "../../src/resources";
import type { Message } from "../../src/terraform/protocol";
import { importForm, importIds } from "../../src/terraform/resource/resource-state";
import { type FeatureName, features, needed, tried, versionTable } from "./minimum-versions";
import {
  type FunctionMessage,
  type ProviderParts,
  providerParts,
  type SchemaMessage,
} from "./provider-schema";
import { schemaSection, typeWords } from "./schema-section";

/** Examples of pages, in the folders and by the names of their pages. */
export const examplesFolder = resolve(__dirname, "../../examples/pages");

/** A kind of objects of the provider: the folder of its pages, its name in titles, the feature of Terraform that it needs. */
interface Kind {
  readonly folder: string;
  readonly title: string;
  readonly feature?: FeatureName;
}

const kinds = {
  resources: { folder: "resources", title: "Resource" },
  dataSources: { folder: "data-sources", title: "Data Source" },
  ephemeralResources: { folder: "ephemeral-resources", title: "Ephemeral Resource", feature: "ephemeral" },
  listResources: { folder: "list-resources", title: "List Resource", feature: "lists" },
  actions: { folder: "actions", title: "Action", feature: "actions" },
} as const satisfies Readonly<Record<string, Kind>>;

/** Folders below `docs` whose pages are all written here. Guides are written by hand. */
export const writtenFolders: readonly string[] = [
  ...Object.values(kinds).map(({ folder }) => folder),
  "functions",
];

/** The reference of the provider in the registries' layout, by path below `docs`: made from the answers to Terraform. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const parts = await providerParts();
  const pages = new Map<string, string>([["index.md", indexPage(parts)]]);
  for (const [key, kind] of Object.entries(kinds) as [keyof typeof kinds, Kind][])
    for (const [name, schema] of parts[key]) {
      const path = `${kind.folder}/${name.replace(/^rnv_/, "")}`;
      pages.set(`${path}.md`, schemaPage({ name, schema, kind, path, identity: parts.identities.get(name) }));
    }
  for (const [name, message] of parts.functions)
    pages.set(`functions/${name}.md`, functionPage(name, message));
  return pages;
}

interface PageHead {
  readonly title: string;
  readonly description: string;
  readonly heading: string;
  readonly doc: string;
}

function pageHead({ title, description, heading, doc }: PageHead): string {
  const matter = [
    `page_title: ${JSON.stringify(title)}`,
    'subcategory: ""',
    "description: |-",
    `  ${description}`,
  ];
  return `---\n${matter.join("\n")}\n---\n\n# ${heading}\n\n${doc}\n\n`;
}

/** Returns the first sentence, in one line. */
const firstSentence = (text: string): string =>
  /^.*?\.(?=\s|$)/s.exec(text)?.[0].replaceAll("\n", " ") ?? text;

const purpose =
  "Projects, services, encrypted variables, deployments and canvas layouts of the rnv hosting service.";

function indexPage(parts: ProviderParts): string {
  const block = parts.provider.block ?? {};
  const doc = `${purpose} ${block.description}`;
  const head = pageHead({ title: "Provider: rnv", description: purpose, heading: "rnv Provider", doc });
  const versions = `## Versions\n\nThe first version that has each:\n\n${versionTable(offered(parts))}\n${tried}`;
  // Registries refuse a category of the first page.
  const inNoCategory = head.replace('subcategory: ""\n', "");
  return `${inNoCategory}${exampleSection("index")}${schemaSection(block)}\n${versions}`;
}

/** Features of the language that the provider has a use for. */
function offered({ listResources, actions, identities }: ProviderParts): readonly FeatureName[] {
  const isOffered: Partial<Record<FeatureName, boolean>> = {
    identity: identities.size > 0,
    lists: listResources.size > 0,
    actions: actions.size > 0,
    actionEvents: actions.size > 0,
  };
  return (Object.keys(features) as FeatureName[]).filter((name) => isOffered[name] ?? true);
}

interface SchemaPage {
  readonly name: string;
  readonly schema: SchemaMessage;
  readonly kind: Kind;
  readonly path: string;
  readonly identity: Message<"IdentitySchema"> | undefined;
}

const keyNote =
  "-> A key is unique in its service: `create_before_destroy` can never replace a variable within its service.\n";

const nameNote =
  "-> With `create_before_destroy`, a replacement needs another `name`: the new resource exists beside the old one.\n";

/** Says where `create_before_destroy` cannot work. */
const replacementNotes: Readonly<Record<string, string>> = {
  rnv_project: nameNote,
  rnv_service: nameNote,
  rnv_variable: keyNote,
  rnv_variables: keyNote,
};

function schemaPage({ name, schema: { block }, kind, path, identity }: SchemaPage): string {
  const doc = block?.description ?? "";
  const head = pageHead({
    title: `${name} ${kind.title} - rnv`,
    description: firstSentence(doc),
    heading: `${name} (${kind.title})`,
    doc,
  });
  const isWriteOnly = (block?.attributes ?? []).some(({ writeOnly }) => writeOnly);
  const notes = [
    kind.feature && needed(kind.feature),
    isWriteOnly && kind.feature === undefined ? needed("writeOnly", "Write-only attributes need") : undefined,
    kind === kinds.resources ? replacementNotes[name] : undefined,
  ].filter((one) => one !== undefined);
  const imports = kind === kinds.resources ? importSection(name, identity) : "";
  return `${head}${notes.map((one) => `${one}\n`).join("")}${exampleSection(path)}${schemaSection(block ?? {})}${imports}`;
}

function functionPage(name: string, message: FunctionMessage): string {
  const doc = message.description ?? "";
  const head = pageHead({
    title: `${name} function - rnv`,
    description: firstSentence(message.summary ?? doc),
    heading: `function: ${name}`,
    doc,
  });
  const typeOf = (bytes: Uint8Array | undefined): string =>
    typeWords(JSON.parse(Buffer.from(bytes ?? []).toString("utf8")));
  const parameters = (message.parameters ?? []).map((one) => ({ ...one, words: typeOf(one.type) }));
  const given = parameters.map((one) => `${one.name} ${one.words.toLowerCase()}`).join(", ");
  const rows = parameters.map(
    (one, index) =>
      `${index + 1}. \`${one.name}\` (${one.words}${one.allowNullValue ? ", Nullable" : ""}) ${one.description}\n`,
  );
  return (
    `${head}${needed("functions")}\n${exampleSection(`functions/${name}`)}` +
    `## Signature\n\n\`\`\`text\n${name}(${given}) ${typeOf(message.return?.type).toLowerCase()}\n\`\`\`\n\n` +
    `## Arguments\n\n${rows.join("")}`
  );
}

/** Returns the example of a page, or nothing where nobody has written one: a test asks for it. */
function exampleSection(path: string): string {
  const file = join(examplesFolder, `${path}.tf`);
  if (!existsSync(file)) return "";
  return `## Example Usage\n\n\`\`\`terraform\n${readFileSync(file, "utf8").trimEnd()}\n\`\`\`\n\n`;
}

function importSection(name: string, identity: SchemaPage["identity"]): string {
  const resource = resourceTypes.find((one) => terraformNameOf(one) === name);
  // The map of variables is the only resource without a type of rnv: it is imported as its service is.
  const id = resource === undefined ? "PROJECT/SERVICE" : importForm(resource);
  const ids = resource === undefined ? "the id of its service" : importIds(resource);
  const block = (text: string): string =>
    `\`\`\`terraform\nimport {\n  to = ${name}.example\n${text}}\n\`\`\`\n\n`;
  return (
    `\n## Import\n\nBy ${ids}, or by names. With an \`import\` block (${versionsOf("importBlocks")}):\n\n` +
    block(`  id = "${id}"\n`) +
    `On the command line:\n\n\`\`\`shell\nterraform import ${name}.example '${id}'\n\`\`\`\n` +
    (id.startsWith("PROJECT/")
      ? "\nOf a service outside of a project the names begin with `SERVICE`.\n"
      : "") +
    (identity === undefined ? "" : identitySection(identity, block))
  );
}

function identitySection(
  { attributes = [] }: Message<"IdentitySchema">,
  block: (text: string) => string,
): string {
  const rows = attributes.map(
    ({ name, type, description, requiredForImport }) =>
      `- \`${name}\` (${typeWords(JSON.parse(Buffer.from(type ?? []).toString("utf8")))}${requiredForImport ? "" : ", Optional"}) ${description}\n`,
  );
  const given = attributes.filter(({ requiredForImport }) => requiredForImport);
  const width = Math.max(...given.map(({ name = "" }) => name.length));
  const uuid = "00000000-0000-4000-8000-000000000000";
  const values = given.map(({ name = "" }) => `    ${name.padEnd(width)} = "${uuid}"\n`);
  return (
    `\n### Identity\n\nWith Terraform ${features.identity.terraform} or newer, by its identity:\n\n` +
    `${block(`  identity = {\n${values.join("")}  }\n`)}${rows.join("")}`
  );
}

const versionsOf = (name: FeatureName): string =>
  `Terraform ${features[name].terraform}, OpenTofu ${features[name].openTofu}`;

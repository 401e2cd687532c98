import type { Message } from "../../src/terraform/protocol";

type Block = Message<"Block">;
type Attribute = Message<"Attribute">;

/** A type as the protocol carries it: `["list", "string"]`. */
type TypeText = string | readonly [string, unknown];

/** The fields of an object, described under a heading of their own. */
interface Nested {
  readonly path: readonly string[];
  readonly text: string;
}

/** Returns the section `## Schema` of a page, in the form of the registries: required, optional and read-only fields. */
export function schemaSection(block: Block): string {
  return `## Schema\n\n${blockText(block, [], "###") || "It has no settings.\n"}`;
}

function blockText(block: Block, path: readonly string[], heading: string): string {
  const attributes = block.attributes ?? [];
  const nested: Nested[] = [];
  const lines = (wanted: (one: Attribute) => boolean): readonly string[] =>
    attributes.filter(wanted).map((one) => attributeLine(one, path, nested));
  const blocks = (block.blockTypes ?? []).map(({ typeName = "", block: inner }) => {
    const own = [...path, typeName];
    nested.push({ path: own, text: blockText(inner as Block, own, "") });
    return `- \`${typeName}\` (Block) ${sentence(inner?.description)} ${seeBelow(own)}`;
  });
  const sections = [
    ["Required", lines(({ required }) => required === true)],
    ["Optional", [...lines(({ optional }) => optional === true), ...blocks]],
    ["Read-Only", lines(({ required, optional }) => !required && !optional)],
  ] as const;
  const own = sections
    .filter(([, rows]) => rows.length > 0)
    .map(
      ([title, rows]) => `${heading === "" ? `${title}:` : `${heading} ${title}`}\n\n${rows.join("\n")}\n`,
    );
  const below = nested.map(
    (one) =>
      `<a id="${anchorOf(one.path)}"></a>\n### Nested Schema for \`${one.path.join(".")}\`\n\n${one.text}`,
  );
  return [...own, ...below].join("\n");
}

function attributeLine(attribute: Attribute, path: readonly string[], nested: Nested[]): string {
  const { name = "", description, sensitive, writeOnly } = attribute;
  const type = JSON.parse(Buffer.from(attribute.type ?? []).toString("utf8")) as TypeText;
  const traits = [typeWords(type), sensitive ? "Sensitive" : "", writeOnly ? "Write-only" : ""];
  const own = [...path, name];
  const isDeep = addNested(type, own, nested);
  return `- \`${name}\` (${traits.filter((one) => one !== "").join(", ")}) ${sentence(description)}${isDeep ? ` ${seeBelow(own)}` : ""}`;
}

/** Adds the fields of the object that a type holds, and those of objects in them. */
function addNested(type: TypeText, path: readonly string[], nested: Nested[]): boolean {
  const fields = fieldsOf(type);
  if (fields === undefined) return false;
  const inner: Nested[] = [];
  const rows = Object.entries(fields).map(([name, field]) => {
    const own = [...path, name];
    const isDeep = addNested(field, own, inner);
    return `- \`${name}\` (${typeWords(field)})${isDeep ? ` ${seeBelow(own)}` : ""}\n`;
  });
  nested.push({ path, text: rows.join("") }, ...inner);
  return true;
}

function fieldsOf(type: TypeText): Readonly<Record<string, TypeText>> | undefined {
  if (typeof type === "string") return undefined;
  const [kind, of] = type;
  if (kind === "object") return of as Readonly<Record<string, TypeText>>;
  return kind === "tuple" ? undefined : fieldsOf(of as TypeText);
}

const words: Readonly<Record<string, string>> = {
  string: "String",
  number: "Number",
  bool: "Boolean",
  dynamic: "Dynamic",
  object: "Object",
  tuple: "Tuple",
  list: "List",
  set: "Set",
  map: "Map",
};

/** Returns a type in the registries' words: `List of Object`. */
export function typeWords(type: TypeText): string {
  if (typeof type === "string") return words[type] ?? type;
  const [kind, of] = type;
  const isWhole = kind === "object" || kind === "tuple";
  return `${words[kind] ?? kind}${isWhole ? "" : ` of ${typeWords(of as TypeText)}`}`;
}

const sentence = (text: string | undefined): string => (text ?? "").replaceAll("\n", " ");
const anchorOf = (path: readonly string[]): string => `nestedschema--${path.join("--")}`;
const seeBelow = (path: readonly string[]): string => `(see [below for nested schema](#${anchorOf(path)}))`;

import { manifestJsonSchema } from "../../src/manifest/schema";
import type { ResourceType } from "../../src/model/resource-type";
import { resourceTypes } from "../../src/resources";
import { docOf, type FieldSchema, innerObject, knownWords, schemaOf } from "./construct-props";

interface ManifestSchema extends FieldSchema {
  readonly $ref?: string;
  readonly pattern?: string;
  readonly allOf?: readonly ManifestSchema[];
  readonly anyOf?: readonly ManifestSchema[];
  readonly items?: ManifestSchema;
  readonly properties?: Readonly<Record<string, ManifestSchema>>;
  readonly additionalProperties?: ManifestSchema | boolean;
  readonly patternProperties?: object;
  readonly definitions?: Readonly<Record<string, ManifestSchema>>;
}

/** A field of a resource type by its path: its documentation, and the words that editors offer. */
interface Described {
  readonly type: ResourceType;
  readonly path: string;
}

const header = `// Written by the build from the schema of manifests and the resource types.
import type { StageName } from "../../model/stage";

/** Text with \`\${…}\` in place of a number, a flag or a word. */
export type Interpolation = \`\${string}\\\${\${string}}\${string}\`;

/** Input of a function that makes a manifest. */
export interface ManifestInput {
  /** The stage that is asked for; undefined where the manifest is read for no stage, as \`rnv stage list\` does. */
  readonly stage?: StageName | undefined;
  /** Variables of the environment, without credentials of rnv. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Keys of the objects among the options of a type. */
type KeysOf<Shape> = Shape extends object ? keyof Shape : never;
/** The type that a key has in these. */
type Part<Shape, Key> = Shape extends object ? (Key extends keyof Shape ? Shape[Key] : never) : never;

/** The type of a value in which keys that \`Shape\` lacks hold nothing: compilers look for them in literals alone. */
type Closed<Given, Shape> = unknown extends Shape
  ? Given
  : Given extends readonly (infer Item)[]
    ? readonly Closed<Item, Part<Shape, number>>[]
    : Given extends object
      ? {
          readonly [Key in keyof Given]: Key extends KeysOf<Shape>
            ? Closed<Given[Key], Part<Shape, Key>>
            : undefined;
        }
      : Given;

/** The same for a manifest, or for the promise of a manifest. */
type ClosedResult<Made> = Made extends Promise<infer Given>
  ? Promise<Closed<Given, Manifest>>
  : Closed<Made, Manifest>;

/** A value of one option of a union: it has no key of another option. */
type OneOf<Shape, All = Shape> = Shape extends object
  ? Shape & { readonly [Key in Exclude<KeysOf<All>, keyof Shape>]?: undefined }
  : Shape;

/**
 * Checks a manifest of \`rnv.config.ts\`, or a function that makes it for a stage.
 * @example
 * const manifest = defineManifest({
 *   projects: { shop: { services: { api: { kind: "web", configuration: { replicas: 2 } } } } },
 * });
 */
export function defineManifest<const Given extends Manifest, const Made extends Manifest | Promise<Manifest>>(
  given:
    | Manifest
    // Compilers name the mistake by this function; by the other they infer from returns of several shapes.
    | ((input: ManifestInput) => (Given & Closed<Given, Manifest>) | Promise<Given & Closed<Given, Manifest>>)
    | ((input: ManifestInput) => Made & ClosedResult<Made>),
): Manifest | ((input: ManifestInput) => Manifest | Promise<Manifest>) {
  return given;
}
`;

/** The source of the types of a manifest in TypeScript, with a JSDoc for each member. */
export function manifestTypes(): string {
  const schema = manifestJsonSchema(resourceTypes) as ManifestSchema;
  const { definitions = {} } = schema;
  const source: Source = { definitions, blocks: new Map() };
  for (const [name, definition] of Object.entries(definitions)) {
    const type = resourceTypes.find((one) => one.type === name);
    declare(source, nameOf(name), definition, type && { type, path: "" });
  }
  declare(source, "Manifest", schema);
  return [header, ...source.blocks.values()].join("\n");
}

/** Blocks that their schemas do not describe. */
const descriptions: Readonly<Record<string, string>> = {
  ManifestStage: "A place where the manifest runs.",
};

const nameOf = (word: string): string => `Manifest${word.charAt(0).toUpperCase()}${word.slice(1)}`;

interface Source {
  readonly definitions: Readonly<Record<string, ManifestSchema>>;
  /** The declarations by their names. */
  readonly blocks: Map<string, string>;
}

function declare(source: Source, name: string, schema: ManifestSchema, described?: Described): void {
  const said = schema.description ?? schema.anyOf?.[0]?.description ?? descriptions[name];
  const doc = said === undefined ? "" : `/** ${said} */\n`;
  const text =
    schema.properties === undefined
      ? `type ${name} = ${unionOf(source, schema)};`
      : `interface ${name} ${objectText(source, schema, described)}`;
  source.blocks.set(name, `${doc}export ${text}\n`);
}

function unionOf(source: Source, schema: ManifestSchema, described?: Described, key?: string): string {
  const parts = [...new Set(partsOf(source, schema, described, key))];
  const takesText = parts.includes("string") || parts.includes("(string & {})");
  const union = parts.filter((part) => !takesText || part !== "Interpolation").join(" | ");
  return shapesIn(source, schema) > 1 ? `OneOf<${union}>` : union;
}

/** The number of options of a union that are objects with keys of their own. */
function shapesIn(source: Source, { $ref, anyOf = [], properties }: ManifestSchema): number {
  if (properties !== undefined) return 1;
  const options =
    $ref === undefined ? anyOf : [source.definitions[$ref.slice("#/definitions/".length)] ?? {}];
  return options.reduce((sum, option) => sum + shapesIn(source, option), 0);
}

/** The parts of the union that a schema is; an object that has a block of its own under `key` is named. */
function partsOf(
  source: Source,
  schema: ManifestSchema,
  described?: Described,
  key?: string,
): readonly string[] {
  const { $ref, allOf, anyOf, type, pattern, items = {} } = schema;
  const within = (inner: ManifestSchema): readonly string[] =>
    partsOf(source, { description: schema.description, ...inner }, described, key);
  if ($ref !== undefined) return [nameOf($ref.slice("#/definitions/".length))];
  // The last part describes a bare value.
  if (allOf !== undefined) return allOf.slice(-1).flatMap(within);
  if (anyOf !== undefined) return anyOf.flatMap(within);
  if (Array.isArray(type)) return type.flatMap((one: string) => within({ ...schema, type: one }));
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words !== undefined) return words.map((word) => JSON.stringify(word));
  if (type === "integer") return ["number"];
  if (type === "array") return [`readonly (${unionOf(source, items)})[]`];
  if (type === "object" && schema.patternProperties !== undefined && key !== undefined) {
    const name = nameOf(key.replace(/s$/, ""));
    declare(source, name, schema, described);
    return [name];
  }
  if (type === "object") return [objectText(source, schema, described, key)];
  if (type !== "string") return [typeof type === "string" ? type : "unknown"];
  if (pattern?.startsWith("\\$\\{")) return ["Interpolation"];
  const known = described === undefined ? [] : knownWords(described.type, described.path);
  // Any text is allowed; editors offer the known words.
  return known.length === 0 ? ["string"] : [...known.map((word) => JSON.stringify(word)), "(string & {})"];
}

function objectText(
  source: Source,
  { properties, required = [], additionalProperties, patternProperties }: ManifestSchema,
  described?: Described,
  key?: string,
): string {
  if (properties === undefined) {
    const isTyped = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0;
    return `Readonly<Record<string, ${isTyped ? `${unionOf(source, additionalProperties, undefined, key)} | undefined` : "unknown"}>>`;
  }
  const members = Object.entries(properties).map(([name, inner]) => {
    const at = described && { ...described, path: [described.path, name].filter(Boolean).join(".") };
    const reference = (inner.allOf ?? inner.anyOf)?.[0]?.$ref ?? "";
    const named = source.definitions[reference.slice("#/definitions/".length)] ?? inner;
    const doc =
      (at && fieldDoc(at)) ?? inner.description ?? named.description ?? named.anyOf?.[0]?.description;
    const opening = doc === undefined ? "" : `/** ${doc.replaceAll("*/", "* /")} */\n`;
    const text = unionOf(source, inner, at, name);
    return required.includes(name)
      ? `${opening}readonly ${name}: ${text};`
      : `${opening}readonly ${name}?: ${text} | undefined;`;
  });
  if (patternProperties !== undefined)
    members.push("/** rnv does not read it. */\nreadonly [key: `x-${string}`]: unknown;");
  return `{\n${members.join("\n").replace(/^/gm, "  ")}\n}`;
}

/** The documentation of a field of a resource type; undefined for a key that is none. */
function fieldDoc({ type, path }: Described): string | undefined {
  const [first = "", inner] = path.split(".");
  const outer = schemaOf(type.schema).properties?.[first];
  const field =
    inner === undefined || outer === undefined
      ? outer
      : (outer.properties ?? innerObject(outer)?.properties)?.[inner];
  return field && docOf(path, field, type);
}

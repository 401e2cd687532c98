import { codeMeanings } from "../diagnostics/codes";
import { failure } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { manifestJsonSchema } from "../manifest/schema";
import { type ResourceType, ruleAt } from "../model/resource-type";
import { escapeText, quoteText } from "../report/escape-text";
import { isDeployed, resourceTypes, typeNamed } from "../resources";

/** `rnv explain`: returns the documentation of a manifest field or a diagnostic code. Throws `DiagnosticsError` for any other word. */
export function explain(word: string): string {
  if (Object.hasOwn(codeMeanings, word))
    return `${word}\n\n${codeMeanings[word as keyof typeof codeMeanings]}\n`;
  const fields = manifestFields();
  const named = fields.filter((field) => namesOf(field).includes(word));
  if (named.length > 0) return named.map(fieldText).join("\n");
  const known = [...Object.keys(codeMeanings), ...fields.flatMap(namesOf)];
  throw failure("command.usage", `${quoteText(word)} is neither a field of the manifest nor a code`, {
    hint: didYouMean(word, known) ?? "rnv explain configuration.replicas, or rnv explain guard.consumers",
  });
}

interface FieldSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly allOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: FieldSchema | boolean;
}

interface Field {
  /** The type of the block that it is written in; undefined at the top of the manifest. */
  readonly type?: ResourceType | undefined;
  /** `configuration.replicas`, `lifecycle.preventDestroy`, `stages.overlay`. */
  readonly path: string;
  readonly schema: FieldSchema;
}

function manifestFields(): readonly Field[] {
  const { definitions, ...manifest } = manifestJsonSchema(resourceTypes) as FieldSchema & {
    readonly definitions: Readonly<Record<string, FieldSchema>>;
  };
  const referred = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);
  const found = new Map<string, Field>();
  const walk = (schema: FieldSchema, type: ResourceType | undefined, path: string): void => {
    const { $ref, description, properties = {}, additionalProperties, items } = schema;
    const { anyOf = [], allOf = [] } = schema;
    const name = `${type?.type ?? ""} ${path}`;
    if (path !== "" && description !== undefined && !found.has(name)) found.set(name, { type, path, schema });
    const definition = $ref === undefined ? undefined : definitions[referred($ref)];
    // A block of a resource is described by itself.
    if (definition && !typeNamed(referred($ref ?? ""))) walk(definition, type, path);
    for (const [key, one] of Object.entries(properties))
      walk(one, type, path === "" ? key : `${path}.${key}`);
    const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
    for (const one of [...values, ...(items ? [items] : []), ...anyOf, ...allOf]) walk(one, type, path);
  };
  walk(manifest, undefined, "");
  for (const type of resourceTypes) walk(definitions[type.type] ?? {}, type, "");
  return [...found.values()];
}

/** Returns the words by which a field is asked for: `replicas`, `configuration.replicas`, `service.configuration.replicas`. */
const namesOf = ({ type, path }: Field): readonly string[] => [
  path.slice(path.lastIndexOf(".") + 1),
  path,
  ...(type ? [`${type.type}.${path}`, `${type.manifest.key}.${path}`] : []),
];

function fieldText({ type, path, schema }: Field): string {
  const effect = type && ruleAt(type, path) && (effectOf(path, type) || "takes effect with the next apply");
  const kind = type && ruleAt(type, path)?.secret ? "secret text" : typeText(schema);
  const change = effect ? `  a change  ${effect}\n` : "";
  const title = type ? `${type.type}.${path}, written in ${blockOf(type)}` : path;
  return `${title}\n\n${escapeText(schema.description ?? "")}\n\n  type      ${kind}\n${change}`;
}

const blockOf = ({ manifest: { key, shape } }: ResourceType): string =>
  shape === "map" ? `${key}: { NAME: { … } }` : `${key}: { … }`;

function typeText({ type, enum: values, const: only, items, anyOf }: FieldSchema): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(", ");
  if (only !== undefined) return JSON.stringify(only);
  const options =
    anyOf ?? (Array.isArray(type) ? type.map((one): FieldSchema => ({ type: one, items })) : undefined);
  if (options !== undefined) {
    // Almost every value may be a placeholder, such as ${stage.name}.
    const own = options.filter(({ pattern = "" }) => !pattern.startsWith("\\$"));
    const texts = own.map(typeText).filter((text) => text !== "null" && text !== "");
    return [...new Set(texts)].join(" or ");
  }
  if (type === "array") return `list of ${items === undefined ? "values" : typeText(items)}`;
  if (type === "object") return "block";
  return type === "string" ? "text" : String(type ?? "any value");
}

/** Returns the effect of a change of a field, for its documentation; may be empty. */
export function effectOf(path: string, type: ResourceType): string {
  const rule = ruleAt(type, path);
  if (type.groups.includes(path) || rule === undefined) return "";
  const billing = rule.effects?.includes("billing") ? " and may change the price" : "";
  if (rule.change === "replace") return "replaces it";
  if (rule.change === "local") return "is not sent";
  if (rule.takesEffect) return `takes effect at once, without a deployment${billing}`;
  return isDeployed(type) ? `deploys the service${billing}` : "";
}

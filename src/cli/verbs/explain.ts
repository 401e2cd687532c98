import { Argument } from "commander";
import * as z from "zod";
import { codeMeanings } from "../../diagnostics/codes";
import { failure } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { type ResourceType, ruleAt } from "../../model/resource-type";
import { escapeText, quoteText } from "../../report/escape-text";
import { resourceTypes } from "../../resources";
import type { Verb } from "./verb";

export const explainVerb: Verb = {
  usage: "explain",
  arguments: [new Argument("<word>", "a field of the manifest, or the code of an error or warning")],
  summary: "Explain a field of the manifest, or the code of an error",
  detail: "A field is shown with its type, its default and what a change of it does. It needs no manifest.",
  examples: [
    ["rnv explain configuration.replicas", "a field, by its name or its path"],
    ["rnv explain deploy.commit", "a field of a block"],
    ["rnv explain guard.consumers", "the code of error[guard.consumers]"],
  ],
  handler: async ({ positional, terminal }) => {
    const [word = ""] = positional as readonly [string?];
    terminal.out(explanationOf(word));
  },
};

function explanationOf(word: string): string {
  if (Object.hasOwn(codeMeanings, word))
    return `${word}\n\n${codeMeanings[word as keyof typeof codeMeanings]}\n`;
  const named = fields().filter(({ type, path }) => namesOf(type, path).includes(word));
  if (named.length > 0) return named.map(fieldText).join("\n");
  const known = [...Object.keys(codeMeanings), ...fields().flatMap(({ type, path }) => namesOf(type, path))];
  throw failure("command.usage", `${quoteText(word)} is neither a field of the manifest nor a code`, {
    hint: didYouMean(word, known) ?? "rnv explain configuration.replicas, or rnv explain guard.consumers",
  });
}

/** A schema as JSON Schema says it, as far as a line of text needs it. */
interface FieldSchema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

interface Field {
  readonly type: ResourceType;
  readonly path: string;
  readonly schema: FieldSchema;
}

const fields = (): readonly Field[] => resourceTypes.flatMap(fieldsOf);

function fieldsOf(type: ResourceType): readonly Field[] {
  const shape = z.toJSONSchema(type.schema, { io: "input", unrepresentable: "any" });
  const { properties = {} } = shape as FieldSchema;
  return Object.entries(properties).flatMap(([key, schema]) => {
    const inner = type.groups.includes(key) ? propertiesOf(schema) : undefined;
    return inner === undefined
      ? [{ type, path: key, schema }]
      : Object.entries(inner).map(([name, one]) => ({ type, path: `${key}.${name}`, schema: one }));
  });
}

const propertiesOf = ({ properties, anyOf = [] }: FieldSchema): FieldSchema["properties"] =>
  properties ?? anyOf.find((one) => one.properties)?.properties;

/** Returns the words by which a field is asked for: `replicas`, `configuration.replicas`, `service.configuration.replicas`. */
const namesOf = ({ type, manifest }: ResourceType, path: string): readonly string[] => [
  path.slice(path.lastIndexOf(".") + 1),
  path,
  `${type}.${path}`,
  `${manifest.key}.${path}`,
];

function fieldText({ type, path, schema }: Field): string {
  const rows = [
    ["type", ruleAt(type, path)?.secret ? "secret text" : typeText(schema)],
    ["a change", effectOf(path, type) || "takes effect with the next apply"],
  ].map(([name = "", text]) => `  ${name.padEnd(10)}${text}\n`);
  const { key, shape } = type.manifest;
  const written = shape === "map" ? `${key}: { NAME: { … } }` : `${key}: { … }`;
  return `${type.type}.${path}, written in ${written}\n\n${escapeText(schema.description ?? type.doc)}\n\n${rows.join("")}`;
}

function typeText({ type, enum: values, items, anyOf }: FieldSchema): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(", ");
  const options =
    anyOf ?? (Array.isArray(type) ? type.map((one): FieldSchema => ({ type: one, items })) : undefined);
  if (options !== undefined) {
    const texts = options.map(typeText).filter((text) => text !== "null" && text !== "");
    return [...new Set(texts)].join(" or ");
  }
  if (type === "array") return `list of ${items === undefined ? "values" : typeText(items)}`;
  return type === "string" ? "text" : String(type ?? "any value");
}

/** Returns what a change of a field does, for its documentation; empty where it needs no words. */
export function effectOf(path: string, type: ResourceType): string {
  const rule = ruleAt(type, path);
  if (type.groups.includes(path) || rule === undefined) return "";
  const billing = rule.effects?.includes("billing") ? " and may change the price" : "";
  if (rule.change === "replace") return "replaces it";
  if (rule.change === "local") return "is not sent";
  if (rule.takesEffect) return `takes effect at once, without a deployment${billing}`;
  const isDeployed = resourceTypes.some(
    ({ runs, parents, follows }) =>
      runs && (follows.includes(type.type) || parents.some((parent) => parent.type === type.type)),
  );
  return isDeployed ? `deploys the service${billing}` : "";
}

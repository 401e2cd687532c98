import * as z from "zod";
import { type ResourceType, ruleAt } from "../src/model/resource-type";
import { resourceTypes } from "../src/resources";

/** A JSON Schema, as far as fields use it. */
interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: FieldSchema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** Secrets have a class of their own in a program. */
const secretType = "string | SecretSource";

const header = `// Written by \`npm run props\` from the resource types; test/unit/cdktf/props.test.ts holds it current.
import type { Resolvable } from "./resolvable";
import type { SecretSource } from "./secrets";
`;

/** The source of the interfaces of props and attributes of the constructs, with a JSDoc for each member. */
export const constructProps = (): string => [header, ...resourceTypes.map(interfacesOf)].join("\n");

function interfacesOf(type: ResourceType): string {
  const { properties = {}, required = [] } = schemaOf(type.schema);
  const name = capitalized(type.type);
  const groups = Object.entries(properties).filter(([key]) => type.groups.includes(key));
  const members = Object.entries(properties).map(([key, schema]) => {
    const isGroup = type.groups.includes(key);
    const text = isGroup ? `${name}${capitalized(key)}` : typeOf(schema, type, key);
    return member(key, docOf(key, schema, type), text, required.includes(key));
  });
  const inGroups = groups.map(([key, schema]) => {
    const fields = Object.entries(schema.properties ?? innerObject(schema)?.properties ?? {}).map(
      ([field, inner]) =>
        member(field, docOf(`${key}.${field}`, inner, type), typeOf(inner, type, `${key}.${field}`), false),
    );
    return block(
      `${name}${capitalized(key)}`,
      schema.description ?? `The \`${key}\` of a ${type.type}.`,
      fields,
    );
  });
  const attributes = Object.entries(type.computed).map(([key, { doc, valueType, movesByItself }]) => ({
    moves: movesByItself === true,
    text: member(key, doc, valueType === "string" || valueType === "number" ? valueType : "Resolvable", true),
  }));
  const settled = attributes.filter(({ moves }) => !moves).map(({ text }) => text);
  const moving = attributes.filter(({ moves }) => moves).map(({ text }) => text);
  const whole = `${name}Readings extends ${name}Attributes`;
  return [
    ...inGroups,
    block(`${name}Fields`, `Fields of a ${type.type}. ${type.doc}`, members),
    block(`${name}Attributes`, `Attributes of a ${type.type} that the service decides, as tokens.`, settled),
    ...(moving.length === 0 || type.removedWithParent
      ? []
      : [block(whole, "Those that move by themselves too: a data source reads them.", moving)]),
  ].join("\n");
}

const schemaOf = (schema: z.ZodType): FieldSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as FieldSchema;

const innerObject = ({ anyOf = [] }: FieldSchema): FieldSchema | undefined =>
  anyOf.find(({ properties }) => properties !== undefined);

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const block = (name: string, doc: string, members: readonly string[]): string =>
  `/** ${doc} */\nexport interface ${name} {\n${members.join("\n")}\n}\n`;

const member = (key: string, doc: string, type: string, isNeeded: boolean): string =>
  `  /** ${doc.replaceAll("*/", "* /")} */\n  readonly ${key}${isNeeded ? "" : "?"}: ${type};`;

/** What it is, its limits, and what a change of it does. */
function docOf(path: string, schema: FieldSchema, type: ResourceType): string {
  // What the description says of a change, the rule says too.
  const description = (schema.description ?? "").replace(
    / (?:A change of it deploys nothing|A change is a replacement|Another one is a replacement)\./,
    "",
  );
  const said = [description, limitsOf(schema), effectOf(path, type)];
  return said.filter((text) => text !== "").join(" ");
}

function limitsOf(schema: FieldSchema): string {
  const { minimum, maximum, maxLength, maxItems } = withoutNull(schema);
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  const numbers =
    least !== undefined && most !== undefined
      ? `${least} to ${most}.`
      : least !== undefined
        ? `At least ${least}.`
        : most !== undefined
          ? `At most ${most}.`
          : "";
  const length = maxLength === undefined ? "" : `At most ${maxLength} characters.`;
  const items = maxItems === undefined ? "" : `At most ${maxItems} of them.`;
  return [numbers, length, items].filter((text) => text !== "").join(" ");
}

function effectOf(path: string, type: ResourceType): string {
  if (type.groups.includes(path)) return "";
  const rule = ruleAt(type, path);
  if (rule === undefined) return "";
  const billing = rule.effects?.includes("billing") ? " and may change the price" : "";
  if (rule.change === "replace") return "A change deletes it and makes it anew.";
  if (rule.change === "local") return "It is not sent.";
  if (rule.takesEffect) return `A change takes effect at once, without a deployment${billing}.`;
  return type.type === "service" || type.type === "variable" ? `A change deploys the service${billing}.` : "";
}

/** `null` stands for the default in a manifest; a program leaves the field out. */
function withoutNull(schema: FieldSchema): FieldSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.find((one) => one !== "null") };
  const others = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const [only] = others;
  return others.length === 1 && only ? { ...schema, anyOf: undefined, ...only } : schema;
}

function typeOf(schema: FieldSchema, type: ResourceType, path: string): string {
  if (ruleAt(type, path)?.secret === true) return secretType;
  return textOf(withoutNull(schema));
}

function textOf(schema: FieldSchema): string {
  const choices = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== "null");
  if (choices !== undefined && choices.length > 0) return [...new Set(choices.map(textOf))].join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (schema.type === "boolean") return "boolean | Resolvable";
  if (schema.type === "number" || schema.type === "integer") return "number";
  if (schema.type === "array") return `readonly ${bracketed(textOf(schema.items ?? {}))}[]`;
  if (schema.type === "object") return objectText(schema);
  return schema.type === "string" ? "string" : "unknown";
}

const bracketed = (text: string): string => (text.includes("|") ? `(${text})` : text);

function objectText({ properties, required = [], additionalProperties }: FieldSchema): string {
  if (properties === undefined && typeof additionalProperties === "object")
    return `Readonly<Record<string, ${textOf(additionalProperties)}>>`;
  const members = Object.entries(properties ?? {}).map(
    ([key, inner]) => `readonly ${key}${required.includes(key) ? "" : "?"}: ${textOf(withoutNull(inner))}`,
  );
  return `{ ${members.join("; ")} }`;
}

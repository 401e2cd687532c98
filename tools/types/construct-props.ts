import * as z from "zod";
import { documentedDefaults } from "../../src/api/wire/shapes";
import { effectOf } from "../../src/commands/explain";
import type { Listing } from "../../src/model/listing-schemas";
import { type ResourceType, ruleAt } from "../../src/model/resource-type";
import { providerSettings, timeoutNames } from "../../src/model/terraform-names";
import { resourceTypes } from "../../src/resources";
import { listingName, listingsBesideCatalog, lookupInterfaces } from "./construct-classes";

/** A JSON Schema, as far as fields use it. */
export interface FieldSchema {
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

/** Fields of a service that take one of some words, of which the interface shows the default. */
const choices: ReadonlySet<string> = new Set([
  "autoDeploy",
  "buildMethod",
  "cacheProfile",
  "evictionPolicy",
  "notifications",
  "previewMode",
  "scaling",
  "sourceType",
]);

/** Secrets have a class of their own in a program. */
const secretType = "string | Resolvable | SecretSource";

const header = `// Written by the build from the resource types.
import type { InProject, Kept, KeptMembers, OfService, Resolvable, ResourceMembers } from "../constructs";
import type { SecretSource } from "../secret-source";
`;

/** The source of the interfaces of props and attributes of the constructs, with a JSDoc for each member. */
export const constructProps = (): string =>
  [
    header,
    timeouts(),
    ...resourceTypes.map(interfacesOf),
    ...listingsBesideCatalog.map(listingInterfaces),
    variablesInterfaces(),
    lookupInterfaces(),
    providerConfig(),
  ].join("\n");

/** The types of the constructs on cdktn: those on cdktf, with the name of the library. */
export const constructsOnCdktn = (onCdktf: string): string =>
  onCdktf
    .replace(/\bcdktf\b/g, "cdktn")
    .replace(/^\/\/ The build writes .*$/m, "// Written by the build from `../cdktf.ts`.")
    .replace(/ from "\.\/(generated\/)?/g, (_, isBeside) => ` from "${isBeside ? "./" : "../"}`);

/** A field of a construct, with the types that a program writes and reads. */
interface Field {
  readonly key: string;
  readonly doc: string;
  /** The type of its prop. */
  readonly given: string;
  /** The type of a reference to it. */
  readonly token: string;
  readonly isNeeded: boolean;
  /** A resource type always has one: its construct stands in. */
  readonly isNamed?: boolean;
}

function interfacesOf(type: ResourceType): string {
  const { properties = {}, required = [] } = schemaOf(type.schema);
  const name = capitalized(type.type);
  const isGroup = (key: string): boolean => type.groups.includes(key);
  const fields = Object.entries(properties).map(([key, schema]) => ({
    ...fieldOf(key, key, schema, type),
    isNeeded: required.includes(key),
    ...(isGroup(key) && { given: `${name}${capitalized(key)}` }),
  }));
  const plain = fields.filter(({ key }) => !isGroup(key));
  const parents = type.parents.map(({ type: of, attribute }) => parentField(of, attribute, type));
  const groups = Object.entries(properties).filter(([key]) => isGroup(key));
  const members = [...plain, ...parents].flatMap(fieldMembers);
  const groupMembers = fields.filter(({ key }) => isGroup(key)).flatMap(membersOfGroup);
  return [
    ...groups.flatMap(([key, schema]) => groupInterfaces(key, schema, type)),
    block(`${name}Fields${baseOf(type)}`, `Fields of a ${type.type}. ${type.doc}`, fields.map(prop)),
    block(
      `${name}Properties extends ${name}Attributes, ${type.removedWithParent ? "ResourceMembers" : "KeptMembers"}`,
      `Fields of a ${type.type} as its construct has them: read, they are references; \`…Input\` is what the program gave.`,
      [...members, ...groupMembers, ...membersOfGroup(timeoutsField)],
    ),
    ...attributesOf(type, name, fields),
    pathsOf(type, name),
  ].join("\n");
}

/** The props of a type besides its fields: how it is kept, and its parents. */
function baseOf({ parents, removedWithParent }: ResourceType): string {
  const bases = [
    ...(removedWithParent ? [] : ["Kept"]),
    ...parents.map(({ type }) => (type === "project" ? "InProject" : "OfService")),
  ];
  return bases.length === 0 ? "" : ` extends ${bases.join(", ")}`;
}

/** The fields that `ignoreChanges` may name, each by its path. */
function pathsOf({ type, groups, rules }: ResourceType, name: string): string {
  const paths = [...Object.keys(rules), ...groups].sort().map((path) => `  | ${JSON.stringify(path)}`);
  return `/** A field of a ${type} by its path. */\nexport type ${name}Path =\n${paths.join("\n")};\n`;
}

/** The props of a group, and the object that a construct has for it. */
function groupInterfaces(key: string, schema: FieldSchema, type: ResourceType): readonly string[] {
  const name = `${capitalized(type.type)}${capitalized(key)}`;
  const doc = schema.description ?? `The \`${key}\` of a ${type.type}.`;
  const inner = Object.entries(schema.properties ?? innerObject(schema)?.properties ?? {});
  const fields = inner.map(([field, one]) => fieldOf(field, `${key}.${field}`, one, type));
  const shown = fields.map(({ key: field, doc: said, token }) => member(field, said, token, true));
  return [
    block(name, doc, fields.map(prop)),
    block(
      `${name}OutputReference extends Resolvable`,
      `${doc} Read, its fields are references; set, they are written.`,
      fields.flatMap(fieldMembers),
    ),
    ...(type.removedWithParent
      ? []
      : [block(`${name}Readings extends Resolvable`, `${doc} As a data source shows it.`, shown)]),
  ];
}

/** Returns the fields that the service decides, or that a data source shows. */
function attributesOf(type: ResourceType, name: string, fields: readonly Field[]): readonly string[] {
  const attributes = Object.entries(type.computed).map(([key, { doc, valueType, movesByItself }]) => ({
    moves: movesByItself === true,
    text: member(key, doc, valueType === "string" || valueType === "number" ? valueType : "Resolvable", true),
  }));
  const settled = attributes.filter(({ moves }) => !moves).map(({ text }) => text);
  const moving = attributes.filter(({ moves }) => moves).map(({ text }) => text);
  const doc = `Attributes of a ${type.type} that the service decides, as tokens.`;
  const decided = block(`${name}Attributes`, doc, settled);
  if (type.removedWithParent) return [decided];
  const parents = type.parents.map(({ type: of, attribute }) => parentField(of, attribute, type));
  const lookups = [type.nameAttribute, ...parents.map(({ key }) => key)];
  const shown = [...fields, ...parents].flatMap((field) => {
    if (lookups.includes(field.key)) return fieldMembers({ ...field, isNeeded: false, isNamed: false });
    const token = type.groups.includes(field.key) ? `${field.given}Readings` : field.token;
    return [member(field.key, field.doc, token, true)];
  });
  const byId = fieldMembers({ key: "id", doc: "", given: "string", token: "string", isNeeded: false }).slice(
    1,
  );
  return [
    decided,
    block(
      `${name}Readings extends ${name}Attributes`,
      `A ${type.type} as a data source shows it, with what moves by itself.`,
      [...shown, ...byId, ...moving],
    ),
  ];
}

function fieldOf(key: string, path: string, schema: FieldSchema, type: ResourceType): Field {
  const isSecret = ruleAt(type, path)?.secret === true;
  const given = typeOf(schema, type, path);
  return {
    ...{ key, doc: docOf(path, schema, type), given, isNeeded: false },
    token: isSecret ? "string" : tokenOf(withoutNull(schema)),
    isNamed: path === type.nameAttribute,
  };
}

const parentField = (parent: string, key: string, { manifest }: ResourceType): Field => ({
  ...{ key, doc: `ID of its ${parent}.`, given: "string", token: "string" },
  isNeeded: !manifest.within.includes("root"),
});

function tokenOf(schema: FieldSchema): string {
  const type = textOf(schema);
  if (type === "number") return "number";
  if (type.endsWith("[]")) return "string[]";
  const isText = schema.type === "string" && schema.const === undefined;
  return isText ? "string" : "Resolvable";
}

/** A field as a member of props. */
const prop = ({ key, doc, given, isNeeded }: Field): string => member(key, doc, given, isNeeded);

/** A field as the libraries' bindings have it: a property to read and set, its input, and its reset. */
function fieldMembers({ key, doc, given, token, isNeeded, isNamed }: Field): readonly string[] {
  const said = doc.replaceAll("*/", "* /");
  // Compilers before 5.1 insist that an accessor takes the type that it returns.
  const written =
    /^("[^"]*" \| )+\(string & \{\}\)$/.test(given) || given.includes(token) ? given : `${token} | ${given}`;
  const property =
    given === token
      ? [`  /** ${said} */\n  ${key}: ${token};`]
      : [`  /** ${said} */\n  get ${key}(): ${token};`, `  set ${key}(value: ${written});`];
  const input = member(
    `${key}Input`,
    `What the program gave as \`${key}\`.`,
    isNamed || (isNeeded && token !== given) ? given : `${given} | undefined`,
    true,
  );
  const back = isNamed ? "It is the name of the construct again." : "It is left out again.";
  const reset = `  /** ${back} */\n  reset${capitalized(key)}(): void;`;
  return [...property, input, ...(isNeeded ? [] : [reset])];
}

/** A group as the libraries' bindings have it. */
const membersOfGroup = ({ key, doc, given }: Field): readonly string[] => [
  member(key, doc, `${given}OutputReference`, true),
  member(`${key}Input`, `What the program gave as \`${key}\`.`, `${given} | undefined`, true),
  `  /** Writes these fields in place of those before. */\n  put${capitalized(key)}(value: ${given}): void;`,
  `  /** It is left out again. */\n  reset${capitalized(key)}(): void;`,
];

/** Several variables of one service in a map: `rnv_variables`, which is no type of its own for rnv. */
function variablesInterfaces(): string {
  const values: Field = {
    key: "values",
    doc: "Values by name: text (or tokens), or secret sources. A change deploys the service.",
    given: 'VariablesFields["values"]',
    token: "Resolvable",
    isNeeded: false,
  };
  const serviceId = {
    ...values,
    key: "serviceId",
    doc: "ID of its service.",
    given: "string",
    token: "string",
  };
  const attributes = [
    member("id", "ID of the service.", "string", true),
    member("ids", "IDs of the variables by name.", "Resolvable", true),
    member("updatedAt", "When each of them last changed.", "Resolvable", true),
  ];
  const map = `Readonly<Record<string, ${secretType}>>`;
  return [
    block("VariablesFields extends OfService", "Fields of several variables of one service.", [
      member("values", values.doc, map, true),
    ]),
    block(
      "VariablesProperties extends VariablesAttributes, ResourceMembers",
      "Fields of several variables as their construct has them.",
      [
        ...fieldMembers(values),
        ...fieldMembers({ ...serviceId, isNeeded: true }),
        ...membersOfGroup(timeoutsField),
      ],
    ),
    block(
      "VariablesAttributes",
      "Attributes of several variables, for Terraform only: rnv reads each variable for itself.",
      attributes,
    ),
  ].join("\n");
}

const timeoutFields: readonly Field[] = timeoutNames.map((key) => ({
  key,
  doc: `How long to wait for the service to ${key} it, such as \`45m\`.`,
  ...{ given: "string", token: "string", isNeeded: false },
}));

const timeoutsField: Field = {
  ...{ key: "timeouts", doc: "How long to wait for the service.", given: "Timeouts", token: "Resolvable" },
  isNeeded: false,
};

const timeouts = (): string =>
  [
    block("Timeouts", "How long to wait for the service.", timeoutFields.map(prop)),
    block(
      "TimeoutsOutputReference extends Resolvable",
      "How long to wait for the service. Set, its fields are written.",
      timeoutFields.flatMap(fieldMembers),
    ),
  ].join("\n");

/** Returns the interfaces of a listing: its query and its fields. */
function listingInterfaces([terraformName, { doc, query, shows, texts = [] }]: [string, Listing]): string {
  const name = listingName(terraformName);
  const asked = Object.entries(query).map(([key, { doc: said, type, isNeeded = false }]) => ({
    ...{ key, doc: said, given: type, token: type, isNeeded },
  }));
  const shown = Object.entries(shows).map(([key, said]) =>
    member(key, said, texts.includes(key) ? "string" : "Resolvable", true),
  );
  return [
    ...(asked.length === 0 ? [] : [block(`${name}Query`, doc, asked.map(prop))]),
    block(`${name}Listed`, doc, [...asked.flatMap(fieldMembers), ...shown]),
  ].join("\n");
}

function providerConfig(): string {
  const fields = providerSettings.map(({ name, type, doc, isSensitive }) => {
    const given = isSensitive ? secretType : type === "boolean" ? "boolean | Resolvable" : type;
    return { key: name, doc, given, isNeeded: false };
  });
  const alias = "Its name where a stack has several; for Terraform only.";
  fields.push({ key: "alias", doc: alias, given: "string", isNeeded: false });
  const members = fields.flatMap(({ key, doc, given }) => [
    `  /** ${doc} */\n  ${key}: ${given} | undefined;`,
    member(`${key}Input`, `What the program gave as \`${key}\`.`, `${given} | undefined`, true),
    `  /** It is left out again. */\n  reset${capitalized(key)}(): void;`,
  ]);
  return [
    block(
      "ProviderFields",
      "Settings of the provider. What is left out comes from the environment.",
      fields.map(({ key, doc, given }) => member(key, doc, given, false)),
    ),
    block("ProviderProperties", "Settings of the provider as its construct has them.", members),
  ].join("\n");
}

export const schemaOf = (schema: z.ZodType): FieldSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as FieldSchema;

export const innerObject = ({ anyOf = [] }: FieldSchema): FieldSchema | undefined =>
  anyOf.find(({ properties }) => properties !== undefined);

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const block = (name: string, doc: string, members: readonly string[]): string =>
  `/** ${doc} */\nexport interface ${name} {\n${members.join("\n")}\n}\n`;

const member = (key: string, doc: string, type: string, isNeeded: boolean): string =>
  `  /** ${doc.replaceAll("*/", "* /")} */\n  readonly ${key}${isNeeded ? "" : "?"}: ${type};`;

/** Returns the description of a field, its limits, and the effect of a change. */
export function docOf(path: string, schema: FieldSchema, type: ResourceType): string {
  // The rule says the effect of a change too.
  const description = (schema.description ?? "").replace(
    / (?:A change of it deploys nothing|A change is a replacement|Another one is a replacement)\./,
    "",
  );
  const said = [description, limitsOf(schema), effectSentence(path, type)];
  return said.filter((text) => text !== "").join(" ");
}

export function limitsOf(schema: FieldSchema): string {
  const { minimum, maximum, maxLength, maxItems } = withoutNull(schema);
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  const numbers =
    least !== undefined && most !== undefined
      ? `From ${least} to ${most}.`
      : least !== undefined
        ? `At least ${least}.`
        : most !== undefined
          ? `At most ${most}.`
          : "";
  const length = maxLength === undefined ? "" : `At most ${maxLength} characters.`;
  const items = maxItems === undefined ? "" : `At most ${maxItems} of them.`;
  return [numbers, length, items].filter((text) => text !== "").join(" ");
}

/** The effect of a change as a sentence; empty where it needs no words. */
function effectSentence(path: string, type: ResourceType): string {
  const effect = effectOf(path, type);
  return effect === "" ? "" : effect === "is not sent" ? "It is not sent." : `A change ${effect}.`;
}

/** `null` stands for the default in a manifest; a program leaves the field out. */
export function withoutNull(schema: FieldSchema): FieldSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.find((one) => one !== "null") };
  const others = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const [only] = others;
  return others.length === 1 && only ? { ...schema, anyOf: undefined, ...only } : schema;
}

function typeOf(schema: FieldSchema, type: ResourceType, path: string): string {
  const rule = ruleAt(type, path);
  if (rule?.secret === true) return secretType;
  const known = knownWords(type, path).map((one) => `${JSON.stringify(one)} | `);
  // Any text is allowed; editors offer the known words.
  if (known.length > 0) return `${known.join("")}(string & {})`;
  return textOf(withoutNull(schema));
}

/** The words that the interface shows for a field of text. */
export function knownWords(type: ResourceType, path: string): readonly unknown[] {
  const field = path.replace(/^configuration\./, "");
  const shown = choices.has(field) ? [documentedDefaults[field as keyof typeof documentedDefaults]] : [];
  return ruleAt(type, path)?.known ?? shown;
}

export function textOf(schema: FieldSchema): string {
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

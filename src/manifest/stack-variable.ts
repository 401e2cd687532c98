import { terraformPrefix } from "../model/terraform-name";
import type { ScalarNode, SourceNode } from "./source-tree";
import { commentOf, type Entry, type Program, type ReadJson, rangeOf, type Site } from "./stack";
import { isObject, type Json, type JsonObject } from "./stack-document";
import { StackProblem, undeclared, unsupported } from "./stack-problem";
import { markSensitive } from "./stack-text";

/**
 * The value of `var.name`: the source in its comment, RNV_VAR_name, TF_VAR_name, or its default. An empty variable of the
 * environment is none: CI makes one of every setting that nobody made.
 */
export function readVariable(name: string, site: Site, program: Program, read: ReadJson): SourceNode {
  const entry = site.stack.variables.get(name);
  if (entry === undefined) throw undeclared(`var.${name}`, name, site.stack.variables.keys(), program);
  const body = isObject(entry.value) ? entry.value : {};
  const source = commentOf(body, terraformPrefix)?.source;
  if (isObject(source)) return secretSource(source, entry, site, program, read);
  return body.sensitive === true
    ? markSensitive(sensitiveValue(name, body, entry, site, program, read))
    : { ...plainValue(name, body, entry, site, program, read), range: rangeOf(site) };
}

/** The source as a manifest would write it: `{ fromEnv: NAME }`. */
function secretSource(
  source: JsonObject,
  { place }: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const at = place.at("//").at(terraformPrefix).at("source");
  const node = read(source, { ...site, place: at, source: "" }, program);
  return markSensitive({ ...node, range: rangeOf(site) });
}

/** Its text goes straight from the environment into a Secret, by way of no value of ours. */
function sensitiveValue(
  name: string,
  body: JsonObject,
  entry: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const range = rangeOf(site);
  const variable =
    environmentName(name, program) ?? (body.default === undefined ? `RNV_VAR_${name}` : undefined);
  if (variable === undefined) return { ...readDefault(body, entry, site, program, read), range };
  if (program.fillIn && isUnset(program.environment[variable])) throw withoutValue(name, program);
  const part = { kind: "env" as const, name: variable, source: `\${var.${name}}`, range };
  return { kind: "scalar", value: "", parts: [part], range };
}

function plainValue(
  name: string,
  body: JsonObject,
  entry: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const variable = environmentName(name, program);
  const type = typeof body.type === "string" ? body.type : impliedType(body.default);
  if (variable !== undefined) {
    const value = fromText(program.environment[variable] as string, type, variable);
    // Text of the environment is no template.
    const literal =
      typeof value === "string" ? value.replaceAll("${", () => "$${").replaceAll("%{", "%%{") : value;
    return convert(read(literal, { ...site, source: "" }, program), type);
  }
  if (body.default === undefined) throw withoutValue(name, program);
  return convert(readDefault(body, entry, site, program, read), type);
}

const impliedType = (value: Json | undefined): string =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "bool" : "any";

const readDefault = (
  body: JsonObject,
  { place }: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode => read(body.default ?? null, { ...site, place: place.at("default"), source: "" }, program);

function withoutValue(name: string, { environment }: Program): StackProblem {
  const empty = namesOf(name).find((variable) => environment[variable] === "");
  const why = empty === undefined ? "" : `: ${empty} is empty`;
  const hint = `set RNV_VAR_${name} (or TF_VAR_${name})${empty === undefined ? "" : "; its default may be an empty text"}`;
  return new StackProblem("manifest.env_missing", `the variable ${name} has no value${why}`, hint);
}

const namesOf = (name: string): readonly string[] => [`RNV_VAR_${name}`, `TF_VAR_${name}`];

const isUnset = (text: string | undefined): boolean => text === undefined || text === "";

const environmentName = (name: string, { environment }: Program): string | undefined =>
  namesOf(name).find((variable) => !isUnset(environment[variable]));

function fromText(text: string, type: string, variable: string): Json {
  if (type === "string" || type === "any") return text;
  if (type === "bool" && (text === "true" || text === "false")) return text === "true";
  if (type === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return Number(text);
  if (type !== "bool" && type !== "number") {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw new StackProblem(
        "manifest.invalid_value",
        `${variable} does not hold JSON, as its type ${type} needs`,
      );
    }
  }
  throw new StackProblem("manifest.invalid_value", `${variable} is not a ${type}`);
}

/** A default of another simple type is converted, as Terraform does. */
function convert(node: SourceNode, type: string): SourceNode {
  if (node.kind !== "scalar" || node.value === null) return node;
  const { value } = node;
  if (type === "string" && typeof value !== "string")
    return { ...node, value: String(value) } satisfies ScalarNode;
  if (type !== "number" && type !== "bool") return node;
  if (typeof value !== "string") return node;
  if (node.parts?.some((part) => part.kind !== "text"))
    throw unsupported(`a reference in a variable of type ${type}`);
  return {
    kind: "scalar",
    value: fromText(value, type, "the default") as ScalarNode["value"],
    range: node.range,
  };
}

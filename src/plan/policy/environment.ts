import type * as cel from "@marcbachmann/cel-js";
import type * as z from "zod";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { Policy, PolicyExpression } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import { type MemberType, memberClasses, memberShapes } from "./members";

type Library = typeof cel;

/** A CEL type by its name, or an object by its fields. */
type Shape = string | { readonly [field: string]: Shape };

/** Judges one subject: the variables of an expression by name. Throws what the library throws. */
export type Evaluate = (variables: Readonly<Record<string, unknown>>) => unknown;

/** A policy whose expressions are read and have the right types. */
export interface CompiledPolicy {
  readonly policy: Policy;
  readonly when?: Evaluate;
  readonly require: Evaluate;
}

/** A policy is a rule, not a program. */
const limits = { maxAstNodes: 500, maxDepth: 30, maxListElements: 200, maxMapEntries: 50 };

const planShape: Shape = {
  mode: "string",
  stage: "string",
  workspace: "string",
  summary: { add: "int", change: "int", destroy: "int", adopt: "int", forget: "int" },
  cost: { before: "Money", after: "Money", increase: "Money" },
  changes: "list<Change>",
  unmanaged: "int",
};

/** Fields that every resource has besides its own. */
const resourceShape: Readonly<Record<string, Shape>> = {
  ...{ address: "string", action: "string", stage: "string", parent: "string", declared: "bool" },
  ...{ effects: "list<string>", unknown: "list<string>" },
  cost: "Money",
  parts: "list<Part>",
};

/** The environment in which the expressions of one scope are read. */
interface Reading {
  readonly environment: cel.Environment;
  readonly shape: Shape;
}

/** Reads and type-checks policies. Every mistake is returned, at its place. */
export function compilePolicies(
  library: Library,
  policies: readonly Policy[],
  types: readonly ResourceType[],
): { readonly compiled: readonly CompiledPolicy[]; readonly diagnostics: readonly Diagnostic[] } {
  const readings = new Map<string, Reading>();
  const diagnostics: Diagnostic[] = [];
  const compiled = policies.flatMap((policy): CompiledPolicy[] => {
    const scope = `${policy.each}${policy.seesComputed ? " computed" : ""}`;
    const reading = readings.get(scope) ?? readingOf(library, policy, types);
    if (reading === undefined) {
      diagnostics.push(unknownScope(policy, types));
      return [];
    }
    readings.set(scope, reading);
    const compile = (expression: PolicyExpression): Evaluate | undefined => {
      const { valid, type, error: problem } = reading.environment.check(expression.text);
      if (valid && (type === "bool" || type === "dyn")) return reading.environment.parse(expression.text);
      const mistake = problem ?? { summary: `it is ${type}, and true or false is wanted` };
      diagnostics.push(mistakeIn(policy, expression, mistake, reading.shape));
      return undefined;
    };
    const require = compile(policy.require);
    const when = policy.when && compile(policy.when);
    if (require === undefined || (policy.when && when === undefined)) return [];
    return [{ policy, require, ...(when && { when }) }];
  });
  return { compiled, diagnostics };
}

function unknownScope({ name, each, range }: Policy, types: readonly ResourceType[]): Diagnostic {
  const known = ["plan", "change", ...types.map(({ type }) => type)];
  const hint = didYouMean(each, known) ?? `one of ${known.join(", ")}`;
  const summary = `the policy ${name} is for each "${each}", which a plan does not have`;
  return error("policy.invalid", summary, { range, hint });
}

function readingOf(
  { Environment }: Library,
  { each, seesComputed }: Policy,
  types: readonly ResourceType[],
): Reading | undefined {
  const type = types.find((one) => one.type === each);
  const own =
    each === "change"
      ? "Change"
      : type && { ...resourceShape, ...(seesComputed && computedOf(type)), ...fieldsOf(type) };
  if (own === undefined && each !== "plan") return undefined;
  const shape: Record<string, Shape> = { plan: planShape, ...(own && { [each]: own }) };
  const environment = new Environment({
    ...{ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits },
  });
  for (const [name, fields] of Object.entries(memberShapes))
    environment.registerType(name, { ctor: memberClasses[name as MemberType], fields: { ...fields } });
  for (const [name, one] of Object.entries(shape))
    environment.registerVariable(
      typeof one === "string" ? { name, type: one } : { name, schema: one as cel.ObjectSchema },
    );
  return { environment, shape };
}

/** The fields of a type without its secrets: no expression may see one, nor tell by its answer what it is. */
function fieldsOf(type: ResourceType): Record<string, Shape> {
  const fields: Record<string, Shape> = {};
  for (const [key, field] of Object.entries(type.schema.shape)) {
    const inner = withoutWrapping(field as z.ZodType);
    const members = inner.def.type === "object" ? (inner as z.ZodObject).shape : undefined;
    if (type.rules[key]?.secret) continue;
    fields[key] = members
      ? Object.fromEntries(
          Object.entries(members)
            .filter(([name]) => !type.rules[`${key}.${name}`]?.secret)
            .map(([name, member]) => [name, celType(member as z.ZodType)]),
        )
      : celType(field as z.ZodType);
  }
  return fields;
}

const computedTypes = { string: "string", number: "double", boolean: "bool", json: "dyn" } as const;

/** What the service computes of a type. */
const computedOf = ({ computed }: ResourceType): Record<string, Shape> =>
  Object.fromEntries(
    Object.entries(computed).map(([name, { valueType }]) => [name, computedTypes[valueType]]),
  );

type Wrapping = { readonly innerType?: z.ZodType };

function withoutWrapping(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as Wrapping;
  return innerType === undefined ? schema : withoutWrapping(innerType);
}

/** Whole numbers are `int`; what has several forms is `dyn`, checked where it is judged. */
function celType(schema: z.ZodType): string {
  const inner = withoutWrapping(schema);
  const { type, format } = inner.def as { readonly type: string; readonly format?: string };
  if (type === "string" || type === "enum") return "string";
  if (type === "boolean") return "bool";
  if (type === "number") return format?.includes("int") ? "int" : "dyn";
  if (type === "array") return "list";
  return "dyn";
}

interface Problem {
  readonly summary: string;
  readonly range?: { readonly start: number; readonly end: number };
}

/** Every name that an expression may hold. */
const namesIn = (shape: Shape): readonly string[] =>
  typeof shape === "string"
    ? []
    : Object.entries(shape).flatMap(([name, inner]) => [name, ...namesIn(inner)]);

/** Says what is wrong with an expression, at the place in the file where it can be told. */
function mistakeIn(
  { name }: Policy,
  { text, start, range: whole }: PolicyExpression,
  { summary, range }: Problem,
  shape: Shape,
): Diagnostic {
  const isPlaced = range !== undefined && start !== undefined;
  const at = isPlaced ? { file: whole.file, start: start + range.start, end: start + range.end } : whole;
  const word = range === undefined ? "" : text.slice(range.start, range.end);
  const known = /^\w+$/.test(word) ? [...namesIn(shape), ...namesIn(memberShapes)] : [];
  const variables = Object.keys(shape).map((variable) => `\`${variable}\``);
  const hint = `it is judged with ${variables.join(" and ")}; secrets are not among their fields`;
  return error("policy.invalid", `the policy ${name} cannot be read: ${summary}`, {
    range: at,
    hint: (known.includes(word) ? undefined : didYouMean(word, known)) ?? hint,
  });
}

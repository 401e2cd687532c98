import { failure, type SourceRange } from "../diagnostics/diagnostic";
import { addressOf } from "../model/address";
import type { DesiredAttribute } from "../model/desired";
import { Secret } from "../model/secret";
import { isStageId } from "../model/stage";
import { Computed, type Plain, type Reference, Template } from "../model/value";
import type { Block } from "./declared-block";
import { type LoadContext, type PieceUse, refuse, type ValueLocation } from "./load-context";
import { resolveReference } from "./references";
import { judgeValue, requirements } from "./schema-issues";
import { holdsSecret, isSecretName } from "./secret-texts";
import {
  type EnvironmentPart,
  mayHoldReferences,
  parseTemplate,
  quoteShort,
  type ScalarNode,
  type SourceNode,
  type TemplatePart,
} from "./tree";
import { isCredential, isOwnCredential } from "./trust";
import { type AttributeShape, holdsOthers } from "./type-index";

/** Reads an attribute that is not a secret; undefined after a mistake, which is reported. */
export function readAttribute(
  shape: AttributeShape,
  node: SourceNode,
  block: Block,
  context: LoadContext,
): DesiredAttribute | undefined {
  const { address } = block;
  const location: ValueLocation = { context, address, attribute: shape.path, ...referenceRules(shape) };
  if (node.kind === "scalar" && node.value === null) return readNull(shape, node.range, location);
  const value = readValue(node, location);
  if (value === undefined)
    return context.checksOnly ? { value: new Template([], false), range: node.range } : undefined;
  if (value instanceof Computed)
    return { value: convertComputed(value, shape, node.range, location), range: node.range };
  const judged = value instanceof Template ? value : judgeValue(shape, value, node, block, context);
  return judged === undefined ? undefined : { value: judged, range: node.range };
}

/** Converts the result of functions to the kind of the attribute, in the plan that knows it. */
function convertComputed(
  computed: Computed,
  shape: AttributeShape,
  range: SourceRange,
  { address, attribute }: ValueLocation,
): Computed {
  const stop = (wanted: string): never => {
    const summary = `${address}: ${attribute}${wanted}`;
    throw failure("manifest.invalid_value", summary, { address, attribute, range });
  };
  return new Computed(computed.references, computed.secret, (values) => {
    const found = computed.compute(values);
    if (found === null || found instanceof Secret) return found;
    if (shape.isText)
      return typeof found === "object" ? stop(" must be text, not a list or an object") : String(found);
    const parsed = shape.schema.safeParse(found);
    return parsed.success ? found : stop(requirements(parsed.error.issues));
  });
}

function referenceRules(shape: AttributeShape): Pick<ValueLocation, "noReference" | "allowsInFunctions"> {
  if (shape.isName) return { noReference: "a name cannot hold a reference: it must be known while planning" };
  if (shape.rule?.change === "local")
    return { noReference: `${shape.path} is read by rnv only and cannot hold a reference` };
  if (!shape.isText)
    return {
      noReference: `${shape.path} is not free text and cannot hold a reference`,
      allowsInFunctions: holdsOthers(shape.schema),
    };
  return {};
}

/** Reads `null`, which resets an attribute to the service's default; without a default it needs a value. */
function readNull(
  shape: AttributeShape,
  range: SourceRange,
  location: ValueLocation,
): DesiredAttribute | undefined {
  const owner = `${shape.path} of ${location.address}`;
  const comment = commentIn(range);
  if (comment !== undefined)
    return refuse(location, comment, {
      code: "manifest.invalid_value",
      summary: `${owner} is empty: # begins a comment`,
      hint: "text that begins with # needs quotes; write null if the default is meant",
    });
  if (!shape.required && !shape.isName) return { value: null, range };
  return refuse(location, range, { code: "manifest.invalid_type", summary: `${owner} needs a value` });
}

/** Returns the comment that was meant as a value: `color: #2f6fed`. */
function commentIn({ source, start, end }: SourceRange): SourceRange | undefined {
  const line = start === end ? source?.text?.slice(start, start + 200) : undefined;
  const found = /^[ \t]+(#[^\s#][^\r\n]*)/.exec(line ?? "");
  if (found === null) return undefined;
  const at = start + found[0].length - (found[1] as string).length;
  return source?.range(at, start + found[0].length);
}

/** Reads a plain value with `${env.…}` filled in, or a template where the text holds references. */
export function readValue(
  node: SourceNode,
  location: ValueLocation,
): Plain | Template | Computed | undefined {
  if (node.kind === "scalar" && typeof node.value === "string") return readText(node, location);
  return readPlain(node, location);
}

const inText = "a reference must be a text of its own";

/** Reads a value that holds no reference: a list, a mapping, or a setting that planning uses. */
export function readPlain(node: SourceNode, location: ValueLocation): Plain | undefined {
  const inner = { ...location, noReference: location.noReference ?? inText, allowsInFunctions: false };
  if (node.kind === "scalar") {
    if (typeof node.value !== "string") return node.value;
    const text = readText(node, inner);
    return typeof text === "string" ? text : undefined;
  }
  if (node.kind === "list") {
    const items = node.items.map((item) => readPlain(item, inner));
    return items.some((item) => item === undefined) ? undefined : (items as Plain[]);
  }
  const object: Record<string, Plain> = {};
  let complete = true;
  for (const entry of node.entries.values()) {
    const value = readPlain(entry.value, inner);
    if (value === undefined) complete = false;
    else object[entry.key] = value;
  }
  return complete ? object : undefined;
}

function readText(node: ScalarNode, location: ValueLocation): string | Template | Computed | undefined {
  const { value } = node;
  if (node.parts === undefined && typeof value === "string" && !mayHoldReferences(value)) return value;
  const { noReference: _refusal, ...free } = location;
  const read = readPieces(node, location, (part, range, use) =>
    readPart(part, range, use === "argument" && location.allowsInFunctions ? free : location, use),
  );
  if (read === undefined) return undefined;
  const { pieces, compute } = read;
  if (compute !== undefined)
    return new Computed(
      pieces.filter((piece) => typeof piece !== "string"),
      false,
      compute,
    );
  const joined = joinText(pieces);
  return joined.length === 1 && typeof joined[0] === "string" ? joined[0] : new Template(joined, false);
}

type SinglePart = Exclude<TemplatePart, { kind: "text" | "computed" }>;

/** Reads the pieces of a text, each at its own range if that is known; undefined after a mistake, which is reported. */
export function readPieces(
  { value, parts: split, range }: ScalarNode,
  { context }: Pick<ValueLocation, "context">,
  read: (part: SinglePart, range: SourceRange, use: PieceUse) => string | Reference | undefined,
) {
  const parts = split ?? parseTemplate(String(value), (word) => context.index.byType.has(word));
  const computed = parts.find((part) => part.kind === "computed");
  const use = computed === undefined ? "text" : "argument";
  const pieces = (computed?.awaits ?? parts).map((part) => {
    if (part.kind === "text") return part.text;
    if (part.kind === "computed") throw new Error("the result of functions stands alone");
    return read(part, ("range" in part && part.range) || range, use);
  });
  // Functions of a stack compute the value of the pieces; else the pieces are its text.
  return pieces.every((piece) => piece !== undefined) ? { pieces, compute: computed?.compute } : undefined;
}

/** Returns the value of an environment variable, else its default; a variable without either is reported. */
function readEnvironment(
  part: Extract<TemplatePart, { kind: "env" }>,
  range: SourceRange,
  location: ValueLocation,
): string | undefined {
  const { context } = location;
  const { name, fallback, mayBeEmpty, source } = part;
  const refused = refusalOf(part, location);
  if (refused !== undefined) return refuse(location, range, refused);
  const value = context.environment[name];
  if (context.trust.mayRead(name) && value !== undefined && (value !== "" || mayBeEmpty)) return value;
  if (fallback !== undefined || context.checksOnly) return fallback;
  return refuse(location, range, {
    code: "manifest.env_missing",
    summary: `the environment variable ${shownName(part, context)} is ${value === undefined ? "not set" : "empty"}`,
    hint: `set it, or ${part.isGuess ? dollarHint : `write a default: ${source.slice(0, -1).trimEnd()}:-text}`}`,
  });
}

/** Returns the reason why the text of a location may not hold a variable of the environment. */
function refusalOf(part: EnvironmentPart, { context, isSecret }: ValueLocation) {
  const { name } = part;
  const { trust, secretNames, checksOnly } = context;
  const refused = (summary: string, hint?: string) => ({
    code: "manifest.secret_source" as const,
    summary: `${name} ${summary}`,
    hint,
  });
  const hint = sourceHint(name);
  if (isOwnCredential(name)) return refused("is a credential of rnv, not a value of a service");
  if (isCredential(name)) return refused("is a credential and cannot be inserted into text", hint);
  if (!trust.mayRead(name) && !checksOnly) {
    const { problem: summary, hint } = unlistedVariable(shownName(part, context));
    return { code: "guard.untrusted" as const, summary, hint };
  }
  const text = context.environment[name] ?? "";
  if (text.includes(lossMark)) return refused("is not UTF-8 text");
  if (isSecret) return undefined;
  if (secretNames.has(name))
    return refused("is a secret, which this manifest takes with fromEnv, and would be visible here", hint);
  if ((isSecretName(name) || holdsSecret(text)) && !trust.isAllowed(name))
    return refused(
      "looks like a secret and would be visible here",
      `${hint}; if it is no secret, list it in RNV_ALLOW_ENV`,
    );
  return undefined;
}

/** Returns the name of a variable for a message. */
export const shownName = ({ name, isGuess }: EnvironmentPart, { environment }: LoadContext): string =>
  isGuess && environment[name] === undefined ? "$…" : name;

export const dollarHint = "write $$ for a dollar, or put the value into single quotes";

/** Node reads bytes of the environment that are not UTF-8 as this. */
export const lossMark = "\ufffd";

const sourceHint = (name: string): string => `write { fromEnv: ${name} } as the whole value of a variable`;

export const unlistedVariable = (name: string): { readonly problem: string; readonly hint: string } => ({
  problem: `${name} is not read for a manifest that is not trusted (--untrusted)`,
  hint: "list the names that everybody may read in RNV_ALLOW_ENV",
});

/** Reads a part of a text: a text of the environment, or a reference. */
export function readPart(
  part: SinglePart,
  range: SourceRange,
  location: ValueLocation,
  use: PieceUse,
): string | Reference | undefined {
  if (part.kind === "env") return readEnvironment(part, range, location);
  if (part.kind === "invalid" && location.context.hasAnyId && isStageId(part.source)) return undefined;
  if (part.kind === "invalid") return reportSyntax(part.source, range, location);
  const { noReference: summary } = location;
  if (summary !== undefined) return refuse(location, range, { code: "manifest.reference_syntax", summary });
  return resolveReference(part.segments, range, location, use);
}

/** Reports a `${…}` that is no expression. */
function reportSyntax(source: string, range: SourceRange, location: ValueLocation): undefined {
  const shown = location.isSecret || holdsSecret(source) ? "${…} in the text" : quoteShort(source);
  const hint = expressionHint(source, location);
  return refuse(location, range, {
    code: "manifest.reference_syntax",
    summary: `${shown} is neither a reference nor an environment value`,
    hint: hint ?? "write ${service.shop.api.url}, ${env.NAME}, or $${ for a literal ${",
  });
}

const longestExpression = 100;

function expressionHint(source: string, { context, isSecret }: ValueLocation): string | undefined {
  if (source.startsWith("${{")) return "set it as an environment variable there, and write ${env.NAME} here";
  if (!source.endsWith("}")) return "the closing } is missing; a literal ${ is written $${";
  const expression = source.slice(2, -1).trim();
  if (expression.startsWith("env."))
    return "a name of the environment holds letters, digits and _; a default is plain text: ${env.NAME:-text}";
  if (expression.startsWith("stage."))
    return "${stage.name} and ${stage.id} stand for the stage that --stage names; it has an id with each: true";
  const [, name = ""] = /^(\w+)(?:$|:?[-=?+])/.exec(expression) ?? [];
  if (!isOwnCredential(name) && (isCredential(name) || isSecretName(name))) return sourceHint(name);
  if (isSecret || expression.length > longestExpression) return undefined;
  if (/^[A-Za-z_]\w*$/.test(expression))
    return `\${env.${expression}} reads the environment; $\${${expression}} is literal`;
  const segments = expression.split(".");
  for (let length = segments.length - 1; length > 0; length -= 1)
    for (const type of context.index.byType.keys())
      if (context.blocks.has(addressOf(type, ...segments.slice(0, length))))
        return `did you mean \${${type}.${expression}}?`;
  return undefined;
}

function joinText(pieces: readonly (string | Reference)[]): (string | Reference)[] {
  const joined: (string | Reference)[] = [];
  for (const piece of pieces) {
    const last = joined[joined.length - 1];
    if (typeof piece === "string" && typeof last === "string") joined[joined.length - 1] = last + piece;
    else joined.push(piece);
  }
  return joined;
}

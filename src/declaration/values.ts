import { failure, type SourceRange } from "../diagnostics/diagnostic";
import { addressOf } from "../model/address";
import type { DesiredAttribute } from "../model/desired";
import { Secret } from "../model/secret";
import { isStageId } from "../model/stage";
import { Computed, type Plain, type Reference, Template } from "../model/value";
import type { Block } from "./block";
import { type LoadContext, refuse, type ValueLocation } from "./load-context";
import { resolveReference } from "./references";
import { judgeValue, requirements } from "./schema-issues";
import { holdsSecret } from "./secret-texts";
import {
  mayHoldReferences,
  parseTemplate,
  quoteShort,
  type ScalarNode,
  type SourceNode,
  type TemplatePart,
} from "./tree";
import { isCredential, isOwnCredential, isSecretName } from "./trust";
import { type AttributeShape, holdsOthers } from "./type-index";

/** Reads an attribute that is not a secret; undefined after a mistake, which is reported. */
export function readAttribute(
  shape: AttributeShape,
  node: SourceNode,
  { address }: Block,
  context: LoadContext,
): DesiredAttribute | undefined {
  const location: ValueLocation = { context, address, attribute: shape.path, ...refusal(shape) };
  if (node.kind === "scalar" && node.value === null) return readNull(shape, node.range, location);
  const value = readValue(node, location);
  if (value === undefined)
    return context.checksOnly ? { value: new Template([], false), range: node.range } : undefined;
  if (value instanceof Computed)
    return { value: inKind(value, shape, node.range, location), range: node.range };
  const judged = value instanceof Template ? value : judgeValue(shape, value, node, address, context);
  return judged === undefined ? undefined : { value: judged, range: node.range };
}

/** What functions make, as the kind of value that an attribute takes: the plan that knows it says what is wrong. */
function inKind(
  made: Computed,
  shape: AttributeShape,
  range: SourceRange,
  { address, attribute }: ValueLocation,
): Computed {
  const stop = (wanted: string): never => {
    const summary = `${address}: ${attribute}${wanted}`;
    throw failure("manifest.invalid_value", summary, { address, attribute, range });
  };
  return new Computed(made.references, made.secret, (values) => {
    const found = made.compute(values);
    if (found === null || found instanceof Secret) return found;
    if (shape.isText)
      return typeof found === "object" ? stop(" must be text, not a list or an object") : String(found);
    const parsed = shape.schema.safeParse(found);
    return parsed.success ? found : stop(requirements(parsed.error.issues));
  });
}

function refusal(shape: AttributeShape): Pick<ValueLocation, "noReference" | "isMadeWhole"> {
  if (shape.isName) return { noReference: "a name cannot hold a reference: it must be known while planning" };
  if (shape.rule?.change === "local")
    return { noReference: `${shape.path} is read by rnv only and cannot hold a reference` };
  if (!shape.isText)
    return {
      noReference: `${shape.path} is not free text and cannot hold a reference`,
      isMadeWhole: holdsOthers(shape.schema),
    };
  return {};
}

/** `null` resets an attribute to the service's default; what has none must have a value. */
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
  return refuse(location, range, {
    code: "manifest.invalid_type",
    summary: `${owner} needs a value`,
  });
}

/** `color: #2f6fed`: what was meant as a value, and is a comment. */
function commentIn({ source, start, end }: SourceRange): SourceRange | undefined {
  const line = start === end ? source?.text?.slice(start, start + 200) : undefined;
  const found = /^[ \t]+(#[^\s#][^\r\n]*)/.exec(line ?? "");
  if (found === null) return undefined;
  const at = start + found[0].length - (found[1] as string).length;
  return source?.range(at, start + found[0].length);
}

/** A plain value with `${env.…}` filled in, or a template when the text holds references. */
export function readValue(
  node: SourceNode,
  location: ValueLocation,
): Plain | Template | Computed | undefined {
  if (node.kind === "scalar" && typeof node.value === "string") return readText(node, location);
  return readPlain(node, location);
}

const inText = "a reference must be a text of its own";

/** A value in which no reference may stand: lists and mappings, and what is used while planning. */
export function readPlain(node: SourceNode, location: ValueLocation): Plain | undefined {
  const inner = { ...location, noReference: location.noReference ?? inText, isMadeWhole: false };
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
  const read = readPieces(node, location, (part, range, isArgument) =>
    readPart(part, range, isArgument && location.isMadeWhole ? free : location, { isArgument }),
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

/** The pieces of a text, each read at its range where it has one of its own; undefined where one could not be read, which is reported. */
export function readPieces(
  { value, parts: split, range }: ScalarNode,
  { context }: Pick<ValueLocation, "context">,
  read: (part: SinglePart, range: SourceRange, isArgument: boolean) => string | Reference | undefined,
) {
  const parts = split ?? parseTemplate(String(value), (word) => context.index.byType.has(word));
  const made = parts.find((part) => part.kind === "computed");
  const pieces = (made?.awaits ?? parts).map((part) => {
    if (part.kind === "text") return part.text;
    if (part.kind === "computed") throw new Error("the result of functions stands alone");
    return read(part, ("range" in part && part.range) || range, made !== undefined);
  });
  // Functions of a stack compute the value of the pieces; else the pieces are its text.
  return pieces.every((piece) => piece !== undefined) ? { pieces, compute: made?.compute } : undefined;
}

/** The value of an environment variable, or its default; one that is unset or empty without a default is reported. */
function readEnvironment(
  { name, fallback, mayBeEmpty, source }: Extract<TemplatePart, { kind: "env" }>,
  range: SourceRange,
  location: ValueLocation,
  isSecret: boolean,
): string | undefined {
  const { context } = location;
  const refused = refusalOf(name, context, isSecret);
  if (refused !== undefined) return refuse(location, range, refused);
  const value = context.environment[name];
  if (context.trust.mayRead(name) && value !== undefined && (value !== "" || mayBeEmpty)) return value;
  if (fallback !== undefined || context.checksOnly) return fallback;
  return refuse(location, range, {
    code: "manifest.env_missing",
    summary: `the environment variable ${name} is ${value === undefined ? "not set" : "empty"}`,
    hint: `set it, or write a default: ${source.slice(0, -1).trimEnd()}:-text}`,
  });
}

/** Why a variable of the environment may not stand in the manifest; `isSecret`: in the text of a secret. */
function refusalOf(name: string, { trust, secretNames, checksOnly }: LoadContext, isSecret: boolean) {
  const refused = (summary: string, hint?: string) => ({
    code: "manifest.secret_source" as const,
    summary: `${name} ${summary}`,
    hint,
  });
  const hint = sourceHint(name);
  if (isOwnCredential(name)) return refused("is a credential of rnv, not a value of a service");
  if (isCredential(name)) return refused("is a credential and cannot be inserted into text", hint);
  if (!trust.mayRead(name) && !checksOnly) {
    const { problem: summary, hint } = unlisted(name);
    return { code: "guard.untrusted" as const, summary, hint };
  }
  if (isSecret) return undefined;
  if (secretNames.has(name))
    return refused("is a secret, which this manifest takes with fromEnv, and would be visible here", hint);
  if (isSecretName(name) && !trust.isAllowed(name))
    return refused(
      "looks like a secret and would be visible here",
      `${hint}; if it is no secret, list it in RNV_ALLOW_ENV`,
    );
  return undefined;
}

const sourceHint = (name: string): string => `write { fromEnv: ${name} } as the whole value of a variable`;

export const unlisted = (name: string): { readonly problem: string; readonly hint: string } => ({
  problem: `${name} is not read for a manifest that is not trusted (--untrusted)`,
  hint: "list the names that everybody may read in RNV_ALLOW_ENV",
});

/** The text of the environment, or the reference, that a part of a text stands for; in a secret it is never quoted. */
export function readPart(
  part: SinglePart,
  range: SourceRange,
  location: ValueLocation,
  { isSecret = false, isArgument }: { readonly isSecret?: boolean; readonly isArgument: boolean },
): string | Reference | undefined {
  if (part.kind === "env") return readEnvironment(part, range, location, isSecret);
  if (part.kind === "invalid" && location.context.hasAnyId && isStageId(part.source)) return undefined;
  if (part.kind === "invalid") return reportSyntax(part.source, range, location, isSecret);
  const { noReference: summary } = location;
  if (summary !== undefined) return refuse(location, range, { code: "manifest.reference_syntax", summary });
  const allows = isSecret ? { isSecret: !isArgument } : { isArgument };
  return resolveReference(part.segments, range, location, allows);
}

/** `${…}` that says nothing; one in a secret is not quoted. */
function reportSyntax(
  source: string,
  range: SourceRange,
  location: ValueLocation,
  isSecret: boolean,
): undefined {
  const shown = isSecret || holdsSecret(source) ? "${…} in the text" : quoteShort(source);
  const hint = expressionHint(source, isSecret, location.context);
  return refuse(location, range, {
    code: "manifest.reference_syntax",
    summary: `${shown} is neither a reference nor an environment value`,
    hint: hint ?? "write ${service.shop.api.url}, ${env.NAME}, or $${ for a literal ${",
  });
}

const longestExpression = 100;

function expressionHint(
  source: string,
  isSecret: boolean,
  { index, blocks }: LoadContext,
): string | undefined {
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
    for (const type of index.byType.keys())
      if (blocks.has(addressOf(type, ...segments.slice(0, length))))
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

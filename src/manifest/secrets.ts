import { DiagnosticsError, error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { DesiredAttribute } from "../model/desired";
import { Secret } from "../model/secret";
import {
  Computed,
  canonicalJson,
  GeneratedSecret,
  isGeneratedLength,
  type Plain,
  type Reference,
  Template,
  UnreadSecret,
} from "../model/value";
import type { Block } from "./blocks";
import { type ReadContext, type SecretReach, type ValueLocation, where } from "./context";
import { resolveReference } from "./references";
import { expectations } from "./schema-issues";
import { describeKind, type EnvironmentPart, type MapEntry, type MapNode, type ScalarNode } from "./tree";
import { isOwnCredential } from "./trust";
import { type AttributeShape, besideCommand, sourceKeys } from "./type-index";
import { locate, readEnvironment, readPlain, reportSyntax, templateParts } from "./values";

/** A secret whose text has still to be fetched: a file to read or a command to run. */
export interface SecretOrigin {
  readonly kind: "file" | "command" | "env";
  /** Variables of the environment that the command is given. */
  readonly given?: readonly string[];
  /** Where in the JSON that a command prints the text is, as a JSON pointer; undefined: all of its output. */
  readonly pointer?: string;
  /** Path as written, the name of an environment variable, or argv. */
  readonly argument: readonly string[];
  readonly shape: AttributeShape;
  readonly block: Block;
  /** The source as written: it names no secret. */
  readonly range: SourceRange;
}

type SecretReading =
  | { readonly kind: "value"; readonly attribute: DesiredAttribute }
  | { readonly kind: "source"; readonly source: SecretOrigin };

/**
 * One secret attribute. Findings about a literal stand at its key and never quote it: the text of a secret occurs
 * in no diagnostic.
 */
export function readSecret(
  shape: AttributeShape,
  entry: MapEntry,
  block: Block,
  context: ReadContext,
  reach: SecretReach,
): SecretReading | undefined {
  const location: ValueLocation = { address: block.address, attribute: shape.path };
  const { value } = entry;
  if (value.kind === "map") return readSource(shape, value, block, context);
  if (value.kind === "scalar" && typeof value.value === "string") {
    const read = readLiteral(value, { shape, entry, location, context, reach });
    return read === undefined
      ? undefined
      : { kind: "value", attribute: { value: read, range: entry.keyRange } };
  }
  const quoted = value.kind === "scalar" && value.value !== null;
  context.report(
    error(
      "manifest.invalid_type",
      `${block.address}: ${shape.path} must be text, not ${describeKind(value)}`,
      {
        ...where(location),
        range: entry.keyRange,
        ...(quoted
          ? { hint: `strings only: quote it, ${entry.key}: "…"` }
          : { hint: 'give text, "" or a source such as { fromEnv: NAME }' }),
      },
    ),
  );
  return undefined;
}

interface LiteralReading {
  readonly shape: AttributeShape;
  readonly entry: MapEntry;
  readonly location: ValueLocation;
  readonly context: ReadContext;
  readonly reach: SecretReach;
}

function readLiteral(
  node: ScalarNode,
  { shape, entry, location, context, reach }: LiteralReading,
): Secret | Template | Computed | UnreadSecret | undefined {
  const pieces: (string | Reference)[] = [];
  const atHand: Secret[] = [];
  let missing: string | undefined;
  let complete = true;
  let cursor = 0;
  const parts = templateParts(node, context);
  const made = parts.find((part) => part.kind === "computed");
  for (const part of made?.awaits ?? parts) {
    if (part.kind === "computed") continue;
    if (part.kind === "text") {
      pieces.push(part.text);
      continue;
    }
    const place = locate(part, entry.value.range, cursor, context);
    cursor = place.cursor;
    const range = place.range === entry.value.range ? entry.keyRange : place.range;
    let piece: string | Reference | undefined;
    if (part.kind === "invalid") reportSyntax(part.source, entry.keyRange, location, context, true);
    else if (part.kind === "reference")
      piece = resolveReference(part.segments, range, location, context, { isSecret: made === undefined });
    else if (isLeftUnread(part, reach, context)) {
      missing ??= part.name;
      const text = context.trust.mayRead(part.name) ? context.environment[part.name] : undefined;
      if (text) atHand.push(new Secret(text));
      continue;
    } else piece = readEnvironment(part, range, location, context, true);
    if (piece === undefined) complete = false;
    else pieces.push(piece);
  }
  if (!complete) return undefined;
  if (missing !== undefined)
    return new UnreadSecret(
      `the environment variable ${missing} is not set`,
      pieces.filter((piece) => typeof piece !== "string"),
      atHand,
    );
  if (made !== undefined) return madeSecret(made.compute, pieces, { shape, entry, location, context, reach });
  if (pieces.some((piece) => typeof piece !== "string"))
    return new Template(
      pieces.map((piece) => (typeof piece === "string" ? new Secret(piece) : piece)),
      true,
    );
  return checkSecret(pieces.join(""), shape, entry.keyRange, location, context);
}

/** A secret that functions make of texts of the environment and of references. */
function madeSecret(
  compute: (values: readonly Plain[]) => Plain,
  pieces: readonly (string | Reference)[],
  { shape, entry, location, context }: LiteralReading,
): Secret | Computed | undefined {
  const references = pieces.filter((piece) => typeof piece !== "string");
  const texts = pieces.filter((piece) => typeof piece === "string");
  if (references.length > 0)
    return new Computed(
      references,
      true,
      (values) => {
        const found = values.values();
        const all = pieces.map((piece) => (typeof piece === "string" ? piece : (found.next().value ?? null)));
        return new Secret(textOf(compute(all)));
      },
      texts.map((text) => new Secret(text)),
    );
  try {
    return checkSecret(textOf(compute(texts)), shape, entry.keyRange, location, context);
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    cause.diagnostics.forEach(context.report);
    return undefined;
  }
}

const textOf = (value: Plain): string =>
  value !== null && typeof value === "object" ? canonicalJson(value) : String(value ?? "");

/** A default stands in for what the same environment leaves out; where no source is read the environment is another. */
const isLeftUnread = (
  { name, fallback }: EnvironmentPart,
  reach: SecretReach,
  { environment }: ReadContext,
): boolean => reach !== "resolve" && !environment[name] && (reach === "skip" || fallback === undefined);

/** Closes a text over: what the schema says of it is reported without it. */
export function checkSecret(
  text: string,
  shape: AttributeShape,
  range: SourceRange,
  location: ValueLocation,
  context: ReadContext,
): Secret | undefined {
  const parsed = shape.schema.safeParse(text);
  if (parsed.success) return new Secret(text);
  context.report(
    error(
      "manifest.invalid_value",
      `${location.address}: ${shape.path} is refused: ${expectations(parsed.error.issues)}`,
      {
        ...where(location),
        range,
      },
    ),
  );
  return undefined;
}

function readSource(
  shape: AttributeShape,
  node: MapNode,
  block: Block,
  context: ReadContext,
): SecretReading | undefined {
  const entries = [...node.entries.values()];
  const location: ValueLocation = {
    address: block.address,
    attribute: shape.path,
    noReference: "a source of a secret cannot hold a reference",
  };
  const known = entries.filter((entry) => sourceKeys.includes(entry.key));
  const isBeside = (key: string): boolean => node.entries.has("fromCommand") && besideCommand.includes(key);
  for (const entry of entries) {
    if (sourceKeys.includes(entry.key) || isBeside(entry.key)) continue;
    const meant = known.length === 0 ? sourceKeys : besideCommand.filter(isBeside);
    const hint = didYouMean(entry.key, meant);
    context.report(
      error("manifest.unknown_key", `a secret has no source ${JSON.stringify(entry.key.slice(0, 80))}`, {
        ...where(location),
        range: entry.keyRange,
        hint: hint ?? `a source is one of ${sourceKeys.join(", ")}`,
      }),
    );
  }
  const [entry, second] = known;
  if (second !== undefined)
    context.report(
      error("manifest.secret_source", "a secret has one source", {
        ...where(location),
        range: second.keyRange,
      }),
    );
  const rest = entries.filter(({ key }) => isBeside(key));
  if (entry === undefined || second !== undefined || known.length + rest.length !== entries.length) {
    if (entries.length === 0)
      context.report(
        error("manifest.missing_key", `${block.address}: ${shape.path} names no source`, {
          ...where(location),
          range: node.range,
        }),
      );
    return undefined;
  }
  if (entry.key === "generate") return readGenerate(entry, location, context);
  const argument = readArgument(entry, location, context);
  const beside = readBesideCommand(rest, location, context);
  if (argument === undefined || beside === undefined) return undefined;
  const kind = entry.key === "fromEnv" ? "env" : entry.key === "fromFile" ? "file" : "command";
  return {
    kind: "source",
    source: { kind, argument, ...beside, shape, block, range: entry.value.range },
  };
}

/** `env` and `json`, which may stand beside `fromCommand`; undefined after a mistake, which is reported. */
function readBesideCommand(
  entries: readonly MapEntry[],
  location: ValueLocation,
  context: ReadContext,
): Pick<SecretOrigin, "given" | "pointer"> | undefined {
  let beside: Pick<SecretOrigin, "given" | "pointer"> | undefined = {};
  for (const entry of entries) {
    const given = entry.key === "env" ? readNames(entry, location, context) : undefined;
    const pointer = entry.key === "json" ? readPointer(entry, location, context) : undefined;
    if (given === undefined && pointer === undefined) return undefined;
    beside = { ...beside, ...(given !== undefined && { given }), ...(pointer !== undefined && { pointer }) };
  }
  return beside;
}

/** `json: /data/password`: where the text is in the JSON that a command prints (RFC 6901). */
function readPointer(entry: MapEntry, location: ValueLocation, context: ReadContext): string | undefined {
  const pointer = readPlain(entry.value, location, context);
  if (pointer === undefined || (typeof pointer === "string" && /^(?:\/(?:[^~]|~[01])*)?$/.test(pointer)))
    return pointer;
  const meant =
    typeof pointer === "string" && !pointer.includes("/") ? `json: /${pointer.slice(0, 80)}` : undefined;
  context.report(
    error("manifest.secret_source", "json takes a JSON pointer, which begins with /", {
      ...where(location),
      range: entry.value.range,
      hint: meant ?? "json: /data/password",
    }),
  );
  return undefined;
}

function readArgument(
  entry: MapEntry,
  location: ValueLocation,
  context: ReadContext,
): readonly string[] | undefined {
  const value = readPlain(entry.value, location, context);
  if (value === undefined) return undefined;
  const isCommand = entry.key === "fromCommand";
  const argument = isCommand ? value : [value];
  if (Array.isArray(argument) && argument.length > 0 && argument.every((item) => typeof item === "string"))
    if (argument[0] !== "" && argument.every((item) => !item.includes("\0"))) return argument;
  const expected = { fromEnv: "the name of an environment variable", fromFile: "a path" }[entry.key];
  context.report(
    error(
      "manifest.secret_source",
      `${entry.key} takes ${expected ?? "a list: a program and its arguments"}`,
      {
        ...where(location),
        range: entry.value.range,
        ...(isCommand
          ? { hint: "fromCommand: [vault, read, -field=password, secret/shop]; every item is text" }
          : {}),
      },
    ),
  );
  return undefined;
}

/** `env: [VAULT_ADDR, VAULT_TOKEN]`: names of variables that a command is given. */
function readNames(
  entry: MapEntry,
  location: ValueLocation,
  context: ReadContext,
): readonly string[] | undefined {
  const names = readPlain(entry.value, location, context);
  if (names === undefined) return undefined;
  const problem = (summary: string, hint: string): undefined => {
    context.report(
      error("manifest.secret_source", summary, { ...where(location), range: entry.value.range, hint }),
    );
  };
  const isNames = Array.isArray(names) && names.every((name) => typeof name === "string" && name !== "");
  if (!isNames)
    return problem(
      "env takes a list of names: variables of the environment that the command is given",
      "env: [VAULT_ADDR, VAULT_TOKEN]",
    );
  const own = names.find(isOwnCredential);
  if (own !== undefined)
    return problem(`${own} is a credential of rnv, and no program is given it`, "take it out of env");
  return names;
}

function readGenerate(
  entry: MapEntry,
  location: ValueLocation,
  context: ReadContext,
): SecretReading | undefined {
  const { value } = entry;
  const length =
    value.kind === "map" && value.entries.size === 1 ? value.entries.get("length")?.value : undefined;
  const number = length?.kind === "scalar" ? length.value : undefined;
  if (isGeneratedLength(number))
    return { kind: "value", attribute: { value: new GeneratedSecret(number), range: value.range } };
  context.report(
    error("manifest.secret_source", "generate takes a length from 16 to 256", {
      ...where(location),
      range: (length ?? value).range,
      hint: "{ length: 32 }",
    }),
  );
  return undefined;
}

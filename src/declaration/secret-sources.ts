import * as z from "zod";
import { DiagnosticsError, type SourceRange } from "../diagnostics/diagnostic";
import { type DesiredAttribute, sourceAsWritten } from "../model/desired";
import { Secret } from "../model/secret";
import {
  Computed,
  canonicalJson,
  GeneratedSecret,
  generatedLengths,
  type Plain,
  Template,
  UnreadSecret,
} from "../model/value";
import type { Block } from "./declared-block";
import { type LoadContext, refuse, type ValueLocation } from "./load-context";
import { readPart, readPieces, readPlain, shownName } from "./read-value";
import { type Issue, judgeFilled, requirements } from "./schema-issues";
import { holdsSecret } from "./secret-texts";
import { describeKind, type EnvironmentPart, type MapEntry, type MapNode, type ScalarNode } from "./tree";
import { isCredential, isOwnCredential } from "./trust";
import { type AttributeShape, commandKeys, sourceKeys } from "./type-index";

/** A secret whose text has still to be fetched: a file to read or a command to run. */
export interface PendingSecret {
  readonly kind: "file" | "command" | "env";
  readonly env?: readonly string[] | undefined;
  /** JSON pointer to the text in the JSON that a command prints; undefined: all of its output. */
  readonly json?: string | undefined;
  /** Path as written, the name of an environment variable, or argv. */
  readonly argument: readonly string[];
  readonly shape: AttributeShape;
  readonly block: Block;
  readonly range: SourceRange;
}

interface SecretReading {
  readonly attribute: DesiredAttribute;
  readonly source?: PendingSecret;
}

/** Reads a secret attribute. Findings about a literal are at its key and never quote it. */
export function readSecret(
  shape: AttributeShape,
  entry: MapEntry,
  block: Block,
  context: LoadContext,
): SecretReading | undefined {
  const location: ValueLocation = { context, address: block.address, attribute: shape.path, isSecret: true };
  const { value, keyRange } = entry;
  if (value.kind === "map") return readSource(shape, value, block, context);
  if (value.kind === "scalar" && typeof value.value === "string") {
    const read = readLiteral(value, keyRange, shape, location);
    const { source = "value" } = value;
    const text = writtenText(value);
    const origin = text === undefined ? undefined : sourceAsWritten(source, text, block.from);
    return read && { attribute: { value: read, range: keyRange, source, origin } };
  }
  const isValue = value.kind === "scalar" && value.value !== null;
  return refuse(location, keyRange, {
    code: "manifest.invalid_type",
    summary: `${block.address}: ${shape.path} must be text, not ${describeKind(value)}`,
    hint: isValue
      ? `strings only: quote it, ${entry.key}: "…"`
      : 'give text, "" or a source such as { fromEnv: NAME }',
  });
}

/** The text as written: of a dotenv file the variables that it names, of a stack none that is the same in each job. */
function writtenText({ value, source, parts }: ScalarNode): string | undefined {
  if (parts === undefined) return String(value);
  if (source !== "dotenv") return undefined;
  const isText = parts.every(({ kind }) => kind === "text");
  return isText ? "" : JSON.stringify(parts.map((part) => (part.kind === "text" ? part.text : part.source)));
}

function readLiteral(
  node: ScalarNode,
  keyRange: SourceRange,
  shape: AttributeShape,
  location: ValueLocation,
): Secret | Template | Computed | UnreadSecret | undefined {
  const { context } = location;
  const environmentTexts: Secret[] = [];
  let missing: string | undefined;
  const read = readPieces(node, location, (part, at, use) => {
    const range = at === node.range ? keyRange : at;
    if (part.kind !== "env" || isCredential(part.name) || !staysUnread(part, context))
      return readPart(part, range, location, use);
    missing ??= shownName(part, context);
    const text = context.trust.mayRead(part.name) ? context.environment[part.name] : undefined;
    if (text) environmentTexts.push(new Secret(text));
    return "";
  });
  if (read === undefined) return undefined;
  const { pieces, compute = (texts: readonly Plain[]) => texts.join("") } = read;
  const references = pieces.filter((piece) => typeof piece !== "string");
  if (missing !== undefined)
    return new UnreadSecret(`the environment variable ${missing} is not set`, references, environmentTexts);
  if (references.length === 0) {
    const text = computeText(() => textOf(compute(pieces as string[])), context);
    return text === undefined ? undefined : checkSecret(text, shape, keyRange, location);
  }
  if (read.compute === undefined)
    return new Template(
      pieces.map((piece) => (typeof piece === "string" ? new Secret(piece) : piece)),
      true,
    );
  const texts = pieces.filter((piece) => typeof piece === "string").map((text) => new Secret(text));
  const make = (values: readonly Plain[]): Secret => {
    const found = values.values();
    const all = pieces.map((piece) => (typeof piece === "string" ? piece : (found.next().value ?? null)));
    return new Secret(textOf(compute(all)));
  };
  return new Computed(references, true, make, texts);
}

/** Returns the result of functions of a stack; undefined where they refuse their arguments, which is reported. */
function computeText(make: () => string, { report }: LoadContext): string | undefined {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    cause.diagnostics.forEach(report);
    return undefined;
  }
}

const textOf = (value: Plain): string =>
  value !== null && typeof value === "object" ? canonicalJson(value) : String(value ?? "");

/** A default replaces a variable that this environment lacks. With `skip`, another environment is meant. */
const staysUnread = ({ name, fallback }: EnvironmentPart, { environment, reach }: LoadContext): boolean =>
  reach !== "resolve" && !environment[name] && (reach === "skip" || fallback === undefined);

/** Returns a text as a secret; a refusal of its schema is reported without it. */
export function checkSecret(
  text: string,
  shape: AttributeShape,
  range: SourceRange,
  location: ValueLocation,
): Secret | undefined {
  const parsed = shape.schema.safeParse(text);
  if (parsed.success) return new Secret(text);
  return refuse(location, range, {
    code: "manifest.invalid_value",
    summary: `${location.address}: ${shape.path}${requirements(parsed.error.issues)}`,
  });
}

function readSource(
  shape: AttributeShape,
  node: MapNode,
  block: Block,
  context: LoadContext,
): SecretReading | undefined {
  const noReference = "a source of a secret cannot hold a reference";
  const filled = readPlain(node, { context, address: block.address, attribute: shape.path, noReference });
  if (filled === undefined) return undefined;
  const source = judgeFilled(completeSource, filled, { node, ...sourceReport(shape, block, context) });
  const written = sourceKeys.flatMap((key) => node.entries.get(key) ?? []);
  return source && sourceOf(source, { shape, block, range: (written[0] as MapEntry).value.range }, context);
}

const sourceReport = ({ path }: AttributeShape, { address }: Block, { report }: LoadContext) => ({
  report,
  subject: {
    nameOf: (keys: readonly string[]) => [path, ...keys].join("."),
    address,
    describe: describeKind,
    code: ({ code }: Issue) =>
      code === "unrecognized_keys" ? ("manifest.unknown_key" as const) : ("manifest.secret_source" as const),
    hintFor: (issue: Issue) => sourceHints[String(issue.path[0])],
  },
});

const sourceHints: Readonly<Record<string, string>> = {
  fromCommand: "fromCommand: [vault, kv, get, -mount=secret, -field=password, shop]; every item is text",
  env: "env: [VAULT_ADDR, VAULT_TOKEN]",
  json: "json: /password",
  generate: "{ length: 32 }",
};

const noNul = "expected text without a NUL character";
const word = z
  .string()
  .min(1, "expected text that is not empty")
  .refine((text) => !text.includes("\0"), noNul);

const lengths = `expected a whole number from ${generatedLengths.from} to ${generatedLengths.to}`;

export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "expected the name of an environment variable", abort: true })
  .refine((name) => !holdsSecret(name), "it is a secret: name the variable that holds it");

/** The keys of a source of a secret; `completeSource` says which may be together. */
const sourceSchema = z.strictObject({
  fromEnv: variableName.optional().describe("Name of an environment variable."),
  fromFile: word.optional().describe("Path of a file, relative to the manifest file."),
  fromCommand: z
    .array(z.string().refine((text) => !text.includes("\0"), noNul))
    .min(1, "expected a program and its arguments")
    .refine(([program]) => program !== "", "expected a program first")
    .optional()
    .describe(
      "A program and its arguments; its output is the value. The same one runs once for all that name it.",
    ),
  env: z
    .array(
      word.refine((name) => !isOwnCredential(name), "expected no credential of rnv: no program is given it"),
    )
    .optional()
    .describe("Variables of the environment that the program is given besides PATH, HOME and the like."),
  json: z
    .string()
    .refine((text) => /^(?:\/(?:[^~]|~[01])*)?$/.test(text), "expected a JSON pointer, which begins with /")
    .meta({ pattern: "^(/.*)?$" })
    .optional()
    .describe("Place of the value in the JSON that the program prints, as a JSON pointer: `/password`."),
  generate: z
    .strictObject({ length: z.int().min(generatedLengths.from, lengths).max(generatedLengths.to, lengths) })
    .optional()
    .describe("Generated when the variable is created, for each service its own."),
});

const completeSource = sourceSchema
  .refine((source) => sourceKeys.filter((key) => key in source).length === 1, {
    error: `expected one of ${sourceKeys.join(", ")}`,
    when: ({ issues }) => issues.length === 0,
  })
  .refine(
    (source) => "fromCommand" in source || !commandKeys.some((key) => key in source),
    `expected fromCommand beside ${commandKeys.join(" and ")}`,
  );

export const sourceSchemas: readonly z.ZodType[] = [
  sourceSchema.pick({ fromEnv: true }).required(),
  sourceSchema.pick({ fromFile: true }).required(),
  sourceSchema.pick({ fromCommand: true, env: true, json: true }).required({ fromCommand: true }),
  sourceSchema.pick({ generate: true }).required(),
];

function sourceOf(
  { fromEnv, fromFile, fromCommand, env, json, generate }: z.infer<typeof sourceSchema>,
  location: Pick<PendingSecret, "shape" | "block" | "range">,
  context: LoadContext,
): SecretReading {
  const { range, block } = location;
  if (generate !== undefined) {
    const value = new GeneratedSecret(generate.length);
    return { attribute: { value, range, source: "generate", origin: sourceAsWritten("generate", "") } };
  }
  const kind = fromCommand !== undefined ? "command" : fromFile !== undefined ? "file" : "env";
  const argument = fromCommand ?? [fromFile ?? fromEnv ?? ""];
  const origin = sourceAsWritten(kind, JSON.stringify([argument, json, env]), block.from);
  const value = unreadSecret(fromEnv, context);
  return {
    attribute: { value, range, source: kind, origin },
    source: { kind, argument, env, json, ...location },
  };
}

/** Makes a secret whose source is not read yet; its text in the environment is masked wherever it is shown. */
function unreadSecret(name: string | undefined, { environment, trust }: LoadContext): UnreadSecret {
  const text = name !== undefined && trust.mayRead(name) ? environment[name] : undefined;
  return new UnreadSecret("its source is not read here", [], text ? [new Secret(text)] : []);
}

import { isUtf8 } from "node:buffer";
import { type ExecFileException, execFile } from "node:child_process";
import { constants, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { error, hasErrors } from "../diagnostics/diagnostic";
import { reasonOf } from "../model/file-error";
import { Secret } from "../model/secret";
import { UnreadSecret } from "../model/value";
import type { BuiltResource } from "./build-resource";
import type { Findings } from "./findings";
import type { LoadContext } from "./load-context";
import { isLfsPointer, isMissing, isWithin, lfsHint, readBytes } from "./project-files";
import { lossMark, unlistedVariable } from "./read-value";
import { checkSecret, type PendingSecret } from "./secret-sources";
import { quoteShort } from "./tree";
import { commandEnvironment, commandHints, isOwnCredential, isOwnDocument, ownFileAt } from "./trust";

const parallelFetches = 4;

/** The outcome of reading a source of a secret; `problem` never holds the text. */
type Fetched =
  | { readonly text: string }
  | {
      readonly problem: string;
      /** `manifest.secret_source` unless said. */
      readonly code?: "manifest.env_missing" | "guard.untrusted";
      readonly detail?: string;
      readonly hint?: string;
      /** The source itself is not here; its text is not at fault. */
      readonly isMissing?: boolean;
    };

/**
 * Reads environment and files always, so that every missing source is named; runs commands only for a manifest
 * without errors. If `reach` is `present`, a source that is not here leaves its secret unread.
 */
export async function fetchSecrets(
  built: readonly BuiltResource[],
  context: LoadContext,
  findings: Findings,
): Promise<void> {
  const jobs = built.flatMap(({ attributes, sources }) => sources.map((source) => ({ attributes, source })));
  // One call of a secret manager serves all that name it.
  const outputs = new Map<string, Promise<Fetched>>();
  const reported = new Set<Fetched>();
  const run = async (kept: typeof jobs): Promise<void> => {
    const queue = kept.values();
    const worker = async (): Promise<void> => {
      for (const { attributes, source } of queue) {
        const { range, kind, shape } = source;
        const found = await fetchSource(source, context, outputs);
        const value =
          context.reach === "skip" ? maskedSecret(found) : secretOf(found, source, context, reported);
        if (value !== undefined)
          attributes.set(shape.path, { ...attributes.get(shape.path), value, range, source: kind });
      }
    };
    await Promise.all(Array.from({ length: parallelFetches }, worker));
  };
  await run(jobs.filter(({ source }) => source.kind !== "command"));
  if (!hasErrors(findings.all())) await run(jobs.filter(({ source }) => source.kind === "command"));
}

/** A text that is masked and not compared; undefined where it is not here. */
const maskedSecret = (found: Fetched): UnreadSecret | undefined =>
  "text" in found ? new UnreadSecret("its source is not read here", [], [new Secret(found.text)]) : undefined;

/** Bytes of one secret; the service takes no longer request. */
const maxBytes = 262_144;

async function fetchSource(
  source: PendingSecret,
  context: LoadContext,
  outputs: Map<string, Promise<Fetched>>,
): Promise<Fetched> {
  if (source.kind === "env") return fromEnvironment(source, context);
  if (source.kind === "file") return fromFile(source, context);
  const key = JSON.stringify([source.argument, [...(source.env ?? [])].sort()]);
  const output = outputs.get(key) ?? fromCommand(source, context);
  outputs.set(key, output);
  return pickFrom(await output, source);
}

/**
 * Returns the text as a secret; undefined after a mistake, which is reported at the source. If `reach` is `present`,
 * an absent source is no mistake.
 */
function secretOf(
  found: Fetched,
  { block, shape, range }: PendingSecret,
  context: LoadContext,
  reported: Set<Fetched>,
): Secret | UnreadSecret | undefined {
  const location = { address: block.address, attribute: shape.path };
  if ("text" in found) return checkSecret(found.text, shape, range, { context, ...location });
  const { problem, isMissing, code = "manifest.secret_source", detail, hint } = found;
  if (isMissing && context.reach === "present") return new UnreadSecret(problem);
  // A command of several values fails once.
  if (!reported.has(found)) context.report(error(code, problem, { ...location, range, detail, hint }));
  reported.add(found);
  return undefined;
}

const untrusted = (problem: string, hint: string): Fetched => ({
  problem,
  hint,
  isMissing: true,
  code: "guard.untrusted",
});

function fromEnvironment(source: PendingSecret, context: LoadContext): Fetched {
  const name = source.argument[0] as string;
  if (isOwnCredential(name)) return { problem: `${name} is a credential of rnv, not a value of a service` };
  const { problem, hint } = unlistedVariable(name);
  if (!context.trust.mayRead(name)) return untrusted(problem, hint);
  const text = context.environment[name];
  if (text?.includes(lossMark)) return { problem: `the environment variable ${name} is not UTF-8 text` };
  if (text) return { text };
  return {
    problem: `the environment variable ${name} is ${text === undefined ? "not set" : "empty"}`,
    isMissing: true,
    code: "manifest.env_missing",
    // GitHub sets a secret that a job does not get to an empty text.
    hint: `${text === "" ? 'write "" if an empty value is meant' : `set ${name}`}; to plan without it: rnv plan --no-secrets`,
  };
}

/** The text at the JSON pointer of a source; numbers and flags as JSON writes them. */
function pickFrom(found: Fetched, { argument, json: pointer }: PendingSecret): Fetched {
  if ("problem" in found || pointer === undefined) return found;
  const program = `the command ${quoteShort(String(argument[0]))}`;
  let value: unknown;
  try {
    // JSON.parse would round a number: it is read as the text of its digits.
    const numbers = /("(?:[^"\\]|\\.)*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
    value = JSON.parse(found.text.replace(numbers, (token, text) => text ?? `"${token}"`));
  } catch {
    const hint = "take json away if its whole output is the value";
    return { problem: `${program} did not print JSON`, hint };
  }
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    value = isThere ? (value as Record<string, unknown>)[key] : undefined;
  }
  const text = typeof value === "object" ? "" : String(value ?? "");
  if (text !== "") return { text };
  const hint = "json is the place of one value: /password";
  return { problem: `${program} printed no single value at ${pointer === "" ? "the top" : pointer}`, hint };
}

async function fromCommand(source: PendingSecret, context: LoadContext): Promise<Fetched> {
  const { environment, trust, cwd } = context;
  const { commandsForbiddenBy: forbidden } = trust;
  const program = quoteShort(String(source.argument[0]));
  if (forbidden !== undefined)
    return untrusted(`the command ${program} is not run: ${forbidden} forbids it`, commandHints[forbidden]);
  const given = source.env ?? [];
  const unlistedName = environment.RNV_ALLOW_ENV ? given.find((name) => !trust.isAllowed(name)) : undefined;
  if (unlistedName !== undefined)
    return {
      problem: `the command ${program} is not given ${unlistedName}: RNV_ALLOW_ENV does not list it`,
      hint: "add it there, or take it out of env",
      code: "guard.untrusted",
    };
  const passed = commandEnvironment(environment, (name) => given.includes(name));
  const hidden = given.map((name) => environment[name] ?? "");
  const found = await runCommand(source.argument, cwd, passed, hidden);
  if (!("problem" in found)) return found;
  const hint = "it is given PATH, HOME and the like; list what else it needs: env: [NAME]";
  return { hint, ...found };
}

function fromFile(source: PendingSecret, context: LoadContext): Fetched {
  const { cwd } = context;
  const written = source.argument[0] as string;
  const file = `the file ${quoteShort(written)}`;
  const path = resolve(context.secretFolder ?? dirname(resolve(cwd, source.range.file)), written);
  // One answer for both: an untrusted manifest learns of no file elsewhere.
  const absent = `${file} is not a file of the project folder, and --untrusted reads no other`;
  const elsewhere = untrusted(absent, commandHints["--untrusted"]);
  const allowing = "name its folder in RNV_SECRET_DIRS to allow it";
  try {
    const real = realpathSync.native(path);
    const own = ownFileAt(real, cwd, context.environment);
    const ownHint = "put the value into a file of its own";
    if (own !== undefined) return { problem: `${file} ${own}: it is no value of a service`, hint: ownHint };
    if (context.trust.isUntrusted && !isWithin(real, [context.project])) return elsewhere;
    if (!isWithin(real, [context.project, ...secretFolders(context)]))
      return { problem: `${file} is outside the project folder`, hint: allowing };
    // The path has its links followed: a link that has replaced the file since then is refused.
    const bytes = readBytes(real, maxBytes, constants.O_NOFOLLOW);
    if (bytes === undefined) return { problem: `${file} holds more than ${maxBytes} bytes` };
    const text = decodeSecret(bytes);
    if (text === undefined) return { problem: `${file} is not UTF-8 text` };
    if (text === "") return { problem: `${file} is empty` };
    if (isLfsPointer(text))
      return { problem: `${file} is a pointer of git-lfs`, hint: lfsHint, isMissing: true };
    if (isOwnDocument(text)) return { problem: `${file} is a document of rnv: it is no value of a service` };
    return { text };
  } catch (cause) {
    if (context.trust.isUntrusted) return elsewhere;
    return { problem: `cannot read ${file}: ${reasonOf(cause)}`, isMissing: isMissing(cause) };
  }
}

const secretFolders = ({ environment, cwd }: LoadContext): string[] =>
  (environment.RNV_SECRET_DIRS ?? "")
    .split(":")
    .filter((folder) => folder !== "")
    .map((folder) => resolve(cwd, folder));

/**
 * Returns the output of a program as a secret text: no shell, stdin closed, 30 s at most. Its error output is shown
 * shortened, without control characters, and with its output and each of `hidden` replaced.
 */
function runCommand(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  hidden: readonly string[],
): Promise<Fetched> {
  const [file = "", ...args] = argv;
  const program = `the command ${quoteShort(file)}`;
  const limits = { timeout: 30_000, maxBuffer: maxBytes, killSignal: "SIGKILL" } as const;
  return new Promise((settle) => {
    const child = execFile(
      file,
      args,
      { cwd, env, encoding: "buffer", ...limits },
      (failure, output, errors) => {
        const text = decodeSecret(output);
        if (failure !== null && isMissing(failure)) {
          const hint = "install it, or add its folder to PATH";
          settle({ problem: `${program} is not found`, isMissing: true, hint });
        } else if (failure !== null) {
          const detail = shownErrors(errors, [output.toString(), ...hidden, ...args.flatMap(secretParts)]);
          const problem = `${program} ${reasonOfFailure(failure)}`;
          // The program or a login is probably missing.
          settle({ problem, isMissing: true, detail: detail || undefined });
        } else if (text === undefined) settle({ problem: `${program} did not print UTF-8 text` });
        else settle(text === "" ? { problem: `${program} printed nothing` } : { text });
      },
    );
    child.stdin?.end();
  });
}

function reasonOfFailure(failure: ExecFileException): string {
  const { code, killed, signal } = failure;
  if (String(code) === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `printed more than ${maxBytes} bytes`;
  if (killed) return "did not end within 30 s";
  if (typeof code === "number") return `ended with exit code ${code}`;
  return signal ? `was ended by ${signal}` : `cannot be started: ${reasonOf(failure)}`;
}

/** Returns the lines of an argument and the values in them, without short texts and names of flags. */
function secretParts(argument: string): readonly string[] {
  const assigned = [...argument.matchAll(/[=:]\s*["']?([^\s"';&|)]+)/g)].map(([, value = ""]) => value);
  const parts = [...argument.split("\n"), argument.slice(argument.indexOf("=") + 1), ...assigned];
  return parts.filter((part) => part.length >= 4 && !/^--[\w-]+$/.test(part));
}

const shownErrorLength = 500;

/** Secrets are replaced before the text is shortened: half of a secret would not be found. */
function shownErrors(errors: Buffer, hidden: readonly string[]): string {
  const lines = hidden.flatMap((text) => text.match(/\S(?:.*\S)?/g) ?? []);
  const shown = [...new Set(lines)]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, "\0"), errors.toString())
    .replace(/[^\P{Cc}\n\0]/gu, " ")
    .trim()
    .slice(0, shownErrorLength)
    .replace(/\0+/g, "(sensitive)");
  return shown === "" ? "" : `It printed: ${shown}`;
}

/** UTF-8 text without a byte order mark and one trailing newline; undefined when the bytes are not UTF-8. */
const decodeSecret = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes).replace(/\r?\n$/, "") : undefined;

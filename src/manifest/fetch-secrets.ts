import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { error, hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Secret } from "../model/secret";
import { reasonOf } from "../model/text";
import { UnreadSecret } from "../model/value";
import type { BuiltResource } from "./build-resource";
import { type ReadContext, type SecretReach, where } from "./context";
import { isWithin } from "./files";
import type { Findings } from "./findings";
import { checkSecret, type SecretOrigin } from "./secrets";
import { commandEnvironment, commandHint, isOwnCredential, isOwnDocument, ownFileAt } from "./trust";
import { unlisted } from "./values";

const notConcerned = "it is not targeted, so its command was not run";

/** Fetches at a time; a command may ask a vault. */
const parallelFetches = 4;

/**
 * Environment and files always, so that all that is missing is named; commands only for a manifest without errors.
 * Where only what is `present` is asked for, a source that is not here leaves its secret unread.
 */
export async function fetchSecrets(
  built: readonly BuiltResource[],
  cwd: string,
  context: ReadContext,
  {
    findings,
    reach,
    concerns,
  }: {
    readonly findings: Findings;
    readonly reach: SecretReach;
    /** Whether the values of an address are needed; all are unless said. */
    readonly concerns?: (address: Address) => boolean;
  },
): Promise<void> {
  const jobs = built
    .filter(({ sources }) => sources.length > 0)
    .flatMap(({ attributes, sources }) => sources.map((source) => ({ attributes, source })));
  if (jobs.length === 0) return;
  // One call of a secret manager serves all that name it.
  const outputs = new Map<string, Promise<Fetched>>();
  const setValue = ({ attributes, source }: (typeof jobs)[number], value: Secret | UnreadSecret): void => {
    const { range, kind, shape } = source;
    attributes.set(shape.path, { ...attributes.get(shape.path), value, range, source: kind });
  };
  const run = async (kept: typeof jobs): Promise<void> => {
    const queue = kept.values();
    const worker = async (): Promise<void> => {
      for (const { attributes, source } of queue) {
        const secret = await fetchSecret(source, cwd, context, {
          mayBeMissing: reach === "present",
          outputs,
        });
        if (secret !== undefined) setValue({ attributes, source }, secret);
      }
    };
    await Promise.all(Array.from({ length: parallelFetches }, worker));
  };
  await run(jobs.filter(({ source }) => source.kind !== "command"));
  if (hasErrors(findings.all())) return;
  const isNeeded = ({ source }: (typeof jobs)[number]): boolean => concerns?.(source.block.address) ?? true;
  const commands = jobs.filter(({ source }) => source.kind === "command");
  for (const job of commands.filter((one) => !isNeeded(one))) setValue(job, new UnreadSecret(notConcerned));
  await run(commands.filter(isNeeded));
}

/** Bytes of one secret; the service takes no longer request. */
const maxBytes = 262_144;

/**
 * The text that a source names, closed over; undefined after a mistake, which is reported at the source. With
 * `mayBeMissing` a source that is not here is no mistake.
 */
async function fetchSecret(
  source: SecretOrigin,
  cwd: string,
  context: ReadContext,
  { mayBeMissing, outputs }: { readonly mayBeMissing: boolean; readonly outputs: Outputs },
): Promise<Secret | UnreadSecret | undefined> {
  const location = { address: source.block.address, attribute: source.shape.path };
  const found =
    source.kind === "env"
      ? fromEnvironment(source, context)
      : source.kind === "file"
        ? await fromFile(source, cwd, context)
        : pickFrom(await onceEach(source, outputs, () => fromCommand(source, cwd, context)), source);
  if ("problem" in found && found.isMissing && mayBeMissing) return new UnreadSecret(found.problem);
  if ("problem" in found) {
    const isMissing = source.kind === "env" && !isOwnCredential(source.argument[0] as string);
    const code = found.isRefused
      ? "guard.untrusted"
      : isMissing
        ? "manifest.env_missing"
        : "manifest.secret_source";
    context.report(
      error(code, found.problem, {
        ...where(location),
        range: source.range,
        ...(found.detail !== undefined && { detail: found.detail }),
        ...(found.hint !== undefined && { hint: found.hint }),
      }),
    );
    return undefined;
  }
  return checkSecret(found.text, source.shape, source.range, location, context);
}

function fromEnvironment(source: SecretOrigin, context: ReadContext): Fetched {
  const name = source.argument[0] as string;
  if (isOwnCredential(name)) return { problem: `${name} is a credential of rnv, not a value of a service` };
  if (!context.trust.mayRead(name)) return { ...unlisted(name), isMissing: true, isRefused: true };
  const text = context.environment[name];
  if (text === undefined) return { problem: `the environment variable ${name} is not set`, isMissing: true };
  if (text === "")
    return {
      problem: `the environment variable ${name} is empty`,
      // As GitHub leaves a secret that a job is not given.
      isMissing: true,
      hint: 'write "" if an empty value is meant',
    };
  return { text };
}

/** Outputs of the commands of this run, by program, arguments and environment. */
type Outputs = Map<string, Promise<Fetched>>;

function onceEach(
  { argument, given = [] }: SecretOrigin,
  outputs: Outputs,
  run: () => Promise<Fetched>,
): Promise<Fetched> {
  const key = JSON.stringify([argument, [...given].sort()]);
  const found = outputs.get(key) ?? run();
  outputs.set(key, found);
  return found;
}

/** The text at the JSON pointer of a source; numbers and flags as JSON writes them. */
function pickFrom(found: Fetched, { argument, pointer }: SecretOrigin): Fetched {
  if ("problem" in found || pointer === undefined) return found;
  const program = `the command ${JSON.stringify(argument[0])}`;
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch {
    return {
      problem: `${program} did not print JSON`,
      hint: "take json away if its whole output is the value",
    };
  }
  const steps = pointer.split("/").slice(1);
  for (const step of steps) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key))
      return {
        problem: `${program} printed nothing at ${pointer}`,
        hint: "json is the place of one value: /data/password",
      };
    value = (value as Record<string, unknown>)[key];
  }
  if (typeof value === "string" && value !== "") return { text: value };
  if (typeof value === "number" || typeof value === "boolean") return { text: String(value) };
  const kind =
    value === "" ? "an empty text" : value === null ? "null" : Array.isArray(value) ? "a list" : "an object";
  return {
    problem: `${program} printed ${kind} at ${pointer === "" ? "the top" : pointer}`,
    hint: "json is the place of one value",
  };
}

async function fromCommand(source: SecretOrigin, cwd: string, context: ReadContext): Promise<Fetched> {
  const { environment, trust } = context;
  const { commandsForbiddenBy: forbidden } = trust;
  const program = JSON.stringify(source.argument[0]);
  if (forbidden !== undefined)
    return {
      problem: `the command ${program} is not run: ${forbidden} forbids it`,
      hint:
        forbidden === "--untrusted"
          ? commandHint
          : "unset it where the manifest is trusted, or add --no-secrets to leave its value unchecked",
      isMissing: true,
      isRefused: true,
    };
  const given = source.given ?? [];
  const unlistedName = environment.RNV_ALLOW_ENV ? given.find((name) => !trust.isAllowed(name)) : undefined;
  if (unlistedName !== undefined)
    return {
      problem: `the command ${program} is not given ${unlistedName}: RNV_ALLOW_ENV does not list it`,
      hint: "add it there, or take it out of env",
      isRefused: true,
    };
  const found = await runCommand(source.argument, {
    cwd,
    environment: commandEnvironment(environment, (name) => given.includes(name)),
    maxBytes,
    hidden: given.map((name) => environment[name] ?? ""),
  });
  if (!("problem" in found)) return found;
  const hint = "it is given PATH, HOME and the like; list what else it needs: env: [NAME]";
  return { ...found, hint };
}

async function fromFile(source: SecretOrigin, cwd: string, context: ReadContext): Promise<Fetched> {
  const written = source.argument[0] as string;
  const path = resolve(context.secretFolder ?? dirname(resolve(cwd, source.range.file)), written);
  try {
    const real = await realpath(path);
    const own = ownFileAt(real, cwd, context.environment);
    if (own !== undefined)
      return {
        problem: `the file ${JSON.stringify(written)} ${own}: it is no value of a service`,
        hint: "put the value into a file of its own",
      };
    const { isUntrusted } = context.trust;
    if (isUntrusted && !isWithin(real, [cwd]))
      return {
        problem: `the file ${JSON.stringify(written)} is outside the project folder, and --untrusted forbids to read it`,
        hint: "run it from a branch that is trusted, or add --no-secrets to leave its value unchecked",
        isMissing: true,
        isRefused: true,
      };
    const allowed = [cwd, ...secretFolders(context, cwd)];
    if (!isWithin(real, allowed))
      return {
        problem: `the file ${JSON.stringify(written)} is outside the project folder`,
        hint: "name its folder in RNV_SECRET_DIRS to allow it",
      };
    return textOf(await readLimited(real), written);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    return { problem: `cannot read the file ${JSON.stringify(written)}: ${reasonOf(cause)}`, isMissing };
  }
}

const secretFolders = (context: ReadContext, cwd: string): string[] =>
  (context.environment.RNV_SECRET_DIRS ?? "")
    .split(":")
    .filter((folder) => folder !== "")
    .map((folder) => resolve(cwd, folder));

/** No link is followed any more, and a pipe or device does not block. */
async function readLimited(real: string): Promise<Buffer> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error("it is not a regular file");
    if (stat.size > maxBytes) throw new Error(`it holds more than ${maxBytes} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** UTF-8 without the newline that editors and `echo` put at the end. */
function textOf(bytes: Uint8Array, written: string): Fetched {
  const text = decodeSecret(bytes);
  if (text === undefined) return { problem: `the file ${JSON.stringify(written)} is not UTF-8 text` };
  if (text === "") return { problem: `the file ${JSON.stringify(written)} is empty` };
  if (isOwnDocument(text))
    return {
      problem: `the file ${JSON.stringify(written)} is a document of rnv: it is no value of a service`,
    };
  return { text };
}

interface CommandOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Texts of the environment that it may print and nobody may see. */
  readonly hidden?: readonly string[];
  /** Bytes of output allowed. */
  readonly maxBytes: number;
  readonly timeoutMs?: number;
}

const shownErrorBytes = 500;

interface FetchOutcome {
  readonly output: Buffer;
  readonly errors: Buffer;
  readonly problem?: string;
}

/**
 * The output of a program as a secret text: no shell, stdin closed, 30 s at most. What it printed as an error is
 * shown cut, inert, and only where it does not repeat the output.
 */
export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<Fetched> {
  const program = JSON.stringify(argv[0]);
  const outcome = await execute(argv, options);
  const text = decodeSecret(outcome.output);
  if (outcome.problem !== undefined) {
    const detail = shownErrors(outcome.errors, [text ?? "", ...(options.hidden ?? [])]);
    // What it needs is not here, as far as anyone can tell: a program, a login.
    return {
      problem: `the command ${program} ${outcome.problem}`,
      isMissing: true,
      ...(detail === "" ? {} : { detail }),
    };
  }
  if (text === undefined) return { problem: `the command ${program} did not print UTF-8 text` };
  if (text === "") return { problem: `the command ${program} printed nothing` };
  return { text };
}

function execute(argv: readonly string[], options: CommandOptions): Promise<FetchOutcome> {
  const timeoutMs = options.timeoutMs ?? 30_000;
  return new Promise((resolve) => {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const child = spawn(argv[0] as string, argv.slice(1), {
      cwd: options.cwd,
      env: options.environment,
      shell: false,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const finish = (problem?: string): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({
        output: Buffer.concat(output),
        errors: Buffer.concat(errors),
        ...(problem === undefined ? {} : { problem }),
      });
    };
    const stop = (problem: string): void => {
      child.kill("SIGKILL");
      finish(problem);
    };
    const timer = setTimeout(() => stop(`did not end within ${timeoutMs / 1000} s`), timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > options.maxBytes) stop(`printed more than ${options.maxBytes} bytes`);
      else output.push(chunk);
    });
    let errorSize = 0;
    child.stderr.on("data", (chunk: Buffer) => {
      if (errorSize < shownErrorBytes) errors.push(chunk.subarray(0, shownErrorBytes - errorSize));
      errorSize += chunk.length;
    });
    child.on("error", (cause: NodeJS.ErrnoException) =>
      finish(`cannot be started: ${cause.code ?? "unknown reason"}`),
    );
    child.on("close", (code, signal) =>
      finish(
        code === 0 ? undefined : code === null ? `was ended by ${signal}` : `ended with exit code ${code}`,
      ),
    );
  });
}

function shownErrors(errors: Buffer, hidden: readonly string[]): string {
  const text = errors
    .toString("utf8")
    .replace(/[^\P{Cc}\n]/gu, " ")
    .trim();
  const secrets = hidden.flatMap((one) => one.split("\n")).filter((line) => line.trim() !== "");
  const shown = secrets.reduce((rest, line) => rest.replaceAll(line, "(sensitive)"), text);
  return shown === "" ? "" : `It printed: ${shown}`;
}

/** The outcome of reading a source of a secret; `problem` never holds the text. */
type Fetched =
  | { readonly text: string }
  | {
      readonly problem: string;
      readonly detail?: string;
      readonly hint?: string;
      /** The source itself is not here; nothing is wrong with what it holds. */
      readonly isMissing?: boolean;
      /** The manifest is not trusted enough for it. */
      readonly isRefused?: boolean;
    };

/** UTF-8 text without one trailing newline; undefined when the bytes are not UTF-8. */
function decodeSecret(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}

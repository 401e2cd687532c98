import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { error } from "../diagnostics/diagnostic";
import type { Secret } from "../model/secret";
import { UnreadSecret } from "../model/value";
import { commandEnvironment } from "./command-environment";
import { decodeSecret, type Fetched } from "./decode-secret";
import { isOwnCredential } from "./own-credentials";
import { isOwnDocument, ownFileAt } from "./own-files";
import { isWithin, reasonOf } from "./paths";
import { unlisted } from "./read-attribute";
import { checkSecret, type SecretSource } from "./read-secret";
import { type Reading, where } from "./reading";
import { runCommand } from "./run-command";
import { commandHint } from "./trust";

/** Bytes of one secret; the service takes no longer request. */
const maxBytes = 262_144;

/**
 * The text that a source names, closed over; undefined after a mistake, which is reported at the source. With
 * `mayBeMissing` a source that is not here is no mistake.
 */
export async function fetchSecret(
  source: SecretSource,
  cwd: string,
  reading: Reading,
  mayBeMissing: boolean,
): Promise<Secret | UnreadSecret | undefined> {
  const spot = { address: source.block.address, attribute: source.shape.path };
  const found =
    source.kind === "env"
      ? fromEnvironment(source, reading)
      : source.kind === "file"
        ? await fromFile(source, cwd, reading)
        : await fromCommand(source, cwd, reading);
  if ("problem" in found && found.isMissing && mayBeMissing) return new UnreadSecret(found.problem);
  if ("problem" in found) {
    const isMissing = source.kind === "env" && !isOwnCredential(source.argument[0] as string);
    const code = found.isRefused
      ? "guard.untrusted"
      : isMissing
        ? "manifest.env_missing"
        : "manifest.secret_source";
    reading.report(
      error(code, found.problem, {
        ...where(spot),
        range: source.range,
        ...(found.detail === undefined ? {} : { detail: found.detail }),
        ...(found.hint === undefined ? {} : { hint: found.hint }),
      }),
    );
    return undefined;
  }
  return checkSecret(found.text, source.shape, source.range, spot, reading);
}

function fromEnvironment(source: SecretSource, reading: Reading): Fetched {
  const name = source.argument[0] as string;
  if (isOwnCredential(name)) return { problem: `${name} is a credential of rnv, not a value of a service` };
  if (!reading.trust.mayRead(name)) return { ...unlisted(name), isMissing: true, isRefused: true };
  const text = reading.environment[name];
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

async function fromCommand(source: SecretSource, cwd: string, reading: Reading): Promise<Fetched> {
  const { environment, trust } = reading;
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

async function fromFile(source: SecretSource, cwd: string, reading: Reading): Promise<Fetched> {
  const written = source.argument[0] as string;
  const path = resolve(reading.secretFolder ?? dirname(resolve(cwd, source.range.file)), written);
  try {
    const real = await realpath(path);
    const own = ownFileAt(real, cwd, reading.environment);
    if (own !== undefined)
      return {
        problem: `the file ${JSON.stringify(written)} ${own}: it is no value of a service`,
        hint: "put the value into a file of its own",
      };
    const { isUntrusted } = reading.trust;
    if (isUntrusted && !isWithin(real, [cwd]))
      return {
        problem: `the file ${JSON.stringify(written)} lies outside the project folder, and --untrusted forbids to read it`,
        hint: "run it from a branch that is trusted, or add --no-secrets to leave its value unchecked",
        isMissing: true,
        isRefused: true,
      };
    const allowed = [cwd, ...secretFolders(reading, cwd)];
    if (!isWithin(real, allowed))
      return {
        problem: `the file ${JSON.stringify(written)} lies outside the project folder`,
        hint: "name its folder in RNV_SECRET_DIRS to allow it",
      };
    return textOf(await readLimited(real), written);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    return { problem: `cannot read the file ${JSON.stringify(written)}: ${reasonOf(cause)}`, isMissing };
  }
}

const secretFolders = (reading: Reading, cwd: string): string[] =>
  (reading.environment.RNV_SECRET_DIRS ?? "")
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

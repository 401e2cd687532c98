import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { error } from "../diagnostics/diagnostic";
import type { Secret } from "../model/secret";
import { UnreadSecret } from "../model/value";
import { decodeSecret, type Fetched } from "./decode-secret";
import { isOwnCredential } from "./own-credentials";
import { isWithin, reasonOf } from "./paths";
import { checkSecret, type SecretSource } from "./read-secret";
import { type Reading, where } from "./reading";
import { runCommand } from "./run-command";

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
        : await runCommand(source.argument, { cwd, environment: reading.environment, maxBytes });
  if ("problem" in found && found.isMissing && mayBeMissing) return new UnreadSecret(found.problem);
  if ("problem" in found) {
    const isMissing = source.kind === "env" && !isOwnCredential(source.argument[0] as string);
    const code = isMissing ? "manifest.env_missing" : "manifest.secret_source";
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

async function fromFile(source: SecretSource, cwd: string, reading: Reading): Promise<Fetched> {
  const written = source.argument[0] as string;
  const path = resolve(reading.secretFolder ?? dirname(resolve(cwd, source.range.file)), written);
  try {
    const real = await realpath(path);
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
  return { text };
}

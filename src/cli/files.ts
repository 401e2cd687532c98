import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { isMissing, readNamed } from "../declaration/project-files";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { manifestNames } from "../manifest/find-files";
import { reasonOf } from "../model/file-error";
import type { Terminal } from "./terminal";

/**
 * Writes a file whole or not at all: a synced file beside it is renamed. By default only its user can read it. With
 * `keep`, an existing file is an error. Devices and pipes are written directly. Throws `DiagnosticsError`.
 */
export function writeWholeFile(file: string, text: string, { keep = false, mode = 0o600 } = {}): void {
  let scratch = `${file}.${process.pid}.tmp`;
  try {
    const there = keep ? undefined : statSync(file, { throwIfNoEntry: false });
    if (there && !there.isFile()) return void writeFileSync(file, text);
    // A rename would replace a symbolic link itself.
    const path = there ? realpathSync(file) : file;
    scratch = `${path}.${process.pid}.tmp`;
    rmSync(scratch, { force: true });
    writeFileSync(scratch, text, { flag: "wx", mode, flush: true });
    // A link fails if the file exists; a rename replaces it.
    if (keep) linkSync(scratch, path);
    else renameSync(scratch, path);
  } catch (cause) {
    const isThere = keep && (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw isThere ? failure("command.usage", `${file} is there already`) : cannotWrite(file, cause);
  } finally {
    try {
      rmSync(scratch, { force: true });
    } catch {
      // The folder does not exist.
    }
  }
}

export function cannotWrite(file: string, cause: unknown): DiagnosticsError {
  const why = isMissing(cause) ? `the folder ${dirname(file)} does not exist` : reasonOf(cause);
  return failure("command.usage", `cannot write ${file}: ${why}`);
}

/** Policies, accepted drift, fleets; keys and backups of states. */
const otherNames = /(?:^|[/\\])(?:rnv\.\w+\.yaml|state\.key|[^/\\]*\.backup\.\d+)$/;

/** Throws for a file or a folder that cannot be written. Never opens a pipe, which may have no reader yet. */
export function checkWritable(path: unknown, kind: "file" | "folder"): void {
  const isFolder = kind === "folder";
  if (typeof path !== "string" || path === "") return;
  if ((manifestNames.includes(basename(path)) || otherNames.test(path)) && isFile(path))
    throw failure("command.usage", `${path} is there already, and rnv reads it`, {
      hint: "name another file",
    });
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (!isFolder && there?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    let folder = isFolder ? resolve(path) : dirname(there ? realpathSync(path) : path);
    while (isFolder && !existsSync(folder)) folder = dirname(folder);
    accessSync(there && !isFolder && !there.isFile() ? path : `${folder}/.`, constants.W_OK);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

/** Opens an empty file for lines. Opens a pipe once: closing it ends the reader. */
export function openForLines(file: string): number {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false) writeWholeFile(file, "");
  return openSync(file, "a");
}

/** Makes a folder with its parents, and sets its mode. Throws `DiagnosticsError`. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
    if (mode !== undefined) chmodSync(folder, mode);
  } catch (cause) {
    throw failure("command.usage", `cannot make the folder ${folder}: ${reasonOf(cause)}`);
  }
}

export const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** Bytes; larger than any state, plan or manifest. */
const mostBytes = 64 * 1024 * 1024;

const readInputs = new WeakMap<object, Promise<Buffer>>();

/** Reads standard input to its end. A second call returns the same bytes. */
export function readStandardInput({ stdin }: Pick<Terminal, "stdin">): Promise<Buffer> {
  const read = readInputs.get(stdin) ?? buffer(stdin);
  readInputs.set(stdin, read);
  return read;
}

export function readText(path: string): string {
  try {
    return readNamed(path, mostBytes);
  } catch (cause) {
    throw failure("command.usage", `cannot read ${path}: ${reasonOf(cause)}`);
  }
}

export const readTextOrInput = async (path: string, terminal: Pick<Terminal, "stdin">): Promise<string> =>
  path === "-" ? (await readStandardInput(terminal)).toString("utf8") : readText(path);

/** Returns the nearest folder above with a package.json. Sources, build and bundle have different depths. */
export const packageRoot = (folder: string): string =>
  existsSync(join(folder, "package.json")) || dirname(folder) === folder
    ? folder
    : packageRoot(dirname(folder));

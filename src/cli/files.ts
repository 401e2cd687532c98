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
import { dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { isMissing, readNamed } from "../declaration/project-files";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { reasonOf } from "../model/file-error";
import type { Terminal } from "./terminal";

/**
 * Writes a file whole or not at all: beside it, synced, then renamed. Only its user can read it unless `mode` says. With
 * `keep`, a file that is there already stays and is an error. A device or a pipe is written to. Throws `DiagnosticsError`.
 */
export function writeWholeFile(file: string, text: string, { keep = false, mode = 0o600 } = {}): void {
  let scratch = `${file}.${process.pid}.tmp`;
  try {
    const there = keep ? undefined : statSync(file, { throwIfNoEntry: false });
    if (there && !there.isFile()) {
      writeFileSync(file, text);
      return;
    }
    // A rename would replace a symbolic link itself.
    const path = there ? realpathSync(file) : file;
    scratch = `${path}.${process.pid}.tmp`;
    rmSync(scratch, { force: true });
    writeFileSync(scratch, text, { flag: "wx", mode, flush: true });
    // A link never replaces a file; a rename does.
    if (keep) linkSync(scratch, path);
    else renameSync(scratch, path);
  } catch (cause) {
    const isThere = keep && (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw isThere ? failure("command.usage", `${file} is there already`) : cannotWrite(file, cause);
  } finally {
    try {
      rmSync(scratch, { force: true });
    } catch {
      // Where there is no folder there is no file either.
    }
  }
}

/** Returns the error for a file that cannot be written. */
export function cannotWrite(file: string, cause: unknown): DiagnosticsError {
  const why = isMissing(cause) ? `the folder ${dirname(file)} does not exist` : reasonOf(cause);
  return failure("command.usage", `cannot write ${file}: ${why}`);
}

/** Throws where an option names a file or a folder that cannot be written. A pipe is not opened: it may have no reader yet. */
export function checkWritable(path: unknown, isFolder: boolean): void {
  if (typeof path !== "string" || path === "") return;
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

/** Opens a file for lines, empty at first. A pipe is opened once: its reader would take a second time for the end. */
export function openForLines(file: string): number {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false) writeWholeFile(file, "");
  return openSync(file, "a");
}

/** Makes a folder and those above it, which has `mode` then. Throws `DiagnosticsError`. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
    if (mode !== undefined) chmodSync(folder, mode);
  } catch (cause) {
    throw failure("command.usage", `cannot make the folder ${folder}: ${reasonOf(cause)}`);
  }
}

export const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** Bytes: more than any state, plan or manifest has. */
const mostBytes = 64 * 1024 * 1024;

const readInputs = new WeakMap<object, Promise<Buffer>>();

/** Reads standard input to its end; again, what was read before. */
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

/** The nearest folder above with a package.json: the sources, the build and the bundle lie at different depths. */
export const packageRoot = (folder: string): string =>
  existsSync(join(folder, "package.json")) || dirname(folder) === folder
    ? folder
    : packageRoot(dirname(folder));

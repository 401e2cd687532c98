import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Diagnostic, error, SourceFile } from "../diagnostics/diagnostic";
import { reasonOf } from "../model/file-error";
import type { Report } from "./findings";
import { repositoryAround } from "./git";

interface ProjectFiles {
  readonly cwd: string;
  readonly files: readonly string[];
  readonly untrusted?: boolean | undefined;
}

export const manifestFolder = (cwd: string, [first = "-"]: readonly string[]) => resolve(cwd, dirname(first));

/** The folder whose files a manifest may name: its git repository, or its own folder where it is not trusted. */
export function projectFolder({ cwd, files, untrusted }: ProjectFiles): string {
  const folder = realOf(manifestFolder(cwd, files));
  return untrusted ? folder : (repositoryAround(folder) ?? resolve(cwd));
}

/** Returns true if a path of the project leads out of it with links followed. A missing file leads nowhere. */
export function isLinkOut(path: string, cwd: string): boolean {
  const real = isBelow(path, cwd) ? realPath(path) : undefined;
  return real !== undefined && !isWithin(real, [cwd]);
}

export const linkOut = (shown: string): Diagnostic =>
  error("manifest.unreadable", `${shown} is a link out of the project folder`);

/** Yields the files and links below a folder, except in `node_modules` and in names that begin with a dot. */
export function* filesBelow(folder: string): Generator<{ readonly path: string; readonly entry: Dirent }> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield { path, entry };
  }
}

/** A path relative to the working folder where it is inside, with forward slashes. */
export function shownPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  const shown = inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : inside;
  return shown.split(sep).join("/");
}

export const maxFileBytes = 4 * 1024 * 1024;

export const maxTotalBytes = 16 * 1024 * 1024;

/**
 * The text of a manifest file, or of `given` bytes, without a byte order mark; undefined after a problem, which is
 * reported.
 */
export function readSource(
  file: string,
  cwd: string,
  bytesLeft: number,
  report: Report,
  given?: Uint8Array,
): string | undefined {
  try {
    const limit = Math.min(bytesLeft, maxFileBytes);
    const bytes = given ?? readBytes(resolve(cwd, file), limit);
    if (bytes === undefined || bytes.length > limit) {
      const most =
        bytesLeft < maxFileBytes
          ? `all files together hold more than ${maxTotalBytes}`
          : `${file} holds more than ${maxFileBytes}`;
      report(
        error("manifest.too_large", `${most} bytes`, { hint: "split the workspace into several manifests" }),
      );
      return undefined;
    }
    return decode(file, bytes, report);
  } catch (cause) {
    report(error("manifest.unreadable", `cannot read ${file}: ${reasonOf(cause)}`));
    return undefined;
  }
}

/**
 * Reads the text of a file that a user names, or of a pipe of the shell: `<(pass show rnv)`. Throws the error of the
 * file system, and for more than `limit` bytes.
 */
export function readNamed(path: string, limit: number): string {
  const bytes = statSync(path).isFIFO() ? readFileSync(path) : readBytes(path, limit);
  if (bytes === undefined) throw new Error(`it holds more than ${limit} bytes`);
  return bytes.toString("utf8");
}

/** Reads a file; undefined where it is too large, which is checked first. A pipe or device does not block. */
export function readBytes(path: string, limit: number, flags = 0): Buffer | undefined {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Error("it is not a regular file");
    return stat.size > limit ? undefined : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function decode(file: string, bytes: Uint8Array, report: Report): string | undefined {
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes)) return text;
  const [read = ""] = text.split("\ufffd", 1);
  const summary = `${file} is not UTF-8 text (line ${read.split("\n").length})`;
  const range = new SourceFile(file).range(0, 0);
  report(error("manifest.syntax", summary, { range, hint: "save it as UTF-8" }));
  return undefined;
}

export function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

export const isWithin = (real: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isBelow(real, realOf(folder)));

export const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT";

export const isLfsPointer = (text: string): boolean =>
  text.startsWith("version https://git-lfs.github.com/spec/");

export const lfsHint = "fetch the file: git lfs pull";

export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

export const realOf = (path: string): string => realPath(path) ?? path;

import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Diagnostic, DiagnosticsError, error, SourceFile } from "../diagnostics/diagnostic";
import { reasonOf } from "../model/text";
import type { Report } from "./findings";

/** Paths as shown of files that add up: those of one folder, or a single one. Later layers overlay earlier ones. */
type Layer = readonly string[];

const manifestNames: readonly string[] = ["rnv.yaml", "rnv.yml"];

const programNames: readonly string[] = ["ts", "mts", "mjs", "js"].map((ending) => `rnv.config.${ending}`);

export const yamlName = /\.ya?ml$/;

/** The layers that `-f` values name; without any, the manifest that the folder has. */
export function findFiles(requested: readonly string[], cwd: string, report: Report): readonly Layer[] {
  const named = requested.length > 0 ? requested : defaultFiles(cwd, report);
  const layers: Layer[] = [];
  if (named.indexOf("-") !== named.lastIndexOf("-"))
    report(error("command.usage", "-f - is given twice: standard input can be read once"));
  for (const name of named) {
    const layer = layerOf(name, cwd, report);
    if (layer !== undefined) layers.push(layer);
  }
  return layers;
}

/** The manifest that a folder has without `-f`, or the problem with what is there; neither where nothing is. */
export function usualManifest(folder: string): { readonly file?: string; readonly problem?: Diagnostic } {
  const [file, other] = [...manifestNames, "rnv", ...programNames].filter((name) =>
    name === "rnv" ? mayHoldYaml(join(folder, name)) : existsSync(join(folder, name)),
  );
  if (other === undefined && !programNames.includes(file ?? "")) return file === undefined ? {} : { file };
  const both = [file, other].map((name) => (name === "rnv" ? "rnv/" : name)).join(" and ");
  const problem =
    other === undefined
      ? error("manifest.unsupported", `this version of rnv does not read ${file}`, { hint: "write rnv.yaml" })
      : error("manifest.unsupported", `both ${both} exist`, { hint: "keep one, or choose with -f" });
  return { problem };
}

/** Returns the same, and throws `DiagnosticsError` at a problem. */
export function manifestIn(folder: string): string | undefined {
  const { file, problem } = usualManifest(folder);
  if (problem !== undefined) throw new DiagnosticsError([problem]);
  return file;
}

function mayHoldYaml(folder: string): boolean {
  try {
    return (
      statSync(folder).isDirectory() && [...filesBelow(folder)].some(({ entry }) => yamlName.test(entry.name))
    );
  } catch (cause) {
    return !isMissing(cause);
  }
}

function defaultFiles(cwd: string, report: Report): readonly string[] {
  const { file, problem } = usualManifest(cwd);
  if (file !== undefined) return [file];
  const hint = hintAbove(cwd) ?? "write one with `rnv init`, or name it with -f FILE";
  const summary = "there is no manifest: neither rnv.yaml, rnv.yml nor rnv/*.yaml";
  report(problem ?? error("manifest.not_found", summary, { hint }));
  return [];
}

const manifestFolder = (cwd: string, [first = "-"]: readonly string[]) => resolve(cwd, dirname(first));

export function besideManifest(cwd: string, files: readonly string[], name: string): string | undefined {
  const path = join(manifestFolder(cwd, files), name);
  return existsSync(path) ? path : undefined;
}

/** The folder whose files a manifest may name: its git repository. One that is not trusted: its own folder. */
export function projectFolder(cwd: string, files: readonly string[], isUntrusted: boolean): string {
  const folder = realOf(manifestFolder(cwd, files));
  return isUntrusted ? folder : (repositoryAround(folder) ?? resolve(cwd));
}

/** Returns the nearest folder, from `folder` up, that is the root of a repository. */
export function repositoryAround(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

function hintAbove(cwd: string): string | undefined {
  for (let folder = cwd; !existsSync(join(folder, ".git")) && dirname(folder) !== folder; ) {
    folder = dirname(folder);
    const found = [...manifestNames, "cdktf.json"].find((name) => existsSync(join(folder, name)));
    const path = relative(cwd, folder);
    if (found !== undefined) return `${join(path, found)} is above this folder: rnv -chdir=${path} …`;
  }
  return undefined;
}

/** How standard input is named in messages; `-` on the command line. */
export const standardInputName = "<stdin>";

function layerOf(name: string, cwd: string, report: Report): Layer | undefined {
  if (name === "-") return [standardInputName];
  const path = resolve(cwd, name);
  const shown = shownPath(path, cwd);
  try {
    const found = statSync(path);
    if (isLinkOut(path, cwd)) {
      report(linkOut(shown));
      return undefined;
    }
    if (basename(path) === "cdktf.json") {
      const hint = "without -f, rnv runs its app where there is no manifest; or name the app: --app COMMAND";
      report(error("manifest.unsupported", `${shown} is no manifest: it names the app of stacks`, { hint }));
      return undefined;
    }
    if (!found.isDirectory()) return [shown];
  } catch (cause) {
    const missing = isMissing(cause);
    const code = missing ? "manifest.not_found" : "manifest.unreadable";
    const details = missing && extname(path) === "" ? { hint: folderHint(shown) } : {};
    report(error(code, `cannot read ${shown}: ${reasonOf(cause)}`, details));
    return undefined;
  }
  let isComplete = true;
  const files = listFolder(path, cwd, (diagnostic) => {
    isComplete = false;
    report(diagnostic);
  });
  if (files.length === 0 && isComplete)
    report(
      error("manifest.not_found", `the folder ${shown} holds no *.yaml file and no manifest.json of stacks`, {
        hint: folderHint(shown),
      }),
    );
  return files.sort();
}

const folderHint = (shown: string): string =>
  `if an app writes it, run \`cdktf synth\`, or name the app in place of -f: --app COMMAND; if it is for manifests, write ${shown}/rnv.yaml`;

/** Returns true if a path of the project leads out of it with links followed. What is not there leads nowhere. */
export function isLinkOut(path: string, cwd: string): boolean {
  const real = isBelow(path, cwd) ? realPath(path) : undefined;
  return real !== undefined && !isWithin(real, [cwd]);
}

export const linkOut = (shown: string): Diagnostic =>
  error("manifest.unreadable", `${shown} is a link out of the project folder`);

function listFolder(folder: string, cwd: string, report: Report): string[] {
  const files: string[] = [];
  try {
    for (const { path, entry } of filesBelow(folder)) {
      if (!yamlName.test(entry.name)) continue;
      if (!entry.isSymbolicLink() || isWithin(realpathSync.native(path), [cwd, folder]))
        files.push(shownPath(path, cwd));
      else report(linkOut(shownPath(path, cwd)));
    }
  } catch (cause) {
    const { path = folder } = cause as NodeJS.ErrnoException;
    report(error("manifest.unreadable", `cannot read ${shownPath(path, cwd)}: ${reasonOf(cause)}`));
  }
  return files;
}

/** The files below a folder, and links; not those of `node_modules` and of what begins with a dot. */
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
  left: number,
  report: Report,
  given?: Uint8Array,
): string | undefined {
  try {
    const limit = Math.min(left, maxFileBytes);
    const bytes = given ?? readBytes(resolve(cwd, file), limit);
    if (bytes === undefined || bytes.length > limit) {
      const most =
        left < maxFileBytes
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

/** Reads a file that a user names, or what a command writes, which a shell hands over as a pipe: `<(pass show rnv)`. */
export const readNamed = (path: string, limit: number): Buffer | undefined =>
  statSync(path).isFIFO() ? readFileSync(path) : readBytes(path, limit);

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

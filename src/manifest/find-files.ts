import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import type { Report } from "../declaration/findings";
import {
  filesBelow,
  isLinkOut,
  isMissing,
  isWithin,
  linkOut,
  manifestFolder,
  shownPath,
} from "../declaration/project-files";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { reasonOf } from "../model/file-error";

/** Paths as shown of files that add up: those of one folder, or a single one. Later layers overlay earlier ones. */
type Layer = readonly string[];

export const manifestNames: readonly string[] = [
  "rnv.yaml",
  "rnv.yml",
  "rnv",
  ...["ts", "mts", "mjs", "js"].map((ending) => `rnv.config.${ending}`),
];

export const yamlName = /\.ya?ml$/;

export const programName = /\.[cm]?[jt]s$/;

/** Returns the layers that `-f` values name; without any, the manifest of the folder. */
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

/** Returns the manifest of a folder without `-f`, or the problem with its files; neither where it has none. */
export function defaultManifest(folder: string): { readonly file?: string; readonly problem?: Diagnostic } {
  const [file, other] = manifestNames.filter((name) =>
    name === "rnv" ? mayHoldYaml(join(folder, name)) : existsSync(join(folder, name)),
  );
  if (other === undefined) return file === undefined ? {} : { file };
  const both = [file, other].map((name) => (name === "rnv" ? "rnv/" : name)).join(" and ");
  const hint = "keep one, or choose with -f";
  return { problem: error("manifest.unsupported", `both ${both} exist`, { hint }) };
}

/** Returns the file or folder of the default manifest. Throws `DiagnosticsError` where two stand side by side. */
export function manifestIn(folder: string): string | undefined {
  const { file, problem } = defaultManifest(folder);
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
  const { file, problem } = defaultManifest(cwd);
  if (file !== undefined) return [file];
  const stack = ["cdktf.out", "cdk.tf.json"].find((name) => existsSync(join(cwd, name)));
  const hint =
    (stack &&
      `to read the stack that is here: -f ${stack}; to run the program that writes it: --app COMMAND`) ??
    hintAbove(cwd) ??
    "write one with `rnv init`, or name it with -f FILE";
  const summary = "there is no manifest: neither rnv.yaml, rnv.yml, rnv/*.yaml nor rnv.config.ts";
  report(problem ?? error("manifest.not_found", summary, { hint }));
  return [];
}

export function fileBesideManifest(cwd: string, files: readonly string[], name: string): string | undefined {
  const path = join(manifestFolder(cwd, files), name);
  return existsSync(path) ? path : undefined;
}

function hintAbove(cwd: string): string | undefined {
  for (let folder = cwd; !existsSync(join(folder, ".git")) && dirname(folder) !== folder; ) {
    folder = dirname(folder);
    const isFileName = (name: string): boolean => name !== "rnv" && existsSync(join(folder, name));
    const found = [...manifestNames, "cdktf.json"].find(isFileName);
    const path = relative(cwd, folder);
    if (found !== undefined) return `${join(path, found)} is above this folder: rnv -chdir=${path} …`;
  }
  return undefined;
}

export const standardInputName = "<stdin>";

export const valueName = "<manifest>";

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
  const nothing = `the folder ${shown} holds no *.yaml file and no manifest.json of stacks`;
  if (files.length === 0 && isComplete)
    report(error("manifest.not_found", nothing, { hint: folderHint(shown) }));
  return files.sort();
}

const folderHint = (shown: string): string =>
  `if an app writes it, run \`cdktf synth\`, or name the app in place of -f: --app COMMAND; if it is for manifests, write ${shown}/rnv.yaml`;

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

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoadedManifest, ManifestRequest } from "../../../src/declaration/load-request";
import { type Diagnostic, positionAt } from "../../../src/diagnostics/diagnostic";
import { loadManifest } from "../../../src/manifest/load-manifest";
import { resourceTypes } from "../../../src/resources";
import { newFolder } from "../../support/temp-folder";

/** A new folder with these files in it. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = newFolder("manifest");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A new folder with the files of a folder beside the suites. */
export function copyOf(name: string): string {
  const folder = newFolder("manifest");
  cpSync(join(__dirname, name), folder, { recursive: true });
  return folder;
}

export const load = (cwd: string, request: Partial<ManifestRequest> = {}): Promise<LoadedManifest> =>
  loadManifest({ files: [], cwd, types: resourceTypes, environment: {}, secrets: "resolve", ...request });

export const loadText = (
  text: string | Uint8Array,
  request: Partial<ManifestRequest> = {},
): Promise<LoadedManifest> => load(folderWith({ "rnv.yaml": text }), request);

/** A manifest with the service `api`, and lines of its block. */
export const withApi = (lines: string): string => `services:\n  api:\n    kind: web\n${lines}`;

/** `code file:line:column`, and the source text pointed at where it lies on one line. */
export function brief(diagnostic: Diagnostic): string {
  const { range } = diagnostic;
  if (range === undefined) return diagnostic.code;
  const text = range.source?.text ?? "";
  const { line, column } = positionAt(text, range.start);
  const pointed = text.slice(range.start, range.end).split("\n")[0];
  return `${diagnostic.code} ${range.file}:${line}:${column} ${pointed}`.trimEnd();
}

export const briefs = ({ diagnostics }: LoadedManifest): string[] => diagnostics.map(brief);

/** The cases of a file in `mistakes`: `=== name`, a manifest, and `>>> ` with what is found in it. */
export function mistakesIn(
  file: string,
): readonly (readonly [name: string, manifest: string, found: string])[] {
  const text = readFileSync(join(__dirname, "mistakes", file), "utf8");
  const cases = [...text.matchAll(/^=== (.*)\n([\s\S]*?)^>>> (.*)$/gm)];
  return cases.map(([, name = "", manifest = "", found = ""]) => [name, manifest, found]);
}

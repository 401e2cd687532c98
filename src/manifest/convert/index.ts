import type { TomlTable } from "smol-toml";
import { type Diagnostic, error, hasErrors, sortDiagnostics } from "../../diagnostics/diagnostic";
import { escapeTemplate, type MapEntry, type MapNode, type SourceNode } from "../tree";
import { writePlain } from "../write";
import { parseYaml } from "../yaml";
import { convertCompose } from "./compose";
import {
  type ConvertedManifest,
  type ConvertedService,
  type ConvertedValue,
  type Converter,
  dropped,
  logicalNameOf,
  type Report,
} from "./fields";
import { convertProcfile, parseProcfile } from "./procfile";
import { convertRailway } from "./railway";
import { convertRender } from "./render";

export const convertibleSources = ["render", "railway", "compose", "procfile"] as const;
export type ConvertibleSource = (typeof convertibleSources)[number];

export interface ConvertRequest {
  readonly source: ConvertibleSource;
  /** Path as shown, and its text. */
  readonly file: string;
  readonly text: string;
  /** The folder that the file stands in: some tools name their service after it. */
  readonly folder: string;
}

export interface Conversion {
  /** The manifest; undefined where the file cannot be read. */
  readonly text?: string;
  readonly count: number;
  /** Settings without a counterpart, each at its location in the file. */
  readonly diagnostics: readonly Diagnostic[];
  /** The text of the file for code frames, without its values: some of them are secrets. */
  readonly sources: ReadonlyMap<string, string>;
}

const converters: Readonly<Record<ConvertibleSource, Converter>> = {
  render: convertRender,
  railway: convertRailway,
  compose: convertCompose,
  procfile: convertProcfile,
};

/** Converts a file of another tool to a manifest. Nothing is invented: what has no counterpart is a warning with its place. */
export async function convert(request: ConvertRequest): Promise<Conversion> {
  const { source, file, folder } = request;
  const diagnostics: Diagnostic[] = [];
  const report: Report = (diagnostic) => diagnostics.push(diagnostic);
  const root = await parse(request, report);
  const sources = new Map(root === undefined ? [] : [[file, withoutValues(request, root)]]);
  if (root === undefined || hasErrors(diagnostics)) return { count: 0, diagnostics, sources };
  const converted = converters[source](root, report, folder);
  if (converted.services.length === 0)
    report(
      error("manifest.missing_key", `${file} declares no service`, { range: { file, start: 0, end: 0 } }),
    );
  if (hasErrors(diagnostics)) return { count: 0, diagnostics, sources };
  if (converted.services.some(({ configuration }) => configuration.image !== undefined))
    report(
      dropped(
        { file, start: 0, end: 0 },
        "sourceType: image is assumed for images: the service's documents do not show its word",
        "configuration: { sourceType: … }",
      ),
    );
  const all = sortDiagnostics(diagnostics);
  return { text: manifestOf(converted), count: converted.services.length, diagnostics: all, sources };
}

/** The text with every value starred out: places stay. */
function withoutValues({ source, file, text }: ConvertRequest, root: MapNode): string {
  const star = (value: string): string => value.replaceAll(/\S/g, "*");
  if (source === "procfile" || file.endsWith(".toml"))
    return text.replaceAll(/^([^\n=:]*[=:])?([^\n]*)$/gm, (line, key: string | undefined, value: string) =>
      line.startsWith("[") ? line : `${key ?? ""}${star(value)}`,
    );
  const ranges: [number, number][] = [];
  const seen = new Set<SourceNode>();
  const visit = (node: SourceNode): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (node.kind === "scalar") ranges.push([node.range.start, node.range.end]);
    else if (node.kind === "list") node.items.forEach(visit);
    else for (const { value } of node.entries.values()) visit(value);
  };
  visit(root);
  let shown = text;
  for (const [start, end] of ranges)
    shown = shown.slice(0, start) + star(shown.slice(start, end)) + shown.slice(end);
  return shown;
}

async function parse({ source, file, text }: ConvertRequest, report: Report): Promise<MapNode | undefined> {
  if (source === "procfile") return parseProcfile(file, text);
  if (file.endsWith(".toml")) return parseToml(file, text, report);
  // JSON is YAML.
  const { root, failed } = parseYaml(file, text, report);
  return failed ? undefined : root;
}

async function parseToml(file: string, text: string, report: Report): Promise<MapNode | undefined> {
  const { parse: parseText, TomlError } = await import("smol-toml");
  try {
    return tomlNode(parseText(text), { file, text }, 0) as MapNode;
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const start =
      text
        .split("\n")
        .slice(0, cause.line - 1)
        .join("\n").length + cause.column;
    report(
      error("manifest.syntax", `this is no TOML: ${cause.message.split("\n")[0]}`, {
        range: { file, start, end: start },
      }),
    );
    return undefined;
  }
}

/** A value with the place of its key: the library gives values without places. */
function tomlNode(
  value: unknown,
  from: { readonly file: string; readonly text: string },
  start: number,
): SourceNode {
  const range = { file: from.file, start, end: start };
  if (Array.isArray(value))
    return { kind: "list", items: value.map((item) => tomlNode(item, from, start)), range };
  if (typeof value !== "object" || value === null || value instanceof Date)
    return { kind: "scalar", value: value instanceof Date ? value.toISOString() : (value as string), range };
  const entries = new Map<string, MapEntry>();
  for (const [key, one] of Object.entries(value as TomlTable)) {
    const found = new RegExp(
      `^[ \\t]*\\[?[ \\t]*(?:[\\w-]+\\.)*(${key.replaceAll(/\W/g, "\\$&")})[ \\t]*[\\]=.]`,
      "m",
    ).exec(from.text.slice(start));
    const at = found === null ? start : start + found.index + found[0].indexOf(found[1] as string);
    const keyRange = { file: from.file, start: at, end: at + (found === null ? 0 : key.length) };
    entries.set(key, { key, keyRange, value: tomlNode(one, from, at) });
  }
  return { kind: "map", entries, range };
}

function manifestOf({ services, groups = {} }: ConvertedManifest): string {
  const taken = new Set<string>();
  const blocks = services.map((service) => [freeName(logicalNameOf(service.name), taken), service] as const);
  return writePlain({
    ...(Object.keys(groups).length > 0 && { variableGroups: groups }),
    services: Object.fromEntries(blocks.map(([name, service]) => [name, blockOf(name, service)])),
  });
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n += 1) name = `${wanted}-${n}`;
  taken.add(name);
  return name;
}

function blockOf(logicalName: string, service: ConvertedService): ConvertedValue {
  const { name, kind, configuration, variables = {}, variablesFrom = [] } = service;
  // What looks like a reference in a command is for the shell.
  const source = configuration.image === undefined ? {} : { sourceType: "image" };
  const written = Object.entries({ ...source, ...configuration }).flatMap(
    ([key, value]): [string, ConvertedValue][] =>
      value === undefined ? [] : [[key, typeof value === "string" ? escapeTemplate(value) : value]],
  );
  return {
    ...(name !== logicalName && { name }),
    kind,
    ...(written.length > 0 && { configuration: Object.fromEntries(written) }),
    ...(variablesFrom.length > 0 && { variablesFrom }),
    ...(Object.keys(variables).length > 0 && { variables }),
  };
}

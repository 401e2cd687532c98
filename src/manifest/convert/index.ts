import type { Report } from "../../declaration/findings";
import { type Diagnostic, error, hasErrors, SourceFile, sortDiagnostics } from "../../diagnostics/diagnostic";
import type { Plain } from "../../model/value";
import { parseYaml } from "../text/yaml";
import { put, writePlain, type YamlTree } from "../write";
import { type Clone, type ConvertedManifest, type ConvertedService, dropped, Fields } from "./field-reader";
import { convertProcfile, parseProcfile } from "./procfile";
import { convertRender } from "./render";

export const convertibleSources = ["render", "procfile"] as const;
export type ConvertibleSource = (typeof convertibleSources)[number];

export interface ConvertRequest {
  readonly source: ConvertibleSource;
  /** Path as shown, and its text. */
  readonly file: string;
  readonly text: string;
  readonly clone?: Clone;
}

export interface Conversion {
  /** The manifest; undefined where the file cannot be read. */
  readonly text?: string;
  readonly count: number;
  /** Settings without a counterpart, each at its location in the file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Converts a file of another tool to a manifest. Nothing is invented: a setting without counterpart is a warning. */
export function convert(request: ConvertRequest): Conversion {
  const { source, file, clone = { folder: "." } } = request;
  const text = request.text.replace(/^\uFEFF/, "");
  // An anchor that several services use is reported once.
  const reported = new Map<string, Diagnostic>();
  const report: Report = (found) => reported.set(`${found.range?.start} ${found.summary}`, found);
  const [parse, converter] =
    source === "procfile" ? [parseProcfile, convertProcfile] : [parseYaml, convertRender];
  const shown = new SourceFile(file, withoutValues(text));
  const { root, failed } = parse(shown, text, report);
  const converted =
    root && !failed ? converter(new Fields(root, source, report, text), clone) : { services: [] };
  const range = shown.range(0, 0);
  const count = converted.services.length;
  if (count === 0 && !hasErrors([...reported.values()]))
    report(error("manifest.missing_key", `${file} declares no service`, { range }));
  if (converted.services.some(({ configuration }) => configuration.image !== undefined))
    report(dropped(range, "sourceType: image is assumed for images: the platform does not show its word"));
  const diagnostics = sortDiagnostics([...reported.values()]);
  return { text: hasErrors(diagnostics) ? undefined : manifestOf(converted), count, diagnostics };
}

/** The text with every value starred out: keys at the beginning of a line stay, as do offsets. */
const withoutValues = (text: string): string =>
  text.replace(/(^[ \t]*(?:- +)*["']?[\w.-]+["']?[ \t]*[:=])|\S/gm, (_, key?: string) => key ?? "*");

function manifestOf({ services, groups }: ConvertedManifest): string {
  const written: YamlTree = new Map(Object.entries(withoutEmpty({ variableGroups: groups })));
  for (const service of [...services].sort((a, b) => Number(!a.project) - Number(!b.project))) {
    const { path, project } = service;
    if (project !== undefined && project !== path[1]) put(written, [...path.slice(0, 2), "name"], project);
    put(written, path, blockOf(service));
  }
  return writePlain(written);
}

function blockOf(service: ConvertedService): Plain {
  const { path, name, kind, environment, configuration, variablesFrom, variables } = service;
  return withoutEmpty({
    name: name === path.at(-1) ? undefined : name,
    kind,
    environment,
    configuration: withoutEmpty({
      sourceType: configuration.image === undefined ? undefined : "image",
      ...configuration,
    }),
    variablesFrom,
    variables,
  });
}

/** Leaves out undefined values, and empty lists and mappings. */
const withoutEmpty = (map: ConvertedService["configuration"]): Readonly<Record<string, Plain>> =>
  Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) => {
      const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
      return value === undefined || isEmpty ? [] : [[key, value]];
    }),
  );

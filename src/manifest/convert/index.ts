import { type Diagnostic, error, hasErrors, sortDiagnostics } from "../../diagnostics/diagnostic";
import { escapeTemplate, type MapNode } from "../tree";
import { writePlain } from "../write";
import { parseYaml } from "../yaml";
import { convertCompose } from "./compose";
import {
  type Clone,
  type ConvertedManifest,
  type ConvertedService,
  type ConvertedValue,
  type Converter,
  dropped,
  logicalNameOf,
  type Report,
} from "./fields";
import { convertProcfile, parseProcfile } from "./procfile";
import { convertRender } from "./render";

export const convertibleSources = ["render", "compose", "procfile"] as const;
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
  /** The text of the file for code frames, without its values: some of them are secrets. */
  readonly sources: ReadonlyMap<string, string>;
}

const converters: Readonly<Record<ConvertibleSource, Converter>> = {
  render: convertRender,
  compose: convertCompose,
  procfile: convertProcfile,
};

/** Converts a file of another tool to a manifest. Nothing is invented: what has no counterpart is a warning with its place. */
export function convert(request: ConvertRequest): Conversion {
  const { source, file, clone = { folder: "." } } = request;
  const diagnostics: Diagnostic[] = [];
  const report: Report = (diagnostic) => diagnostics.push(diagnostic);
  const root = parse(request, report);
  const sources = new Map(root === undefined ? [] : [[file, withoutValues(request.text)]]);
  if (root === undefined || hasErrors(diagnostics)) return { count: 0, diagnostics, sources };
  const converted = converters[source](root, report, clone);
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
      ),
    );
  const all = sortDiagnostics(diagnostics);
  return { text: manifestOf(converted, source), count: converted.services.length, diagnostics: all, sources };
}

/** Keys at the beginning of a line, and what is behind them. */
const keyAndRest = /^([ \t]*(?:- +)*["']?[\w.-]+["']?[ \t]*[:=])?(.*)$/gm;

/** The text with every value starred out: keys and offsets stay. */
const withoutValues = (text: string): string =>
  text.replaceAll(
    keyAndRest,
    (_, key: string | undefined, value: string) => (key ?? "") + value.replaceAll(/\S/g, "*"),
  );

function parse({ source, file, text }: ConvertRequest, report: Report): MapNode | undefined {
  if (source === "procfile") return parseProcfile(file, text);
  // The tag of a merge says what the key says.
  const plain = text.replace(/!!merge +<<:/g, (found) => "<<:".padEnd(found.length));
  const { root, failed } = parseYaml(file, plain, report);
  return failed ? undefined : root;
}

function manifestOf({ services, groups = {} }: ConvertedManifest, source: ConvertibleSource): string {
  // A manifest takes no name of the environment as a secret that it shows in a configuration.
  const configurations = JSON.stringify(services.map(({ configuration }) => configuration));
  const shown = new Set([...configurations.matchAll(/\$\{env\.(\w+)/g)].map(([, name]) => name));
  const blocks = new Map<string | undefined, Map<string, ConvertedValue>>();
  for (const service of services) {
    const inProject = blocks.get(service.project) ?? new Map<string, ConvertedValue>();
    const name = freeName(logicalNameOf(service.name), inProject);
    blocks.set(service.project, inProject.set(name, blockOf(name, service, shown, source === "compose")));
  }
  const ungrouped = blocks.get(undefined);
  const projects = [...blocks].flatMap(([name, inProject]) => {
    if (name === undefined) return [];
    const key = logicalNameOf(name);
    return [[key, { ...(key !== name && { name }), services: Object.fromEntries(inProject) }] as const];
  });
  return writePlain({
    ...(Object.keys(groups).length > 0 && { variableGroups: groups }),
    ...(projects.length > 0 && { projects: Object.fromEntries(projects) }),
    ...(ungrouped && { services: Object.fromEntries(ungrouped) }),
  });
}

function freeName(wanted: string, taken: ReadonlyMap<string, ConvertedValue>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n += 1) name = `${wanted}-${n}`;
  return name;
}

function blockOf(
  logicalName: string,
  service: ConvertedService,
  shown: ReadonlySet<string | undefined>,
  isTemplate: boolean,
): ConvertedValue {
  const { name, kind, environment, configuration, dependsOn = [], variablesFrom = [] } = service;
  const source = configuration.image === undefined ? {} : { sourceType: "image" };
  const written = Object.entries({ ...source, ...configuration }).flatMap(
    ([key, value]): [string, ConvertedValue][] => {
      // What looks like a reference in a command is for the shell, unless the converter wrote it.
      const isLiteral = typeof value === "string" && !isTemplate;
      return value === undefined ? [] : [[key, isLiteral ? escapeTemplate(value) : value]];
    },
  );
  const variables = Object.entries(service.variables ?? {}).map(([key, value]) => {
    const from = typeof value === "object" && "fromEnv" in value ? String(value.fromEnv) : undefined;
    return [key, from !== undefined && shown.has(from) ? `\${env.${from}}` : value] as const;
  });
  return {
    ...(name !== logicalName && { name }),
    kind,
    ...(environment !== undefined && { environment }),
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(written.length > 0 && { configuration: Object.fromEntries(written) }),
    ...(variablesFrom.length > 0 && { variablesFrom }),
    ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
  };
}

import { type Diagnostic, error, hasErrors, SourceFile, sortDiagnostics } from "../../diagnostics/diagnostic";
import type { Plain } from "../../model/value";
import type { Report } from "../findings";
import { put, writePlain, type YamlTree } from "../write";
import { parseYaml } from "../yaml";
import { convertCompose } from "./compose";
import {
  type Clone,
  type ConvertedManifest,
  type ConvertedMap,
  type ConvertedService,
  dropped,
  logicalNameOf,
} from "./fields";
import { convertProcfile } from "./procfile";
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
}

/** Converts a file of another tool to a manifest. Nothing is invented: what has no counterpart is a warning with its place. */
export function convert(request: ConvertRequest): Conversion {
  const { file, clone = { folder: "." } } = request;
  const found: Diagnostic[] = [];
  const report: Report = (diagnostic) => found.push(diagnostic);
  const source = new SourceFile(file, withoutValues(request.text));
  const converted = read(request, source, report, clone);
  if (converted === undefined) return { count: 0, diagnostics: found };
  const range = source.range(0, 0);
  const count = converted.services.length;
  if (count === 0 && !hasErrors(found))
    report(error("manifest.missing_key", `${file} declares no service`, { range }));
  if (converted.services.some(({ configuration }) => configuration.image !== undefined)) {
    const assumed = "sourceType: image is assumed for images: the service's documents do not show its word";
    report(dropped(range, assumed));
  }
  const diagnostics = sortDiagnostics(found);
  if (hasErrors(diagnostics)) return { count, diagnostics };
  return { text: manifestOf(converted), count, diagnostics };
}

/** The text with every value starred out: keys at the beginning of a line stay, as do offsets. */
const withoutValues = (text: string): string =>
  text.replace(/(^[ \t]*(?:- +)*["']?[\w.-]+["']?[ \t]*[:=])|\S/gm, (_, key?: string) => key ?? "*");

/** Returns undefined for a file that cannot be read. */
function read({ source, text }: ConvertRequest, file: SourceFile, report: Report, clone: Clone) {
  if (source === "procfile") return convertProcfile(file, text, report, clone);
  // The tag of a merge says what the key says.
  const plain = text.replace(/!!merge +<<:/g, (found) => "<<:".padEnd(found.length));
  const { root, failed } = parseYaml(file, plain, report);
  if (root === undefined || failed) return undefined;
  return (source === "render" ? convertRender : convertCompose)(root, report, clone);
}

function manifestOf({ services, groups }: ConvertedManifest): string {
  // A manifest takes no name of the environment as a secret that it shows in a configuration.
  const configurations = JSON.stringify(services.map(({ configuration }) => configuration));
  const shown = new Set([...configurations.matchAll(/(?<!\$)\$\{env\.(\w+)/g)].map(([, name]) => name));
  const written: YamlTree = new Map(Object.entries(withoutEmpty({ variableGroups: groups })));
  const paths = new Set<string>();
  // Projects come first.
  for (const service of [...services].sort((a, b) => Number(!a.project) - Number(!b.project))) {
    const { name, project } = service;
    const outer = project === undefined ? [] : ["projects", logicalNameOf(project)];
    if (project !== undefined && project !== outer[1]) put(written, [...outer, "name"], project);
    const wanted = [...outer, "services", logicalNameOf(name)].join("/");
    let path = wanted;
    for (let n = 2; paths.has(path); n += 1) path = `${wanted}-${n}`;
    paths.add(path);
    const keys = path.split("/");
    put(written, keys, blockOf(keys.at(-1) ?? "", service, shown));
  }
  return writePlain(written);
}

function blockOf(
  logicalName: string,
  service: ConvertedService,
  shown: ReadonlySet<string | undefined>,
): Plain {
  const { name, kind, environment, dependsOn, configuration, variablesFrom } = service;
  const variables = Object.entries(service.variables ?? {}).map(([key, value]) => {
    const { fromEnv } = Object(value) as { readonly fromEnv?: string };
    return [key, fromEnv !== undefined && shown.has(fromEnv) ? `\${env.${fromEnv}}` : value] as const;
  });
  return withoutEmpty({
    name: name === logicalName ? undefined : name,
    kind,
    environment,
    dependsOn,
    configuration: withoutEmpty({
      sourceType: configuration.image === undefined ? undefined : "image",
      ...configuration,
    }),
    variablesFrom,
    variables: Object.fromEntries(variables),
  });
}

/** Leaves out what is undefined, and empty lists and mappings. */
const withoutEmpty = (map: ConvertedMap): Readonly<Record<string, Plain>> =>
  Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) => {
      const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
      return value === undefined || isEmpty ? [] : [[key, value]];
    }),
  );

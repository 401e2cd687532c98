import type { Report } from "../../declaration/findings";
import { entryNode, type MapEntry, scalarNode } from "../../declaration/tree";
import type { SourceFile } from "../../diagnostics/diagnostic";
import { LogicalNames } from "../write";
import { type Converter, conversionWarning } from "./field-reader";

const line = /^([A-Za-z0-9_-]+):[ \t]*(\S.*?)\s*$/;

export function parseProcfile(file: SourceFile, text: string, report: Report) {
  const entries = new Map<string, MapEntry>();
  for (const { index, 0: whole } of text.matchAll(/^.*$/gm)) {
    const range = file.range(index, index + whole.trimEnd().length);
    const [, name = "", command] = line.exec(whole) ?? [];
    const earlier = entries.get(name);
    if (earlier)
      report(conversionWarning(earlier.keyRange, `procfile.${name}: a later line of this name is kept`));
    if (command !== undefined) entries.set(name, entryNode(name, scalarNode(command, range)));
    else if (!/^\s*(?:#.*)?$/.test(whole))
      report(conversionWarning(range, "this line is no process: name: command"));
  }
  return { root: { kind: "map" as const, entries, range: file.range(0, 0) }, failed: false };
}

/** Makes a service for each process; `release` runs before the process that serves. */
export const convertProcfile: Converter = (file, { repository, folder }) => {
  const { entries, range } = file.node;
  const processes = [...entries.keys()].filter((name) => name !== "release");
  const serving = entries.has("web") ? "web" : processes[0];
  const logicalNames = new LogicalNames();
  const services = processes.map((name) => {
    const configuration = {
      repository,
      rootDirectory: repository === undefined || folder === "." ? undefined : folder,
      preDeployCommand: name === serving ? file.command("release") : undefined,
      startCommand: file.command(name),
    };
    const kind = name === "web" ? "web" : "worker";
    const path = logicalNames.pathIn(["services"], name);
    return { path, name, kind, configuration };
  });
  const missing = repository === undefined ? "names neither the repository nor" : "does not name";
  const hint = repository === undefined ? "configuration: { repository: https://… }" : undefined;
  if (services.length > 0) file.report(conversionWarning(range, `the file ${missing} the variables`, hint));
  return { services };
};

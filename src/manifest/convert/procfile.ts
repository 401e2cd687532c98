import type { SourceFile } from "../../diagnostics/diagnostic";
import type { Report } from "../findings";
import { escapeTemplate } from "../tree";
import { type Clone, type ConvertedManifest, dropped } from "./fields";

const line = /^([A-Za-z0-9_-]+):[ \t]*(\S.*?)\s*$/;

/** `Procfile`: a service for each `name: command` line; `release` runs before the one that serves. */
export function convertProcfile(
  file: SourceFile,
  text: string,
  report: Report,
  clone: Clone,
): ConvertedManifest {
  const commands = new Map<string, string>();
  for (const { index, 0: whole } of text.matchAll(/^.*$/gm)) {
    const [, name, command] = line.exec(whole) ?? [];
    if (name !== undefined && command !== undefined) commands.set(name, escapeTemplate(command));
    else if (!/^\s*(?:#.*)?$/.test(whole))
      report(
        dropped(file.range(index, index + whole.trimEnd().length), "this line is no process: name: command"),
      );
  }
  const release = commands.get("release");
  commands.delete("release");
  const serving = commands.has("web") ? "web" : [...commands.keys()][0];
  const { repository, folder } = clone;
  const services = [...commands].map(([name, startCommand]) => ({
    name,
    kind: name === "web" ? "web" : "worker",
    configuration: {
      repository,
      rootDirectory: repository === undefined || folder === "." ? undefined : folder,
      preDeployCommand: name === serving ? release : undefined,
      startCommand,
    },
  }));
  const missing = repository === undefined ? "names neither the repository nor" : "does not name";
  const hint = repository === undefined ? "configuration: { repository: https://… }" : undefined;
  if (services.length > 0) report(dropped(file.range(0, 0), `the file ${missing} the variables`, hint));
  return { services };
}

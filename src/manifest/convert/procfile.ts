import type { MapEntry, MapNode } from "../tree";
import { type Converter, dropped, repositoryHint, textIn } from "./fields";

const line = /^([A-Za-z0-9_-]+):[ \t]*(\S.*?)[ \t]*$/;

/** Reads `name: command` lines; others are kept under an empty name for the report. */
export function parseProcfile(file: string, text: string): MapNode {
  const entries = new Map<string, MapEntry>();
  let start = 0;
  for (const whole of text.split("\n")) {
    const written = whole.trimEnd();
    const range = { file, start, end: start + written.length };
    const [, key, command] = line.exec(written) ?? [];
    const isNothing = /^\s*(?:#.*)?$/.test(written);
    const value = { kind: "scalar" as const, value: command ?? null, range };
    if (key !== undefined) entries.set(key, { key, keyRange: { ...range, end: start + key.length }, value });
    else if (!isNothing) entries.set(`\0${start}`, { key: "", keyRange: range, value });
    start += whole.length + 1;
  }
  return { kind: "map", entries, range: { file, start: 0, end: 0 } };
}

/** `Procfile`: a service for each process; `release` runs before the one that serves. */
export const convertProcfile: Converter = (root, report, clone) => {
  const processes = [...root.entries.values()].filter(({ key }) => key !== "");
  for (const { key, keyRange } of root.entries.values())
    if (key === "") report(dropped(keyRange, "this line is no process: name: command"));
  const release = root.entries.get("release");
  const served = processes.filter(({ key }) => key !== "release");
  const first = served.find(({ key }) => key === "web") ?? served[0];
  const services = served.map(({ key, value }) => ({
    name: key,
    kind: key === "web" ? "web" : "worker",
    configuration: {
      repository: clone.repository,
      rootDirectory: clone.repository === undefined || clone.folder === "." ? undefined : clone.folder,
      preDeployCommand: key === first?.key ? textIn(release?.value) : undefined,
      startCommand: textIn(value),
    },
  }));
  const [start] = services.length > 0 ? processes : [];
  const missing = clone.repository === undefined ? "names neither the repository nor" : "does not name";
  const hint = clone.repository === undefined ? repositoryHint : undefined;
  if (start !== undefined) report(dropped(start.keyRange, `the file ${missing} the variables`, hint));
  return { services };
};

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { hasErrors } from "../../diagnostics/diagnostic";
import { openContext } from "../context";
import type { Handler, Invocation } from "../invocation";
import { exitCodes, outStyle, report } from "../report";
import { readSettings } from "../settings";
import { starterManifest } from "../starter-manifest";
import { writeWholeFile } from "../write-whole-file";

/** `rnv init`: a first manifest, a .gitignore line, the key of fingerprints, and what is still missing. */
export const initHandler: Handler = async (invocation) => {
  const { terminal, environment, cwd, options } = invocation;
  const state = typeof options.state === "string" ? options.state : undefined;
  const settings = readSettings(environment, { state, cwd });
  const { colors } = outStyle(invocation);
  const done = (text: string): void => terminal.out(`${colors.green("+")} ${text}\n`);
  const kept = (text: string): void => terminal.out(`  ${text}\n`);

  const manifest = existingManifest(cwd);
  if (manifest === undefined) {
    writeWholeFile(join(cwd, "rnv.yaml"), starterManifest, { keep: true, mode: 0o666 & ~process.umask() });
    done("rnv.yaml: a first manifest to edit");
  } else kept(`${manifest} is there already: left as it is`);

  if (ignoreRecords(cwd)) done(".gitignore: the state and its key stay out of git");
  else kept(".gitignore has .rnv/ already");

  const key = join(settings.stateFolder, "state.key");
  const hadKey = existsSync(key);
  const { diagnostics } = await openContext(invocation).stateKey(true);
  report(invocation, diagnostics);
  if (hasErrors(diagnostics)) return exitCodes.error;
  if (environment.RNV_STATE_KEY) kept("RNV_STATE_KEY is the key of secret fingerprints");
  else if (hadKey) kept(`${nearPath(invocation, key)} is there already`);
  else done(`${nearPath(invocation, key)}: the key of secret fingerprints; keep a copy`);

  report(
    invocation,
    settings.diagnostics.map((found) => ({ ...found, severity: "warning" as const })),
  );
  terminal.out(nextSteps(hasErrors(settings.diagnostics)));
  return exitCodes.done;
};

const existingManifest = (cwd: string): string | undefined =>
  ["rnv.yaml", "rnv.yml", "rnv"].find((name) => existsSync(join(cwd, name)));

/** True when the line was added. */
function ignoreRecords(cwd: string): boolean {
  const path = join(cwd, ".gitignore");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (text.split(/\r?\n/).some((line) => /^\/?\.rnv\/?$/.test(line.trim()))) return false;
  appendFileSync(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}.rnv/\n`);
  return true;
}

function nearPath({ cwd }: Invocation, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith("..") || isAbsolute(near) ? path : near;
}

const nextSteps = (incomplete: boolean): string =>
  `\nNext:\n${incomplete ? "  set what is missing above, then\n" : ""}` +
  "  rnv plan     shows what would change\n  rnv apply    asks, then changes it\n";

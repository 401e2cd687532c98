import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { ApiError } from "../../api/api-error";
import { diagnosticOf } from "../../api/diagnostic-of";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../../diagnostics/diagnostic";
import { counted } from "../../render/plan-wording";
import { openContext } from "../context";
import type { Handler, Invocation } from "../invocation";
import { exitCodes, outStyle, report } from "../report";
import { schemaLine } from "../schema-line";
import { readSettings, type Settings } from "../settings";
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
    writeWholeFile(join(cwd, "rnv.yaml"), schemaLine(cwd) + starterManifest, {
      keep: true,
      mode: 0o666 & ~process.umask(),
    });
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

  const isSet = !hasErrors(settings.diagnostics);
  const answer = isSet && settings.baseUrl !== "embedded" ? await askOnce(invocation, settings) : undefined;
  if (answer?.projects !== undefined)
    done(`${settings.baseUrl} answers: the key opens workspace ${settings.workspaceId} (${answer.projects})`);
  const problems = [...settings.diagnostics, ...(answer?.diagnostics ?? [])];
  report(
    invocation,
    problems.map((found) => ({ ...found, severity: "warning" as const })),
  );
  terminal.out(nextSteps(hasErrors(problems)));
  return exitCodes.done;
};

/** Milliseconds; whoever sets up a folder waits for no service that hangs. */
const patience = 10_000;

interface Answer {
  readonly projects?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** One read, which only a key of that workspace may make. */
async function askOnce(invocation: Invocation, { baseUrl }: Settings): Promise<Answer> {
  const enough = AbortSignal.timeout(patience);
  const asking = { ...invocation, signal: AbortSignal.any([invocation.signal, enough]) };
  try {
    const context = openContext(asking);
    try {
      const { endpoints, send } = await context.connect();
      const projects = await endpoints(send).listProjects();
      return { projects: counted(projects.length, "project"), diagnostics: [] };
    } finally {
      await context.close();
    }
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return { diagnostics: cause.diagnostics };
    if (enough.aborted)
      return {
        diagnostics: [
          error("api.unavailable", `${baseUrl} does not answer within ${patience / 1000} s`, {
            hint: "check RNV_BASE_URL and the network",
          }),
        ],
      };
    if (cause instanceof ApiError) return { diagnostics: [diagnosticOf(cause)] };
    throw cause;
  }
}

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
  `\nNext:\n${incomplete ? "  see to the warnings above, then\n" : ""}` +
  "  rnv plan     shows what would change\n  rnv apply    asks, then changes it\n";

import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { RunProgram } from "../../declaration/load-request";
import { shownPath } from "../../declaration/project-files";
import { maskVariables } from "../../declaration/secret-texts";
import { error } from "../../diagnostics/diagnostic";
import { reasonOf } from "../../model/file-error";
import type { ProgramMessage } from "./evaluate-program";

/** Found when a program is run: a bundle without it runs none. */
const scriptPath = (): string => require.resolve("./evaluate-program");

interface ProgramOptions {
  readonly print?: (text: string) => void;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Returns a function that runs programs of manifests: each once for a stage and an environment. */
export function programRunner(options: ProgramOptions = {}): RunProgram {
  const runs = new Map<string, ReturnType<RunProgram>>();
  return (program) => {
    const key = JSON.stringify(program);
    const run = runs.get(key) ?? runProgram(program, options);
    runs.set(key, run);
    return run;
  };
}

async function runProgram(
  { file, cwd, environment: env, stage }: Parameters<RunProgram>[0],
  { print, signal, timeoutMs = 60_000 }: ProgramOptions,
): ReturnType<RunProgram> {
  const path = resolve(cwd, file);
  const loader = tsxOf(path);
  const child = fork(scriptPath(), [path, ...(stage === undefined ? [] : [JSON.stringify(stage)])], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    signal,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    execArgv: ["--disable-warning=ExperimentalWarning", ...(loader ? ["--import", loader] : [])],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => print?.(chunk.toString()));
  let sent: ProgramMessage | undefined;
  child.on("message", (message) => {
    sent = message as ProgramMessage;
  });
  const ended = await new Promise<string>((settle) => {
    const late = `did not end within ${timeoutMs / 1000} s`;
    child.on("error", (cause) => settle(`cannot be started: ${reasonOf(cause)}`));
    child.on("close", (code, by) => {
      const unfinished = `ended with exit code ${code} before it returned a manifest`;
      settle(child.killed ? late : by ? `was ended by ${by}` : unfinished);
    });
  });
  signal?.throwIfAborted();
  const message = sent ?? { missing: ended };
  if ("json" in message) return message;
  if ("thrown" in message) return { diagnostic: programError(file, cwd, message, env) };
  if ("problem" in message)
    return { diagnostic: error("manifest.invalid_value", `${file}: ${message.problem}`) };
  const hint = sent && "export default defineManifest({ projects: { … } })";
  return { diagnostic: error("manifest.program_failed", `${file} ${message.missing}`, { hint }) };
}

function tsxOf(path: string): string | undefined {
  try {
    return pathToFileURL(createRequire(path).resolve("tsx")).href;
  } catch {
    return undefined;
  }
}

const toInstall = "install what it imports in its folder; aliases of a tsconfig.json need rnv -chdir";

const hints: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND: toInstall,
  MODULE_NOT_FOUND: toInstall,
  "own file": "check this path; Node needs the ending of the file too, such as ./services.ts",
  ERR_UNKNOWN_FILE_EXTENSION:
    "before 22.18, Node runs no TypeScript: install tsx (npm install --save-dev tsx), or a newer Node",
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    "Node runs TypeScript whose types can be removed; for all of it, install tsx: npm install --save-dev tsx",
};

type Thrown = Extract<ProgramMessage, { readonly thrown: string }>;

/** The error of a program, at the first line of its stack that is the user's. */
function programError(file: string, cwd: string, { stack, code, ...of }: Thrown, env: NodeJS.ProcessEnv) {
  const thrown = maskVariables(of.thrown, env).replace(
    /"[^\n]*"(?= ?(?:\.\.\.)? is not valid JSON)/,
    "the text",
  );
  const [first = "", ...others] = thrown.replace(/ \[ERR_\w+\]/, "").split("\n");
  // esbuild, which tsx uses, writes its finding below the first line.
  const [, syntax] = /: ERROR: (.+?)(?: but found .*)?$/m.exec(thrown) ?? [];
  const frames = stack.split("\n").map((line) => /(?:^|[( ])((?:file:\/\/)?\/[^:]+):(\d+)/.exec(line));
  const [, at = "", line] =
    frames.find((frame) => frame && !frame[1]?.includes("/node_modules/") && frame[1] !== scriptPath()) ?? [];
  const shown = shownPath(at.startsWith("file:") ? fileURLToPath(at) : at, cwd);
  const detail = syntax === undefined ? others.join("\n") : "";
  return error("manifest.program_failed", `${file} failed: ${syntax ?? first}`, {
    detail: detail || undefined,
    range: at === "" ? undefined : { file: shown, start: 0, end: 0, line: Number(line) },
    hint: hints[/Cannot find module '[./](?!.*\/node_modules\/)/.test(thrown) ? "own file" : String(code)],
  });
}

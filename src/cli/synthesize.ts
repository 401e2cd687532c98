import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { SynthesizedFiles } from "../declaration/load-request";
import { isWithin, readNamed, shownPath } from "../declaration/project-files";
import { holdsSecret, maskVariables } from "../declaration/secret-texts";
import { quoteShort } from "../declaration/tree";
import { appEnvironment, trustOf } from "../declaration/trust";
import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { defaultManifest } from "../manifest/find-files";
import { reasonOf } from "../model/file-error";
import { systemClock } from "../model/time";
import { readOutput } from "../stack/stack-files";
import { aliveBy } from "../state/alive-by";
import { acquireLock, recordFor } from "../state/lock-record";
import { makeIgnoredFolder, nodeDisk } from "../state/node-disk";
import { localLocks } from "../state/stores/local-backend";
import { isFile } from "./files";
import { type Screen, usage } from "./screen";
import type { Request } from "./target";

const settingsName = "cdktf.json";

type AppSettings = Readonly<Partial<Record<"app" | "output" | "context", unknown>>>;

/**
 * Runs the program of a stack and returns the request with its output as `files`. Only `--app` names a program, or a
 * `cdktf.json` where there is no manifest and no `--file`.
 */
export async function withStack(request: Request, screen: Screen): Promise<Request> {
  const { cwd, environment, app, files, untrusted } = request;
  const say = (line: string): void => {
    if (screen.format !== "json") screen.terminal.note(`${line}\n`);
  };
  if (app !== undefined && files.length > 0) throw usage("--app and --file exclude each other");
  const { file: manifest, problem } = defaultManifest(cwd);
  if (files.length > 0) {
    const output = resolve(cwd, files[0] ?? "", "manifest.json");
    if (isFile(output) && existsSync(join(cwd, settingsName))) {
      const written = statSync(output).mtime.toISOString();
      say(`Reading ${files[0]} of ${written}. The app of ${settingsName} is not run.`);
    }
    return request;
  }
  if (problem && app === undefined) return request;
  const settings = readAppSettings(cwd);
  const command = app ?? settings.app;
  if (!isCommand(command)) {
    if (manifest !== undefined || !existsSync(join(cwd, settingsName))) return request;
    const hint = 'write "app": "npx tsx main.ts" with the command of your program, or name it with --app';
    throw failure("stack.not_found", `${settingsName} names no app`, { hint });
  }
  if (app === undefined && manifest !== undefined) {
    say(`Reading ${manifest}. The app of ${settingsName} is not read: name it with --app.`);
    return request;
  }
  const { commandsForbiddenBy } = trustOf({ environment, untrusted });
  if (commandsForbiddenBy !== undefined)
    throw failure(
      "guard.untrusted",
      `the program ${quoteShort(command)} ${app === undefined ? "of cdktf.json " : ""}is not run: ${commandsForbiddenBy} forbids it`,
      { hint: "synthesize where the program is trusted, and name its output: -f cdktf.out" },
    );
  const folder = typeof settings.output === "string" ? settings.output : "cdktf.out";
  say(`Synthesizing: ${holdsSecret(command) ? "…" : command}`);
  const { output, context } = settings;
  const program = { command, folder, context, isOfProgram: output !== undefined, signal: screen.signal, say };
  return { ...request, files: [folder], synthesized: await synthesize(request, { ...program, cwd }) };
}

export function appIn(cwd: string): string | undefined {
  const { app } = readAppSettings(cwd);
  return isCommand(app) ? app : undefined;
}

const isCommand = (app: unknown): app is string => typeof app === "string" && app.trim() !== "";

function readAppSettings(cwd: string): AppSettings {
  const path = join(cwd, settingsName);
  if (!existsSync(path)) return {};
  try {
    const parsed: unknown = JSON.parse(readNamed(path, 1024 * 1024));
    if (parsed !== null && typeof parsed === "object") return parsed;
  } catch {
    // Reported below, without the text, which may be secret.
  }
  throw failure("stack.syntax", `${settingsName} is not a JSON object of at most 1048576 bytes`);
}

interface App {
  readonly cwd: string;
  readonly command: string;
  readonly context: unknown;
  readonly folder: string;
  /** The program ignores CDKTF_OUTDIR and writes to its own output folder. */
  readonly isOfProgram: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const timeoutMs = 300_000;

/** Runs a program of constructs and returns its stacks; throws `DiagnosticsError` with its output. */
async function synthesize(request: Request, app: App): Promise<SynthesizedFiles> {
  const { cwd, command, isOfProgram } = app;
  const folder = resolve(cwd, app.folder);
  const outside = `the output folder ${JSON.stringify(app.folder)} is outside the project folder`;
  const hint = "name a folder of the project as output in cdktf.json";
  if (!isInProject(folder, cwd)) throw failure("config.invalid", outside, { hint });
  mkdirSync(dirname(folder), { recursive: true });
  const named = `the program ${quoteShort(command)}`;
  return writeOutput({ ...app, folder }, async (own) => {
    const before = timesIn(own);
    const { problem, output } = await execute(request, { ...app, folder: own });
    app.signal.throwIfAborted();
    if (problem !== undefined) throw programFailed(command, { problem, output, cwd });
    const made = [...timesIn(own)].flatMap(([file, time]) => (before.get(file) === time ? [] : file));
    const written = made.includes("manifest.json") ? await readOutput(own) : undefined;
    if (written === undefined) {
      const where = isOfProgram ? app.folder : "CDKTF_OUTDIR";
      throw failure("stack.not_found", `${named} wrote no manifest.json into ${where}`, {
        hint: `call app.synth() at its end; if the app has an outdir of its own, write that folder as "output" in ${settingsName}`,
      });
    }
    // Each App overwrites manifest.json.
    const first = made.filter((file) => !written.has(file));
    const last = [...written.keys()].slice(1);
    if (first.length > 0)
      throw failure(
        "stack.duplicate",
        `${named} has two apps: of ${stackNames(first)}, and of ${stackNames(last)}`,
        { hint: "put all stacks into one App, or write two programs, each in a folder with a cdktf.json" },
      );
    const shown = shownPath(folder, cwd);
    return new Map([...written].map(([file, bytes]) => [`${shown}/${file}`, bytes]));
  });
}

const stackNames = (files: readonly string[]): string =>
  files.map((file) => basename(dirname(file))).join(", ");

/** Returns true if a folder is inside the project. Of a missing folder, the nearest existing parent may be a link. */
function isInProject(folder: string, cwd: string): boolean {
  const isBelow = `${folder}${sep}`.startsWith(`${resolve(cwd)}${sep}`);
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return isBelow && existsSync(at) && isWithin(realpathSync.native(at), [cwd]);
}

function execute(
  { cwd, environment, givenStage }: Request,
  { command, folder, context, signal }: Pick<App, "command" | "folder" | "context" | "signal">,
): Promise<{ readonly problem?: string | undefined; readonly output: string }> {
  const inherited = appEnvironment(environment);
  const env = {
    ...inherited,
    CDKTF_OUTDIR: folder,
    RNV_STAGE: givenStage?.trim() ?? inherited.RNV_STAGE,
    CDKTF_CONTEXT_JSON: context === undefined ? inherited.CDKTF_CONTEXT_JSON : JSON.stringify(context),
  };
  const late = AbortSignal.timeout(timeoutMs);
  return new Promise((done) => {
    const printed: Buffer[] = [];
    // Programs like npx start children: kill the whole group.
    const child = spawn(command, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      shell: true,
      detached: true,
      signal: AbortSignal.any([signal, late]),
    });
    const finish = (problem?: string): void => {
      if (problem !== undefined) killGroup(child.pid);
      const output = Buffer.concat(printed).toString("utf8").trimEnd();
      done({ output: maskVariables(output, environment), problem });
    };
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => printed.push(chunk));
    child.on("error", (cause) => {
      // Node forgets a time limit that nothing refers to.
      if (late.aborted || signal.aborted) finish(`did not end within ${timeoutMs / 1000} s`);
      else finish(`cannot be started: ${reasonOf(cause)}`);
    });
    child.on("close", (code, by) =>
      finish(code === 0 ? undefined : code === null ? `was ended by ${by}` : `ended with exit code ${code}`),
    );
  });
}

export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

const thrown = /^(?:Uncaught )?[\w$.]*(?:Error|Exception|Failure)(?: \[\w+\])?: .*/m;
/** Stack frames outside of the user's files, and the version that Node prints last. */
const foreignLines =
  /^\s+at .*(?:node_modules[\\/]|node:|<anonymous>\)?$|native\)).*\n?|^Node\.js v\d.*\n?/gm;

function programFailed(
  command: string,
  { problem, output, cwd }: { readonly problem: string; readonly output: string; readonly cwd: string },
): DiagnosticsError {
  const printed = output.replace(foreignLines, "").replaceAll(`${cwd}/`, "").trimEnd();
  const [message] = thrown.exec(output) ?? [];
  const why = message === undefined ? problem : `failed: ${message}`;
  return failure("stack.program_failed", `the program ${quoteShort(command)} ${why}`, {
    detail: printed === "" ? undefined : `It printed:\n${printed}`,
    hint: "run it by itself to look into it; it gets your environment without the credentials of rnv and of the CI platform",
  });
}

const longestProgramMs = 400_000;

/**
 * Calls `write` with a folder of this run, and copies the result over the output folder. A program with its own output
 * folder writes directly, while other runs wait.
 */
async function writeOutput(
  app: App,
  write: (folder: string) => Promise<SynthesizedFiles>,
): Promise<SynthesizedFiles> {
  const { cwd, folder, isOfProgram } = app;
  if (isOfProgram) return holdFolder(app, () => write(folder));
  makeIgnoredFolder(join(cwd, ".rnv"));
  const scratch = mkdtempSync(join(cwd, ".rnv", "synth-"));
  try {
    const own = join(scratch, "cdktf.out");
    const written = await write(own);
    await holdFolder(app, async () => publish(own, folder));
    return written;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function holdFolder<T>({ cwd, signal, say }: App, work: () => Promise<T>): Promise<T> {
  const path = join(cwd, ".rnv", "synth.lock");
  const asker = {
    clock: systemClock,
    disk: nodeDisk,
    isAlive: aliveBy((pid, how) => process.kill(pid, how)),
  };
  const locks = localLocks({ ...asker, path });
  const since = new Date(systemClock.now()).toISOString();
  const own = { id: randomBytes(8).toString("hex"), host: hostname(), pid: process.pid };
  const self = await recordFor(nodeDisk, { ...own, since, command: "synthesis" });
  const waiting = ["Waiting for another run that synthesizes here."];
  const onHeld = (): void => waiting.splice(0).forEach(say);
  const wait = { timeoutMs: longestProgramMs, signal, onHeld };
  const { record } = await acquireLock(locks, self, asker, wait).catch((cause: unknown) => {
    const hint = `wait for it to end; if it is certainly gone, remove ${path}`;
    if (!(cause instanceof DiagnosticsError)) throw cause;
    throw failure("state.lock_held", "another run still synthesizes here", { hint });
  });
  return work().finally(() => locks.freeLock(record));
}

/** Returns when the manifest of an output folder and each of its stacks were written. */
function timesIn(folder: string): ReadonlyMap<string, number> {
  const names = existsSync(join(folder, "stacks")) ? readdirSync(join(folder, "stacks")) : [];
  const files = ["manifest.json", ...names.map((name) => `stacks/${name}/cdk.tf.json`)];
  const times = files.map((file) => [file, statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs]);
  return new Map(times.filter((entry): entry is [string, number] => entry[1] !== undefined));
}

/** Copies an output folder over another. Removes stacks that no longer exist; keeps files of Terraform. */
function publish(from: string, to: string): void {
  const written = timesIn(from);
  for (const file of timesIn(to).keys()) {
    if (written.has(file)) continue;
    const stack = join(to, file, "..");
    for (const part of ["cdk.tf.json", "assets"]) rmSync(join(stack, part), { recursive: true, force: true });
    if (readdirSync(stack).length === 0) rmdirSync(stack);
  }
  cpSync(from, to, { recursive: true });
}

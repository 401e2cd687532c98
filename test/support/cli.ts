import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/emulator";
import type { Fault, SeenRequest } from "../../src/emulator/faults";
import { type EmulatorServer, serveEmulator } from "../../src/emulator/http-server";
import type { StoredDeployment, StoredService, StoredVariable } from "../../src/emulator/records";
import { builtCli } from "./built-cli";
import { closing } from "./closing";
import { type MovableClock, movableClock } from "./movable-clock";
import { askedFor, readingsHere } from "./readings";
import { settingsOf } from "./settings";

export interface CliRun {
  /** -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface StartedCli {
  readonly process: ChildProcess;
  readonly ended: Promise<CliRun>;
  /** Resolves once standard output or error holds the text. */
  shows(text: string): Promise<void>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Options of node itself. */
  readonly node?: readonly string[];
  /** What runs in place of the program built here: a copy installed elsewhere. */
  readonly program?: string;
}

interface WriteSeen extends SeenRequest {
  readonly idempotencyKey?: string;
}

/** Each process would optimize undici's parser in the background, which takes longer than the few answers that it reads. */
export const briefly = ["--liftoff-only"];

/**
 * The built command line in a folder of its own, against a service of its own over HTTP. `run` and `runWith` use a
 * process that made other runs before, which spares the start; what a test starts, gives input or a setting of Node itself, or
 * asks for `fresh`, has a process of its own, and with RNV_FRESH=1 everything has.
 */
export interface Scenario {
  readonly folder: string;
  readonly emulator: Emulator;
  readonly url: string;
  /** Every write that reached the service, with its body as sent. */
  readonly sent: readonly WriteSeen[];
  /** Writes a file of the folder, in folders that are made where they are missing. */
  write(file: string, text: string): void;
  read(file: string): string;
  /** Path and text of every file in the folder. */
  files(): { path: string; text: string }[];
  run(...args: readonly string[]): Promise<CliRun>;
  runWith(options: RunOptions, ...args: readonly string[]): Promise<CliRun>;
  start(options: RunOptions, ...args: readonly string[]): StartedCli;
  /** Applies without questions, and demands exit code 0. */
  applies(...args: readonly string[]): Promise<CliRun>;
  /** Writes a manifest and applies it, and demands exit code 0. */
  applied(manifest: string): Promise<CliRun>;
  /** What goes wrong with the requests from here on; none without an argument. */
  fail(fault?: (request: SeenRequest, index: number) => Fault | undefined): void;
  /** Method and path (ids as ID) of the requests since the last `forget`; writes only unless said. */
  requests(which?: "all" | "writes"): string[];
  forget(): void;
  /** The service of that name; without a name, the only service. Requests side by side arrive in any order: no service is the first. */
  service(name?: string): StoredService | undefined;
  idOf(name?: string): string;
  /** Names of all services, sorted. */
  names(): string[];
  /** A variable of the service of that name; without a name, of the only service. */
  variable(key: string, service?: string): StoredVariable | undefined;
  valueOf(key: string, service?: string): string | undefined;
  /** Deployments of a service, oldest first, without those that the platform queued by itself. */
  deployments(serviceId: string | undefined): readonly StoredDeployment[];
  /** The clock of the service. */
  readonly clock: MovableClock;
  /** Moves the clock of the service: what was written just now is old. */
  settle(): void;
  /** Plans again and demands an empty plan. */
  isQuiet(...args: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

// A process for each step: on a busy machine that takes longer than a unit test may.
jest.setTimeout(120_000);

export const approve = ["-auto-approve", "-input=false"] as const;

/** Matches a run with the exit code and the text on standard error. */
export const failing = (code: number, text: string) => ({ code, stderr: expect.stringContaining(text) });

/** Matches a run with the exit code and the text on standard output. */
export const printing = (code: number, text: string) => ({ code, stdout: expect.stringContaining(text) });

/** Refuses requests with the method to a path; for `fail` of a scenario. */
export const refusing =
  (method: string, path: RegExp, status = 403, code?: string) =>
  (request: SeenRequest): Fault | undefined =>
    request.method === method && path.test(request.path) ? { kind: "status", status, code } : undefined;

/** Starts `apply` and kills it once the service has done its first PATCH, or the write that is given, before the answer. */
export async function applyKilledAfterPatch(
  scenario: Scenario,
  options: RunOptions = {},
  isIt = ({ method }: SeenRequest): boolean => method === "PATCH",
): Promise<CliRun> {
  const started = scenario.start(options, "apply", ...approve);
  const run = async (): Promise<void> => {
    started.process.kill("SIGKILL");
    await started.ended;
  };
  scenario.fail((request) => (isIt(request) ? { kind: "hook", when: "after", run } : undefined));
  const ended = await started.ended;
  scenario.fail();
  return ended;
}

interface ScenarioOptions extends EmulatorOptions {
  /** Starts a process for each run, for tests of what a process is given and leaves. */
  readonly fresh?: true;
}

/** Opens a scenario that is closed with the test, or the block, that opens it. */
export const openScenario = async (options?: ScenarioOptions): Promise<Scenario> =>
  closing(await startScenario(options));

export async function startScenario({ fresh, ...options }: ScenarioOptions = {}): Promise<Scenario> {
  const folder = mkdtempSync(join(tmpdir(), "rnv-scenario-"));
  const clock = movableClock();
  const readings = readingsHere(options.readings);
  const emulator = createEmulator({
    ...{ clock, deploySeconds: 0, operationSeconds: 0, ...options },
    readings,
  });
  const server = await serveEmulator(emulator);
  const bundle = builtCli();
  const sent: WriteSeen[] = [];
  let fault: Parameters<Scenario["fail"]>[0];
  let counted = 0;
  emulator.setFaults((_, request) => {
    if (request.method !== "GET") sent.push(request);
    return fault?.(request, counted++);
  });
  // What happens in one second bears one time there: people are slower.
  const passSecond = (): void => {
    if (typeof readings === "object" && readings.timeForm === "seconds") clock.advance(1000);
  };
  const start: Scenario["start"] = ({ env, input, node = [], program = bundle }, ...args) => {
    passSecond();
    return startCli([...briefly, ...node, program, ...args], {
      cwd: folder,
      input,
      env: { ...baseEnvironment(server), ...env },
    });
  };
  const runWith: Scenario["runWith"] = async (how, ...args) => {
    passSecond();
    const isPlain = Object.keys(how).every((name) => name === "env");
    const isOfNode = Object.keys(how.env ?? {}).some((name) => name.startsWith("NODE_"));
    const ended = await (fresh !== true && process.env.RNV_FRESH !== "1" && isPlain && !isOfNode
      ? runInResident({ args, cwd: folder, env: { ...baseEnvironment(server), ...how.env } })
      : start(how, ...args).ended);
    passSecond();
    return ended;
  };
  const applies: Scenario["applies"] = async (...args) => {
    const ended = await runWith({}, "apply", ...approve, ...args);
    expect(ended).toEqual({ ...ended, code: 0 });
    return ended;
  };
  const write: Scenario["write"] = (file, text) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const scenario: Scenario = {
    folder,
    emulator,
    url: server.url,
    sent,
    write,
    read: (file) => readFileSync(join(folder, file), "utf8"),
    files: () => textsIn(folder),
    run: (...args) => runWith({}, ...args),
    runWith,
    start,
    applies,
    applied: (manifest) => {
      write("rnv.yaml", manifest);
      return applies();
    },
    fail: (next) => {
      fault = next;
      counted = 0;
    },
    requests: (which = "writes") =>
      emulator.log
        .filter(({ method }) => which === "all" || method !== "GET")
        .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")}`),
    forget: () => {
      emulator.resetLog();
      sent.length = 0;
    },
    service: (name) => {
      const services = emulator.store.services();
      if (name === undefined && services.length > 1) throw new Error("several services: give a name");
      return services.find((service) => name === undefined || service.name === name);
    },
    idOf: (name) => scenario.service(name)?.id ?? "",
    names: () =>
      emulator.store
        .services()
        .map(({ name }) => name)
        .sort(),
    variable: (key, service) =>
      emulator.store.variables(scenario.idOf(service)).find((one) => one.key === key),
    valueOf: (key, service) => emulator.store.variableValue(scenario.variable(key, service)?.id ?? ""),
    deployments: (id = "") => askedFor(emulator.store.deployments(id)),
    clock,
    settle: () => clock.advance(600_000),
    isQuiet: async (...args) => {
      const { code, stdout, stderr } = await runWith({}, "plan", "-detailed-exitcode", ...args);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: expect.stringContaining("No changes. Your infrastructure matches the configuration."),
        stderr: expect.any(String),
      });
    },
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return scenario;
}

/** A scenario that is opened before each test of the block. */
export const eachScenario = (options?: ScenarioOptions): Scenario => scenarioOf(options, beforeEach);

/** A scenario that is opened once for all tests of the block. */
export const oneScenario = (options?: ScenarioOptions): Scenario => scenarioOf(options, beforeAll);

/** Stands for the scenario that is open at the time. */
function scenarioOf(
  options: ScenarioOptions | undefined,
  before: (open: () => Promise<void>) => void,
): Scenario {
  let open: Scenario | undefined;
  before(async () => {
    open = await openScenario(options);
  });
  return new Proxy({} as Scenario, { get: (_, name) => open?.[name as keyof Scenario] });
}

export const baseEnvironment = ({ url }: Pick<EmulatorServer, "url">): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: tmpdir(),
  // No profile of the person who runs the tests, nor one that another test saved.
  XDG_CONFIG_HOME: join(tmpdir(), "rnv-without-profiles"),
  ...settingsOf(url),
});

function startCli(
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string>; input?: string },
): StartedCli {
  const child = spawn(process.execPath, [...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  const note = (): void => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    note();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    note();
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const ended = new Promise<CliRun>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
  const shows: StartedCli["shows"] = (text) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!stdout.includes(text) && !stderr.includes(text)) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      ended.then(() => reject(new Error(`it ended without "${text}":\n${stdout}\n${stderr}`)), reject);
    });
  return { process: child, ended, shows };
}

/** Processes that wait for a run; as many as were ever needed at once in this file. */
const residents: ChildProcess[] = [];
afterAll(() => {
  for (const resident of residents) resident.kill();
});

interface ResidentRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function runInResident(run: ResidentRun): Promise<CliRun> {
  const program = join(dirname(builtCli()), "run.js");
  const resident =
    residents.pop() ??
    fork(join(__dirname, "resident-cli.cjs"), [program], {
      execArgv: briefly,
      // The variables as the test file set them, which Jest keeps from Node.
      env: { ...process.env },
    });
  return new Promise((resolve, reject) => {
    const died = (): void => reject(new Error(`the process ended in: rnv ${run.args.join(" ")}`));
    resident.once("exit", died);
    resident.once("message", (ended) => {
      resident.off("exit", died);
      residents.push(resident);
      resolve(ended as CliRun);
    });
    resident.send(run);
  });
}

function textsIn(folder: string): { path: string; text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path, text: readFileSync(path, "latin1") };
    });
}

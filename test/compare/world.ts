import { type ChildProcess, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EmulatorOptions, EmulatorStore, Fault, SeenRequest } from "../../src/emulator/testing";
import { type Build, cliOf, providerOf } from "./build";
import { Names } from "./names";

/** A scripted use of rnv. The same script is played with two builds, each against a service of its own. */
export interface Story {
  readonly name: string;
  /** How the service behaves in it. */
  readonly emulator?: EmulatorOptions;
  readonly play: (world: World) => Promise<void>;
}

/** What one command did, with names in place of ids and times. */
export interface Step {
  readonly title: string;
  /** -1 when a signal ended it. */
  readonly code: number;
  /** Exact lines that scripts read, and the codes of diagnostics. */
  readonly lines: readonly string[];
  /** Method, path and body of each write, in order. */
  readonly writes: readonly string[];
  /** Method and path of each read; of lists also how often, where that is not once. */
  readonly reads: readonly string[];
  /** Standard output, where it is JSON or otherwise made for programs. */
  readonly output: unknown;
  /** Files that the command wrote or changed; undefined for those that it removed. */
  readonly files: Readonly<Record<string, unknown>>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Writes are compared as a set of one resource's writes in order: they are concurrent. */
  readonly concurrent?: boolean;
  readonly input?: string;
  /** Standard output is compared although it is no JSON: a manifest, a graph, a list for scripts. */
  readonly text?: boolean;
}

export interface Running {
  readonly title: string;
  readonly process: ChildProcess;
  readonly options: RunOptions;
  readonly ended: Promise<{ readonly code: number; readonly stdout: string; readonly output: string }>;
}

type FaultPlan = (request: SeenRequest, index: number) => Fault | undefined;
type Service = typeof import("../../src/emulator/testing");

/** Lines of both programs that scripts read; what follows an error's or warning's code is for people. */
const exactLines =
  /^(?:[│╷╵ ]*)((?:Plan: |No changes\.|Apply complete!|Destroy complete!|No drift\.|Drift: |Fleet: |Digest: ).*|(?:error|warning)\[[\w.]+\]|Error(?=: )|Warning(?=: ))/;

/** Files that differ in every run, and files of other programs. */
const leftOut =
  /^(home|node_modules|\.git|\.terraform|\.rnv\/emulator|\.rnv\/.*state\.key$|\.rnv\/compile-cache)(\/|$)|\.tfplan$|\.terraform\.lock\.hcl$|\.lock$/;

/** A folder, a service and a build of rnv. Every command is a step. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), "rnv-compare-"));
  readonly names = new Names();
  readonly steps: Step[] = [];
  readonly #open: { close(): Promise<unknown> }[] = [];
  readonly #seen: SeenRequest[] = [];
  #files = new Map<string, string>();
  #fault: FaultPlan | undefined;
  #counted = 0;

  private constructor(
    readonly build: Build,
    readonly store: EmulatorStore,
    readonly url: string,
    readonly key: string,
    readonly workspaceId: string,
  ) {}

  /** Opens a folder and a service; the service is the one of the build `of`, whichever build is played. */
  static async open(build: Build, of: Build, options: EmulatorOptions = {}): Promise<World> {
    const service = require(join(of.root, "dist/emulator/testing.js")) as Service;
    const emulator = service.createEmulator({ deploySeconds: 0.02, operationSeconds: 0.02, ...options });
    const server = await service.serveEmulator(emulator);
    const { embeddedApiKey, embeddedWorkspaceId } = service;
    const world = new World(build, emulator.store, server.url, embeddedApiKey, embeddedWorkspaceId);
    emulator.setFaults((_, request) => {
      world.#seen.push(request);
      return world.#fault?.(request, world.#counted++);
    });
    world.#open.push(server);
    world.names.place(server.url, "<api>");
    world.names.place(new URL(server.url).host, "<api host>");
    world.names.place(world.folder, "<folder>");
    world.names.place(build.root, "<build>");
    world.names.place(embeddedWorkspaceId, "<workspace>");
    mkdirSync(join(world.folder, "home"));
    return world;
  }

  /** Closes something with the world. */
  keep<Opened extends { close(): Promise<unknown> }>(opened: Opened): Opened {
    this.#open.unshift(opened);
    return opened;
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  remove(file: string): void {
    rmSync(join(this.folder, file), { recursive: true, force: true });
  }

  /** Requests meet this fault from here on; none without an argument. `index` counts from 0. */
  fail(fault?: FaultPlan): void {
    this.#fault = fault;
    this.#counted = 0;
  }

  /** Calls back with the nth write from here on, before or after the service commits it. */
  atWrite(nth: number, when: "before" | "after", run: () => void | Promise<void>, then?: Fault): void {
    let writes = 0;
    this.fail(({ method }) => {
      if (method !== "GET") writes += 1;
      return method !== "GET" && writes === nth
        ? { kind: "hook", when, run, ...(then && { then }) }
        : undefined;
    });
  }

  /** Returns the newest service of a name. */
  service(name: string): ReturnType<EmulatorStore["services"]>[number] {
    const found = this.store
      .services()
      .filter((service) => service.name === name)
      .at(-1);
    if (found === undefined) throw new Error(`the story expects a service ${name}`);
    return found;
  }

  /** Environment of every command. */
  get environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: join(this.folder, "home"),
      RNV_BASE_URL: this.url,
      RNV_WORKSPACE_ID: this.workspaceId,
      RNV_API_KEY: this.key,
    };
  }

  /** Runs `rnv` to its end. */
  rnv(...args: readonly string[]): Promise<Step> {
    return this.rnvWith({}, ...args);
  }

  rnvWith(options: RunOptions, ...args: readonly string[]): Promise<Step> {
    return this.finish(this.start(options, ...args));
  }

  /** As `rnv`, with standard output as text. */
  rnvText(...args: readonly string[]): Promise<Step> {
    return this.rnvWith({ text: true }, ...args);
  }

  /** Starts `rnv`; `finish` makes a step of it. */
  start(options: RunOptions, ...args: readonly string[]): Running {
    return this.#spawn(`rnv ${args.join(" ")}`, process.execPath, [cliOf(this.build), ...args], options);
  }

  /** Runs `rnv` and kills it with its nth write, before or after the service commits that. */
  async rnvKilled(nth: number, when: "before" | "after", ...args: readonly string[]): Promise<Step> {
    const running = this.start({}, ...args);
    this.atWrite(nth, when, async () => {
      running.process.kill("SIGKILL");
      await running.ended;
    });
    const step = await this.finish(running);
    this.fail();
    return step;
  }

  /** Runs a program of the story with Node, such as a CDKTF app; packages are those of the build. */
  node(...args: readonly string[]): Promise<Step> {
    const modules = join(this.folder, "node_modules");
    mkdirSync(modules, { recursive: true });
    for (const [name, target] of [
      ["terraform-provider-rnv", this.build.root],
      ["cdktf", join(this.build.root, "node_modules/cdktf")],
      ["constructs", join(this.build.root, "node_modules/constructs")],
    ] as const) {
      rmSync(join(modules, name), { force: true });
      symlinkSync(target, join(modules, name));
    }
    return this.finish(this.#spawn(`node ${args.join(" ")}`, process.execPath, args, {}));
  }

  /** Runs `terraform` with the provider of the build. */
  terraform(...args: readonly string[]): Promise<Step> {
    const override = `dev_overrides { "rnv/rnv" = "${providerOf(this.build)}" }`;
    const settings = join(this.folder, "home/terraformrc");
    writeFileSync(settings, `provider_installation {\n  ${override}\n  direct {}\n}\n`);
    const env = { TF_CLI_CONFIG_FILE: settings, TF_IN_AUTOMATION: "1", CHECKPOINT_DISABLE: "1" };
    const more = ["plan", "apply", "destroy", "refresh"].includes(args[0] ?? "") ? ["-input=false"] : [];
    const [verb = "", ...rest] = args;
    const words = [verb, ...more, ...rest, ...(verb === "show" ? [] : ["-no-color"])];
    const running = this.#spawn(`terraform ${args.join(" ")}`, "terraform", words, { env, concurrent: true });
    return this.finish(running);
  }

  #spawn(title: string, program: string, args: readonly string[], options: RunOptions): Running {
    this.#files = this.#readFiles();
    const child = spawn(program, [...args], {
      cwd: this.folder,
      env: { ...this.environment, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stdout = "";
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    const ended = new Promise<Awaited<Running["ended"]>>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code: code ?? -1, stdout, output }));
    });
    return { title, process: child, options, ended };
  }

  /** Waits for the end of a command and records it as a step. */
  async finish(running: Running): Promise<Step> {
    const before = this.#files;
    const { code, stdout, output } = await running.ended;
    this.names.learn(this.store);
    const requests = this.#seen.splice(0);
    const files = this.#readFiles();
    const changed = [...new Set([...before.keys(), ...files.keys()])]
      .filter((path) => before.get(path) !== files.get(path))
      .sort();
    const writes = requests
      .filter(({ method }) => method !== "GET")
      .map((request) => this.#shownWrite(request));
    const reads = requests
      .filter(({ method }) => method === "GET")
      .map((request) => this.#shownRequest(request));
    const step: Step = {
      title: this.names.text(running.title),
      code,
      lines: this.#exactLines(output),
      writes: running.options.concurrent ? byResource(writes) : writes,
      reads: this.#shownReads(code, reads),
      output: this.#json(stdout) ?? (running.options.text ? this.names.text(stdout) : undefined),
      files: Object.fromEntries(
        changed.map((path) => [this.names.text(path), this.#shownFile(path, files.get(path))]),
      ),
    };
    this.steps.push(step);
    return step;
  }

  /** Reads that do not depend on the time that passes. */
  #shownReads(code: number, reads: readonly string[]): readonly string[] {
    // A command that finds a mistake may end before the reads that it began with are sent.
    if (code === 1) return [];
    // Where the service fails, the number of reads depends on the pauses between them.
    return this.#fault === undefined ? counted(reads) : [...new Set(reads)].sort();
  }

  #exactLines(output: string): string[] {
    return output.split("\n").flatMap((line) => {
      const [, found] = exactLines.exec(line) ?? [];
      return found === undefined ? [] : [this.names.text(found)];
    });
  }

  #shownRequest({ method, path, query }: SeenRequest): string {
    return this.names.text(`${method} ${path}${query === "" ? "" : `?${query}`}`);
  }

  #shownWrite(request: SeenRequest): string {
    return `${this.#shownRequest(request)} ${JSON.stringify(this.#json(request.body ?? "") ?? request.body)}`;
  }

  #shownFile(path: string, text: string | undefined): unknown {
    if (text === undefined) return undefined;
    const value = this.#json(text) ?? this.names.text(text);
    return /\.tfstate(\.backup)?$/.test(path) ? withoutPrivateData(value) : value;
  }

  /** The value of a JSON text, or of JSON lines without those that only tell of the time that passes. */
  #json(text: string): unknown {
    if (!/^\s*[{[]/.test(text)) return undefined;
    try {
      return this.names.value(JSON.parse(text));
    } catch {}
    try {
      // The space that a journal reserves holds zeros.
      const lines = text.replace(/\0+$/, "").trimEnd().split("\n");
      const values = lines.map((line) => JSON.parse(line) as { readonly type?: string });
      return this.names.value(values.filter(({ type }) => type !== "waiting" && type !== "progress"));
    } catch {
      return undefined;
    }
  }

  #readFiles(): Map<string, string> {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.folder.length + 1))
      .filter((path) => !leftOut.test(path));
    return new Map(paths.map((path) => [path, this.read(path)]));
  }

  async close(): Promise<void> {
    for (const opened of this.#open) await opened.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Reads that rnv repeats until something has happened: how often depends on the time that passes. */
const polls = /\/(deploys|operations)\/<|\/services\/<[^/]*>$/;

/** Counts equal reads. */
function counted(reads: readonly string[]): string[] {
  return [...new Set(reads)].sort().map((read) => {
    const count = reads.filter((other) => other === read).length;
    return count === 1 || polls.test(read) ? read : `${read} (${count} times)`;
  });
}

/** Sorts concurrent writes by the resource of their path; writes to one resource keep their order. */
function byResource(writes: readonly string[]): string[] {
  const resourceOf = (write: string): string =>
    /\/(services|projects|canvas)(\/<[^>]*>)?/.exec(write)?.[0] ?? write;
  const isCreate = (write: string): boolean =>
    /^POST \S+\/(services|projects) /.test(write.replace(/<[^>]*>/g, "ID"));
  const keyOf = (write: string): string => (isCreate(write) ? ` ${write}` : resourceOf(write));
  return [...writes].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

/** A provider's private data is its own; what counts is the next plan. */
function withoutPrivateData(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state), (key, value) => (key === "private" ? undefined : value));
}

/** Plays a story with a build and returns its steps; the service is that of the build `of`. */
export async function playStory(story: Story, build: Build, of: Build): Promise<readonly Step[]> {
  const world = await World.open(build, of, story.emulator);
  try {
    await story.play(world);
    return world.steps;
  } finally {
    await world.close();
  }
}

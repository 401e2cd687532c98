import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/emulator";
import { type EmulatorServer, serveEmulator } from "../../src/emulator/http-server";
import { builtProvider, startProvider } from "./built-provider";
import { closing } from "./closing";
import { type Finished, finished } from "./finished";
import { movableClock } from "./movable-clock";
import { readingsHere } from "./readings";
import { settingsOf } from "./settings";
import { newFolder } from "./temp-folder";

/** What runs in place of the first of `terraform` and `tofu` that is on the PATH: `RNV_TEST_TERRAFORM=tofu npm run test:terraform` names the second. */
const named = process.env.RNV_TEST_TERRAFORM;

/** The first version with all that the tests use: write-only attributes came last, in both. */
const oldest = 1.11;

/** Returns a version as a number, 1.11 for `1.11.4`; undefined where the program is not there. */
export function versionOf(path: string): number | undefined {
  const env = { ...process.env, CHECKPOINT_DISABLE: "1" };
  const { status, stdout } = spawnSync(path, ["version", "-json"], { encoding: "utf8", env });
  if (status !== 0) return undefined;
  // Warnings come first: OpenTofu prints them where TF_CLI_CONFIG_FILE names no file.
  const [, major, minor] = /"terraform_version": *"(\d+)\.(\d+)/.exec(stdout) ?? [];
  return major === undefined ? undefined : Number(major) + Number(minor) / 100;
}

const found = (named === undefined ? ["terraform", "tofu"] : [named])
  .flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => resolve(folder, name)))
  .map((path) => ({ path, version: existsSync(path) ? versionOf(path) : undefined }))
  .find(({ version }) => version !== undefined && version >= oldest);

/** Path of `terraform`, else of `tofu`; undefined where neither is on the PATH. */
export const terraformBinary = found?.path;

/** Version of the binary as a number, `1.11`; 0 where there is none. */
export const terraformVersion = found?.version ?? 0;

/** The line of an `import` block whose resource is to be generated: Terraform 1.16 needs it for that plan and no other. */
export const generatedBy = terraformVersion < 1.16 ? "" : "  provider = rnv\n";

/**
 * `describe` of what needs the real binary, or Terraform itself of the version `since`. Skipped, and said so, where there is
 * none; a failure under CI=true.
 */
export function describeTerraform(title: string, body: () => void, since?: number): void {
  const needed = `${named ?? "terraform or tofu"} ${oldest} or newer`;
  const isTofu = /^tofu/.test(basename(terraformBinary ?? ""));
  if (since !== undefined && (isTofu || terraformVersion < since))
    describe.skip(`${title} (not Terraform ${since} or newer)`, body);
  else if (terraformBinary !== undefined) describe(title, body);
  else if (process.env.CI === "true")
    it(`${title}: ${needed} is on the PATH`, () => expect(terraformBinary).toBeDefined());
  else describe.skip(`${title} (no ${needed} on the PATH)`, body);
}

export interface Running extends Promise<Finished> {
  readonly child: ChildProcess;
}

/** Returns the environment in which Terraform and OpenTofu use a provider that runs already. */
export function attachmentOf(pid: number, socket: string): Record<string, string> {
  const address = { Network: "unix", String: socket };
  const attached = { Protocol: "grpc", ProtocolVersion: 6, Pid: pid, Test: true, Addr: address };
  const hosts = ["registry.terraform.io", "registry.opentofu.org"];
  const providers = Object.fromEntries(hosts.map((host) => [`${host}/rnv/rnv`, attached]));
  return { TF_REATTACH_PROVIDERS: JSON.stringify(providers) };
}

/** A folder with a configuration, the service it talks to, and the real binary. */
export class TerraformFolder {
  readonly folder = newFolder("tf");
  readonly emulator: Emulator;
  /** The clock of the service. */
  readonly clock = movableClock();
  environment: Record<string, string> = {};
  #attached: ChildProcess | undefined;
  #server: EmulatorServer | undefined;

  constructor(options: EmulatorOptions = {}) {
    this.emulator = createEmulator({
      clock: this.clock,
      deploySeconds: 0.3,
      operationSeconds: 0.1,
      ...options,
      readings: readingsHere(options.readings),
    });
    closing(this);
  }

  /** Serves the emulator; the provider is found in its build folder, without init. */
  async open(): Promise<this> {
    this.#server = await serveEmulator(this.emulator);
    mkdirSync(join(this.folder, "w"));
    this.configure(
      `provider_installation {\n  dev_overrides { "rnv/rnv" = "${builtProvider()}" }\n  direct {}\n}\n`,
    );
    return this;
  }

  /**
   * As `open`, with one process of the provider for all commands, to which Terraform attaches: most of the time of a
   * command is the start of three or four of them. What it is told by its environment stays as it is now. With
   * `fast-clock` its waits of half a minute take a second or two.
   */
  async openAttached(clock?: "fast-clock"): Promise<this> {
    await this.open();
    return this.attach(clock);
  }

  /** Puts a new process in the place of the one that is attached: it knows nothing of what that one did. */
  async attach(clock?: "fast-clock"): Promise<this> {
    this.#attached?.kill();
    this.environment = {};
    const node = clock === undefined ? [] : ["--require", join(__dirname, `${clock}.cjs`)];
    const how = { node, stderr: "ignore" } as const;
    const { child, socket } = await startProvider(join(this.folder, "w"), this.#settings(), how);
    this.#attached = child;
    this.environment = attachmentOf(child.pid ?? 0, socket);
    return this;
  }

  #settings(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.folder,
      TMPDIR: this.folder,
      ...settingsOf(this.baseUrl),
    };
  }

  /** Writes the CLI configuration. */
  configure(text: string): void {
    writeFileSync(join(this.folder, "rc"), text);
  }

  get baseUrl(): string {
    return this.#server?.url ?? "";
  }

  /** Writes `main.tf`: the header, and what is given. */
  write(text: string, providerBlock = ""): void {
    const header =
      `terraform {\n  required_providers { rnv = { source = "rnv/rnv" } }\n}\n` +
      `provider "rnv" {\n${providerBlock}\n}\n`;
    writeFileSync(join(this.folder, "w", "main.tf"), header + text);
  }

  /** Removes a file beside `main.tf`. */
  remove(name: string): void {
    rmSync(join(this.folder, "w", name), { force: true });
  }

  start(...args: readonly string[]): Running {
    const child = spawn(terraformBinary ?? "terraform", [...args], {
      cwd: join(this.folder, "w"),
      detached: true,
      env: {
        ...this.#settings(),
        TF_CLI_CONFIG_FILE: join(this.folder, "rc"),
        TF_IN_AUTOMATION: "1",
        TF_CLI_ARGS: "-no-color",
        CHECKPOINT_DISABLE: "1",
        ...this.environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return Object.assign(finished(child), { child });
  }

  /** Runs to the end; fails the test with what was printed unless it exits with that code. */
  async run(args: string, code = 0): Promise<string> {
    const finished = await this.start(...args.split(" "));
    if (finished.code !== code)
      throw new Error(`terraform ${args} exited ${finished.code}:\n${finished.output}`);
    return finished.output;
  }

  /** As `run`, in one line: Terraform frames what it says, and breaks it. */
  told = async (args: string, code?: number): Promise<string> =>
    (await this.run(args, code)).replace(/[\s│╷╵]+/g, " ");

  apply = (more = ""): Promise<string> => this.run(`apply -auto-approve -input=false${more && ` ${more}`}`);

  /** Plans and demands that nothing is to be done. */
  expectNoChanges = (): Promise<string> => this.run("plan -input=false -detailed-exitcode");

  state(): {
    resources: { type: string; name: string; instances: { attributes: Record<string, never> }[] }[];
  } {
    const path = join(this.folder, "w", "terraform.tfstate");
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    // Terraform that is killed while it writes leaves an empty file, and reads that as no state.
    return text === "" ? { resources: [] } : JSON.parse(text);
  }

  stateText(): string {
    return readFileSync(join(this.folder, "w", "terraform.tfstate"), "utf8");
  }

  /** Moves the clock of the service: what was written just now is old. */
  settle(): void {
    this.clock.advance(600_000);
  }

  /** Attributes of one resource in the state. */
  attributes(type: string, name: string): Record<string, unknown> {
    const found = this.state().resources.find((one) => one.type === type && one.name === name);
    return found?.instances[0]?.attributes ?? {};
  }

  /** Method and path of every write since the last `resetLog`. */
  writes(): string[] {
    return this.emulator.log
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace(/^.*\/workspaces\/[^/]+/, "")}`);
  }

  async close(): Promise<void> {
    this.#attached?.kill();
    await this.#server?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A folder that a process of the provider serves in all tests of the block. */
export function attachedFolder(options?: EmulatorOptions, clock?: "fast-clock"): TerraformFolder {
  const folder = new TerraformFolder(options);
  beforeAll(() => folder.openAttached(clock), 60_000);
  return folder;
}

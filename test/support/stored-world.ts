import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../src/emulator/emulator";
import { type CliRun, type Scenario, startScenario } from "./cli";
import { newFolder } from "./temp-folder";
import { type ConnectProxy, secureCertificate, secureHost, serveProxy, serveSecurely } from "./tunnel";

const fastClock = ["--require", require.resolve("./fast-clock.cjs")];

/** Folder of what version 0.1 wrote; its README says what each folder is. */
export const storedFolder = join(__dirname, "stored/0.1");

/** Address of the service in every stored file. */
const storedUrl = `https://${secureHost}/api/v1`;

/** A stored folder, put in place again beside the service as it was then. */
export interface StoredWorld {
  readonly scenario: Scenario;
  run(...args: readonly string[]): Promise<CliRun>;
  /** Runs the command line with further variables. */
  runWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CliRun>;
  /** The same in a process whose waits pass 20 times as fast. */
  runFast(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CliRun>;
  /** Method and path of each write that reached the service since the last call, with names in place of ids. */
  writes(): string[];
  close(): Promise<void>;
}

/** Copies a stored folder to `to`; `rnv` becomes `.rnv`, which git would not keep. */
function copyStored(situation: string, to: string): void {
  cpSync(join(storedFolder, situation), to, { recursive: true });
  rmSync(join(to, "service"), { recursive: true, force: true });
  if (existsSync(join(to, "rnv"))) renameSync(join(to, "rnv"), join(to, ".rnv"));
  // Git does not keep that a key is readable by its owner only.
  for (const path of readdirSync(to, { recursive: true, encoding: "utf8" }))
    if (path.endsWith("state.key")) chmodSync(join(to, path), 0o600);
}

/** Copies the data of the service of a stored folder to a folder of its own, and returns that. */
export function copyStoredService(situation: string): string {
  const folder = newFolder("service");
  cpSync(join(storedFolder, situation, "service"), folder, { recursive: true });
  return folder;
}

/** Opens stored folders at the address that their files name. */
export class StoredWorlds {
  readonly #certificate = secureCertificate();
  readonly #folder = newFolder("authority");
  readonly #authority = join(this.#folder, "authority.pem");

  /** To be called before anything runs: a process reads its authorities as it starts. */
  constructor() {
    writeFileSync(this.#authority, this.#certificate.certificate);
    process.env.NODE_EXTRA_CA_CERTS = this.#authority;
  }

  async open(situation: string): Promise<StoredWorld> {
    const data = copyStoredService(situation);
    const scenario = await startScenario({ folder: data });
    copyStored(situation, scenario.folder);
    const port = Number(new URL(scenario.url).port);
    const secure = await serveSecurely(port, undefined, this.#certificate);
    const proxy = await serveProxy({ [`${secureHost}:443`]: secure.port }, "rnv:rnv");
    const address = {
      ...{ RNV_BASE_URL: storedUrl, HTTPS_PROXY: proxyAddress(proxy) },
      // A variable of Node in the options asks for a process of its own.
      ...(process.env.RNV_FRESH === "1" && { NODE_EXTRA_CA_CERTS: this.#authority }),
    };
    const runWith: StoredWorld["runWith"] = (env, ...args) =>
      scenario.runWith({ env: { ...address, ...env } }, ...args);
    return {
      scenario,
      runWith,
      run: (...args) => runWith({}, ...args),
      runFast: (env, ...args) => {
        const trusted = { NODE_EXTRA_CA_CERTS: this.#authority };
        return scenario.start({ node: fastClock, env: { ...address, ...trusted, ...env } }, ...args).ended;
      },
      writes: () => {
        const seen = scenario.emulator.log.filter(({ method }) => method !== "GET");
        scenario.emulator.resetLog();
        return seen.map(({ method, path }) => `${method} ${withNames(path, scenario.emulator)}`);
      },
      close: async () => {
        for (const one of [proxy, secure, scenario]) await one.close();
      },
    };
  }
}

const proxyAddress = ({ port }: ConnectProxy): string => `http://rnv:rnv@127.0.0.1:${port}`;

/** Returns a path below the workspace, with names in place of the ids of projects, services and variables. */
function withNames(path: string, emulator: Pick<Emulator, "image">): string {
  const records = emulator.image().records as readonly (readonly [string, string, Named | null])[];
  return records.reduce(
    (text, [, id, record]) => text.replaceAll(id, record?.name ?? record?.key ?? "ID"),
    path.replace(/^.*\/workspaces\/[^/]+/, ""),
  );
}

interface Named {
  readonly name?: string;
  readonly key?: string;
}

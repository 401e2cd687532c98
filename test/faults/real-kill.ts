import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "../../src/emulator/emulator";
import { type EmulatorServer, serveEmulator } from "../../src/emulator/http-server";
import { builtCli } from "../support/built-cli";
import { type Finished, finished } from "../support/finished";
import { settingsOf } from "../support/settings";
import { picture } from "./picture";
import { createRandom } from "./random";
import { canary, type Scenario, scenarios } from "./scenarios";

const ways = ["kill before", "kill after", "kill in time", "stop", "full disk"] as const;

export interface RealKill {
  readonly name: string;
  /** What did not hold; empty when all is well. */
  readonly faults: readonly string[];
  /** It was struck between its first write and its last: some were done, and some were left to do. */
  readonly hit: boolean;
}

/** How many writes the run of each scenario has without a fault. */
const writesOf: Readonly<Record<string, number>> = { "create-all": 9, update: 6, delete: 3, replace: 5 };
/** Writes of the disk before the first of them, and for each. */
const firstDiskWrites = 6;
const diskWritesOf = 2;

/**
 * The built command line as a process of its own, over a socket: killed at one of its writes before or after its
 * commit, or at any moment from its first write on; stopped while another run starts; or on a disk that is full from
 * one of its writes on. Then it must come to its end.
 */
export async function realKill(seed: number): Promise<RealKill> {
  const random = createRandom(seed);
  const way = ways[seed % ways.length] ?? "kill after";
  const names = ["create-all", "update", "delete", "replace"];
  const scenario = scenarios.find(
    ({ name }) => name === names[Math.floor(seed / ways.length) % names.length],
  );
  if (scenario === undefined) throw new Error("no such scenario");
  const emulator = createEmulator({ deploySeconds: 0.05, operationSeconds: 0.05, random: random.next });
  const server = await serveEmulator(emulator);
  const folder = mkdtempSync(join(tmpdir(), "rnv-kill-"));
  const writes = writesOf[scenario.name] ?? 2;
  // Never the last one: whoever is killed before its commit has sent it.
  const at = random.below(writes - 1);
  const fullAt = random.below(diskWritesOf * writes) + firstDiskWrites;
  const where = way === "full disk" ? `from disk write ${fullAt} on` : `write ${at}`;
  const name = `${scenario.name}, ${way}, ${where}, seed ${seed}`;
  try {
    const start = (full?: number) => startCli(folder, server, scenario, full);
    for (const before of scenario.before ?? []) {
      writeFileSync(join(folder, "rnv.yaml"), before);
      const first = await ended(start());
      if (first.code !== 0) throw new Error(first.output);
    }
    writeFileSync(join(folder, "rnv.yaml"), scenario.manifest);
    const outputs: string[] = [];
    emulator.resetLog();
    const child = start(way === "full disk" ? fullAt : undefined);
    const sent = (): number => emulator.log.filter(({ method }) => method !== "GET").length;
    let fired = false;
    let done = 0;
    let write = -1;
    const strike = (): void => {
      fired = true;
      done = write + 1;
      child.kill(way === "stop" ? "SIGSTOP" : "SIGKILL");
    };
    const when = way === "kill before" ? "before" : "after";
    if (way !== "full disk")
      emulator.setFaults((_index, { method }) => {
        if (method !== "GET") write += 1;
        if (method === "GET" || write !== (way === "kill in time" ? 0 : at)) return undefined;
        const run =
          way === "kill in time" ? () => void setTimeout(strike, random.below(120)).unref() : strike;
        return { kind: "hook", when, run };
      });
    const faults: string[] = [];
    if (way === "stop") {
      await Promise.race([until(() => fired), ended(child)]);
      const isStopped = fired && child.exitCode === null;
      if (isStopped) {
        const rival = await ended(start());
        outputs.push(rival.output);
        if (rival.code !== 6) faults.push(`a second run ends with ${rival.code} instead of 6`);
        child.kill("SIGCONT");
      }
    }
    const first = await ended(child);
    outputs.push(first.output);
    emulator.setFaults(undefined);
    if (first.code !== 0) done = sent();
    const found = [...faults, ...(await recover(folder, start, emulator.store, scenario, outputs, first))];
    return { name, hit: done > 0 && sent() > done, faults: found };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** At most two more runs reach the end. */
async function recover(
  folder: string,
  start: () => ChildProcess,
  store: Parameters<typeof picture>[0],
  scenario: Scenario,
  outputs: string[],
  first: Finished,
): Promise<string[]> {
  let last = first;
  for (let rerun = 0; rerun < 2 && last.code !== 0; rerun += 1) {
    last = await ended(start());
    outputs.push(last.output);
  }
  const faults: string[] = [];
  if (last.code !== 0) faults.push(`ends with ${last.code}: ${last.output.slice(-600)}`);
  const found = picture(store).join("\n");
  const wanted = [...scenario.want].sort().join("\n");
  if (found !== wanted) faults.push(`live is\n${found}\ninstead of\n${wanted}`);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const entry of files) {
    const isManifest = entry.name === "rnv.yaml";
    if (!isManifest && readFileSync(join(entry.parentPath, entry.name), "latin1").includes(canary))
      faults.push(`a secret stands in ${entry.name}`);
  }
  if (outputs.some((output) => output.includes(canary))) faults.push("a secret was printed");
  return faults;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** `fullAt`: from which write of its state's files on the disk is full. */
function startCli(folder: string, server: EmulatorServer, scenario: Scenario, fullAt?: number): ChildProcess {
  const confirmed = (scenario.confirmedDeletes ?? []).flatMap((address) => ["--confirm-delete", address]);
  const args = [builtCli(), "apply", "-auto-approve", "-input=false", ...confirmed];
  const preload = fullAt === undefined ? [] : ["-r", join(__dirname, "full-disk.cjs")];
  return spawn(process.execPath, ["--liftoff-only", ...preload, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "",
      HOME: tmpdir(),
      ...settingsOf(server.url),
      ...(fullAt !== undefined && { RNV_FULL_DISK_AT: String(fullAt) }),
    },
  });
}

const endings = new WeakMap<ChildProcess, Promise<Finished>>();

function ended(child: ChildProcess): Promise<Finished> {
  const ending = endings.get(child) ?? finished(child);
  endings.set(child, ending);
  return ending;
}

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApplyRequest } from "../../src/commands/apply";
import type { StateBackend } from "../../src/state/backend";
import type { Rnv } from "./build-rnv";
import { type Image, Machine } from "./machine";
import { picture } from "./picture";
import { Process } from "./process";
import { remoteLabel, type StateRequest } from "./remote-faults";
import { emptyRemote, type RemoteKind } from "./remote-server";
import type { Scenario } from "./scenarios";

/** A scenario made ready: its manifests in files, and what its cases start from. */
export interface Stage {
  readonly rnv: Rnv;
  readonly scenario: Scenario;
  readonly request: Partial<ApplyRequest>;
  /** Everything happened long enough ago to be believed. */
  readonly image: Image;
  /** The same, a second after the last run. */
  readonly young: Image;
  /** Ids of what others own. */
  readonly foreign: ReadonlySet<string>;
  /** Ids of what may be deleted. */
  readonly deletable: ReadonlySet<string>;
  /** How many requests, disk calls and points a run without a fault has. */
  readonly requests: readonly string[];
  readonly diskCalls: number;
  /** Requests to the server of the state, where there is one. */
  readonly remote?: RemoteKind;
  /** The whole run plays every n-th case only: its like is played in full elsewhere. */
  readonly thinned?: number;
  readonly stateRequests: readonly (StateRequest & { readonly label: string })[];
  readonly points: readonly string[];
}

/** What is younger than two minutes is no proof of anything: DESIGN section 5. */
const settledMs = 180_000;
const youngMs = 1000;

/** Runs a scenario up to where its cases begin, then again without a fault, to measure it. */
export async function stageOf(
  rnv: Rnv,
  scenario: Scenario,
  remote?: RemoteKind,
  readings?: string,
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "rnv-faults-"));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const machine = new Machine(1, undefined, { ...scenario.ways, readings }, remote && emptyRemote(remote));
  const { store } = machine.emulator;
  scenario.seed?.(store);
  const seeded = machine.ids();
  for (const [index, text] of (scenario.before ?? []).entries()) {
    const before = { files: [file(`before-${index}.yaml`, text)] };
    const { exitCode, diagnostics, bug } = await new Process(rnv, machine).apply(before);
    if (exitCode !== 0) throw new Error(`${scenario.name}: ${bug ?? JSON.stringify(diagnostics)}`);
  }
  const ours = machine.ids();
  scenario.between?.(store);
  const state = await backendOutside(rnv, machine).read();
  const image = machine.image(seeded, settledMs);
  const foreign = [...machine.ids()].filter((id) => seeded.has(id) || !ours.has(id));
  const request = {
    files: [file("rnv.yaml", scenario.manifest)],
    confirmedDeletes: scenario.confirmedDeletes ?? [],
    adopt: scenario.adopt ?? false,
  };
  const measured = await measure(rnv, image, request, scenario);
  return {
    ...{ rnv, scenario, request, image, ...(remote && { remote }) },
    ...(scenario.thinned && { thinned: scenario.thinned }),
    young: { ...image, time: image.time - settledMs + youngMs },
    foreign: new Set(scenario.adopt ? [] : foreign),
    deletable: new Set(scenario.deletes.flatMap((address) => state?.resources[address as never]?.id ?? [])),
    ...measured,
  };
}

async function measure(rnv: Rnv, image: Image, request: Partial<ApplyRequest>, scenario: Scenario) {
  const machine = new Machine(2, image);
  scenario.arrange?.(machine.emulator.store);
  const requests: string[] = [];
  const points: string[] = [];
  const stateRequests: Stage["stateRequests"][number][] = [];
  const process = new Process(rnv, machine, {
    request: (_index, { method, path }) => {
      requests.push(`${method} ${shortPath(path)}`);
      return undefined;
    },
    state: (_index, { method, path }) => {
      const kind = machine.remote?.server.kind;
      if (kind) stateRequests.push({ method, path, label: remoteLabel({ method, path }, kind) });
      return undefined;
    },
    point: (_index, label) => {
      points.push(label);
      return undefined;
    },
  });
  let ended = await process.carryOut(request, scenario.command);
  // What fails once is done by the same command again.
  if (ended.exitCode !== 0 && scenario.arrange !== undefined)
    ended = await new Process(rnv, machine).carryOut(request, scenario.command);
  const { exitCode, diagnostics, bug } = ended;
  const live = picture(machine.emulator.store);
  if (exitCode !== 0 || JSON.stringify(live) !== JSON.stringify([...scenario.want].sort()))
    throw new Error(
      `${scenario.name}: ${exitCode} ${bug ?? JSON.stringify(diagnostics)}\n${live.join("\n")}\nwanted\n${[...scenario.want].sort().join("\n")}`,
    );
  return { requests, points, stateRequests, diskCalls: process.diskCalls };
}

/** The state as someone sees it who is not a process of the case. */
export const backendOutside = (rnv: Rnv, machine: Machine): StateBackend =>
  machine.remote?.backend(rnv) ?? rnv.createLocalBackend(machine.backendOptions());

/** `services/{id}/variables`: a path without the workspace and ids. */
const shortPath = (path: string): string =>
  path.replace(/^\/workspaces\/[^/]+\//, "").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{id}");

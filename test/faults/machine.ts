import type { WireRequest, WireResponse } from "../../src/api/transport";
import type { Condition } from "../../src/emulator/behaviour";
import {
  createEmulator,
  type Emulator,
  type EmulatorImage,
  embeddedWorkspaceId,
} from "../../src/emulator/emulator";
import type { Fault } from "../../src/emulator/faults";
import { type ManualClock, manualClock } from "../../src/emulator/testing";
import { MemoryDisk } from "../support/memory-disk";
import { createRandom, type Random } from "./random";
import type { RemoteImage } from "./remote-server";
import { RemoteWorld } from "./remote-world";

export const apiKeys = ["rnv_first-key", "rnv_second-key"] as const;
export const baseUrl = "http://127.0.0.1:1/api/v1";
export const workspaceId = embeddedWorkspaceId;
export const statePath = "/state/rnv.json";

/** How the service of a scenario behaves, for good. */
export interface ServiceWays {
  /** It offers no list of variables. */
  readonly unlisted?: true;
  readonly conditions?: readonly Condition[];
  /** Its readings as a text; plain unless said. */
  readonly readings?: string;
}

/** What a case starts from: the service's data and the files of the state. */
export interface Image {
  readonly service: EmulatorImage;
  readonly disk: MemoryDisk;
  readonly time: number;
  /** Ids of things that were there before rnv came. */
  readonly seeded: ReadonlySet<string>;
  readonly ways: ServiceWays;
  /** Where the state lies on a server. */
  readonly remote?: RemoteImage;
}

/** One machine with a disk, a clock and processes, and the service that it talks to. All of it in memory. */
export class Machine {
  readonly clock: ManualClock;
  readonly emulator: Emulator;
  readonly random: Random;
  disk: MemoryDisk;
  /** Everything that happened, a line each: the same case gives the same lines. */
  readonly trace: string[] = [];
  readonly seeded: ReadonlySet<string>;
  readonly ways: ServiceWays;
  readonly running = new Set<number>();
  /** The server of the state, unless the state lies on the disk. */
  readonly remote?: RemoteWorld;
  /** Added to what the processes are told of the time. */
  clockSkew = 0;
  /** Ids of what others made while a case ran. */
  readonly theirs = new Set<string>();
  #pids = 1000;
  #fault: Fault | undefined;

  constructor(seed: number, image?: Image, ways: ServiceWays = image?.ways ?? {}, remote = image?.remote) {
    this.remote = remote && new RemoteWorld(this, remote);
    this.random = createRandom(seed);
    this.ways = ways;
    this.seeded = image?.seeded ?? new Set();
    this.clock = manualClock({ sleepMoves: true, ...(image && { start: image.time }) });
    this.disk = image?.disk.afterPowerCut(() => true) ?? new MemoryDisk();
    this.emulator = createEmulator({
      clock: this.clock,
      random: this.random.next,
      apiKeys: apiKeys.map((key) => ({ key, scope: "write", role: "owner" })),
      ...(image && { image: image.service }),
      gaps: { listVariables: !ways.unlisted },
      conditions: ways.conditions,
      readings: ways.readings,
      // Taken by the emulator before its first pause, so that it meets the request it is meant for.
      faults: () => this.#fault,
    });
    if (ways.readings !== undefined) this.note(`readings ${ways.readings}`);
  }

  /** Carries one request to the service, under a fault. */
  handle(request: WireRequest, fault: Fault | undefined): Promise<WireResponse> {
    this.#fault = fault?.kind === "hook" ? this.#witnessed(fault) : fault;
    return this.emulator.handle(request);
  }

  /** Every id of a thing that is there. */
  ids(): Set<string> {
    const { store } = this.emulator;
    const services = store.services();
    return new Set([
      ...store.projects().map(({ id }) => id),
      ...services.map(({ id }) => id),
      ...services.flatMap(({ id }) => store.variables(id).map((variable) => variable.id)),
    ]);
  }

  /** Remembers what others make. */
  #witnessed(fault: Extract<Fault, { kind: "hook" }>): Fault {
    return {
      ...fault,
      run: async (store) => {
        const before = this.ids();
        await fault.run(store);
        for (const id of this.ids()) if (!before.has(id)) this.theirs.add(id);
      },
    };
  }

  /** `ageMs`: how long ago everything happened when the next one begins. */
  image(seeded: ReadonlySet<string>, ageMs: number): Image {
    return {
      service: this.emulator.image(),
      disk: this.disk,
      time: this.clock.now() + ageMs,
      seeded,
      ways: this.ways,
      ...(this.remote && { remote: this.remote.image() }),
    };
  }

  /** For looking at the state from outside. */
  backendOptions() {
    const { disk, clock } = this;
    return {
      path: statePath,
      disk,
      host: "machine",
      pid: 1,
      isAlive: () => true,
      clock,
      workspaceId,
      baseUrl,
    };
  }

  newPid(): number {
    this.#pids += 1;
    this.running.add(this.#pids);
    return this.#pids;
  }

  note(line: string): void {
    this.trace.push(line);
  }
}

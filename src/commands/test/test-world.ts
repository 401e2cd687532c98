import { randomBytes } from "node:crypto";
import { createClient } from "../../api/client";
import { consistently } from "../../api/consistent-reads";
import { createEndpoints } from "../../api/create-endpoints";
import { defaultGaps } from "../../api/gap-settings";
import { createReads } from "../../api/reads";
import { createEmulator, embeddedApiKey, embeddedWorkspaceId } from "../../emulator/emulator";
import { manualClock } from "../../emulator/testing";
import { findStages } from "../../manifest/load-manifest";
import type { ManifestTest } from "../../manifest/test-file";
import { Secret } from "../../model/secret";
import { splitStage } from "../../model/stage";
import { resourceTypes } from "../../resources";
import { keyIdOf } from "../../state/key";
import { createMemoryBackend, type MemoryBackend } from "../../state/memory-backend";
import type { Connection, Context } from "../context";

/** A manifest of a test: values of `-f`, and the text that `-f -` reads. */
export interface TestManifest {
  readonly files: readonly string[];
  readonly text?: string;
  /** It is read in the stage of the test where it has stages at all: it may be another than that of the test. */
  readonly mayLackStages?: true;
}

/** Where one test runs: an embedded service, a state and a clock of its own, all in memory. */
export interface TestWorld {
  readonly backend: MemoryBackend;
  /** A state that is forgotten: what is made with it is foreign. */
  readonly stranger: () => MemoryBackend;
  /** The capabilities of a run in this world. */
  readonly context: (backend: MemoryBackend, manifest: TestManifest) => Context;
  /** Lets time pass, so that what was just written is old. */
  readonly settle: () => void;
  /** Completes every checkout, as a user does in the dashboard. */
  readonly pay: () => void;
}

const baseUrl = "http://127.0.0.1:1/api/v1";
const origin = { workspaceId: embeddedWorkspaceId, baseUrl };

/** Long enough for reads to be believed. */
const settledMs = 600_000;

/** Numbers from 0 to 1, the same in each run: ids of the service may stand in an expectation. */
function repeatable(): () => number {
  let seed = 1;
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
}

/** Makes the world of a test: nothing outside of it is read but the files that its manifests name, nothing is written. */
export function createWorld(test: ManifestTest, signal: AbortSignal): TestWorld {
  const clock = manualClock({ sleepMoves: true });
  const emulator = createEmulator({ clock, random: repeatable() });
  const key = randomBytes(32);
  const stage = test.stage === undefined ? undefined : splitStage(test.stage);
  const stateOf = { ...origin, stage: null };
  const connect = async (): Promise<Connection> => {
    const client = createClient({
      ...{ baseUrl, apiKey: new Secret(embeddedApiKey), transport: emulator.transport() },
      ...{ clock, random: () => 0.5, runId: randomBytes(16).toString("hex"), gaps: defaultGaps },
    });
    const { runId, send, redact, close, serviceTime } = client;
    const endpoints = consistently(
      (over: typeof send) => createEndpoints(over, embeddedWorkspaceId, defaultGaps),
      { clock, signal, serviceTime },
    );
    return { runId, send, redact, close, endpoints, reads: createReads(endpoints(send)) };
  };
  return {
    backend: createMemoryBackend(stateOf),
    stranger: () => createMemoryBackend(stateOf),
    settle: () => clock.advance(settledMs),
    pay: () => {
      for (const { id } of emulator.store.services()) emulator.store.completeCheckout(id);
    },
    context: (backend, manifest) => {
      const standardInput = manifest.text === undefined ? undefined : Buffer.from(manifest.text);
      // A program that a manifest names may do anything, and tests run often.
      const environment = { ...test.environment, RNV_ALLOW_COMMANDS: "0" };
      const place = { cwd: test.folder, environment };
      const isStaged =
        manifest.mayLackStages !== true ||
        findStages({ ...place, files: manifest.files, standardInput, types: resourceTypes }).stages.size > 0;
      return {
        ...origin,
        ...{ ...place, clock, signal, backend, connect, randomBytes },
        ...{ credential: () => "0123456789abcdef", host: "test", pid: 1, emit: () => undefined },
        stage: isStaged ? stage : undefined,
        stateKey: async () => ({ key, keyId: keyIdOf(key), diagnostics: [] }),
        ...(standardInput && { standardInput: async () => standardInput }),
      };
    },
  };
}

import { randomBytes } from "node:crypto";
import { isAbsolute, posix } from "node:path";
import { type Connection, openConnection } from "../../api/connection";
import { defaultGaps } from "../../api/gaps";
import type { RunProgram } from "../../declaration/load-request";
import { forbiddenInTests } from "../../declaration/trust";
import { type Diagnostic, DiagnosticsError, hasErrors, SourceFile } from "../../diagnostics/diagnostic";
import { createEmulator, embeddedApiKey, embeddedWorkspaceId } from "../../emulator/emulator";
import { manualClock } from "../../emulator/testing";
import { layerSources, type ManifestTest, type TestSource } from "../../manifest/beside/test-file";
import { standardInputName } from "../../manifest/find-files";
import { findStages } from "../../manifest/load-manifest";
import type { Address } from "../../model/address";
import { Secret } from "../../model/secret";
import { splitStage } from "../../model/stage";
import type { State } from "../../model/state";
import { guardErrors } from "../../plan/guards";
import { isWritten, type Plan } from "../../plan/plan";
import { diagnosticData } from "../../report/documents";
import { rounded, type TestResult } from "../../report/test-report";
import { resourceTypes } from "../../resources";
import type { StateBackend } from "../../state/backend";
import { parseState } from "../../state/encode";
import { keyIdOf } from "../../state/key";
import { replayJournal } from "../../state/recorded";
import { type ApplyOutcome, apply } from "../apply";
import { type Context, type PlanRequest, planRequest } from "../context";
import { countedExitCode, plan } from "../plan";
import { compareOutcome, difference, findingLine, type TestOutcome } from "./compare-outcome";

export interface RanTest {
  readonly result: TestResult;
  readonly unexpected: readonly Diagnostic[];
}

/** Runs one test in a world of its own (`rnv test`). Without `runProgram` it refuses programs. Throws nothing but bugs. */
export async function runTest(
  test: ManifestTest,
  signal: AbortSignal,
  runProgram?: RunProgram,
): Promise<RanTest> {
  const started = performance.now();
  const found = await judgeTest(createWorld(test, signal, runProgram)).catch((cause: unknown): JudgedTest => {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    const about = cause instanceof FixtureError ? `what is ${cause.about} could not be made` : "run";
    const errors = cause.diagnostics.filter(({ severity }) => severity === "error");
    const differences = difference(about, [], errors.map(findingLine));
    return { differences, unexpected: errors, status: "error" };
  });
  const { differences, unexpected, status } = found;
  const diagnostics = unexpected.map((one) => inTestFile(test, one));
  return {
    unexpected: diagnostics,
    result: {
      file: test.file,
      line: test.line,
      name: test.name,
      status: status ?? (differences.length === 0 ? "passed" : "failed"),
      seconds: rounded((performance.now() - started) / 1000),
      differences: [...differences],
      diagnostics: diagnostics.map(diagnosticData) as TestResult["diagnostics"],
    },
  };
}

type JudgedTest = ReturnType<typeof compareOutcome> & { readonly status?: "error" };

const awaitingCheckout = 8;

/** The start of a test could not be made. */
class FixtureError extends DiagnosticsError {
  constructor(
    readonly about: "live" | "applied" | "drift",
    diagnostics: readonly Diagnostic[],
  ) {
    super(diagnostics);
  }
}

async function judgeTest(world: TestWorld): Promise<JudgedTest> {
  const { test } = world;
  await makeFixtures(world);
  const outcome = await outcomeOf(world);
  // Findings report a failure, unless all were expected and the exit code says more.
  const exitCode = test.apply === true && !hasErrors(outcome.diagnostics) ? 0 : undefined;
  const { differences, unexpected } = compareOutcome({ exitCode, ...test.expect }, outcome);
  const left = outcome.after === undefined ? [] : linesOf(outcome.after);
  world.settle();
  return { differences: [...differences, ...difference("plan after the apply", [], left)], unexpected };
}

const linesOf = (plan: Plan): string[] => [
  ...plan.changes
    .filter((change) => isWritten(change, plan))
    .map(({ address, action }) => `${address}: ${action}`),
  ...plan.outputs.map(({ name }) => `output ${name} changes`),
];

async function makeFixtures(world: TestWorld): Promise<void> {
  const { test } = world;
  const { live, drift } = test;
  const before = test.applied === true ? { files: test.files } : test.applied;
  // With a state that is forgotten: the resources are foreign.
  if (live !== undefined) await makeFixture(world, "live", live, createMemoryBackend());
  if (before === undefined) return;
  await makeFixture(world, "applied", before, world.backend);
  if (drift === undefined) return;
  // The drift lies over the applied manifest.
  const copy = createMemoryBackend(await world.backend.read());
  await makeFixture(world, "drift", layerSources(before, drift), copy);
}

async function makeFixture(
  world: TestWorld,
  about: FixtureError["about"],
  manifest: TestManifest,
  backend: StateBackend,
): Promise<void> {
  const mayLackStages = { ...manifest, mayLackStages: true as const };
  const outcome = await applyAll(world, { ...planRequest, files: manifest.files }, mayLackStages, backend);
  world.settle();
  if (outcome.exitCode !== 0) throw new FixtureError(about, findingsOf(outcome));
}

async function outcomeOf(world: TestWorld): Promise<TestOutcome> {
  const { test } = world;
  const manifest = layerSources({ files: test.files }, test.overlay ?? { files: [] });
  const request = requestOf(test, manifest.files);
  if (test.apply !== true) {
    const context = await world.context(world.backend, manifest);
    const outcome = await plan(context, { ...request, secrets: "present" });
    return { ...outcome, exitCode: countedExitCode(outcome), diagnostics: findingsOf(outcome) };
  }
  const outcome = await applyAll(world, request, manifest, world.backend, request.confirmedDeletes);
  const ended = { ...outcome, diagnostics: findingsOf(outcome) };
  if (outcome.exitCode !== 0) return ended;
  world.settle();
  const again = await world.context(world.backend, manifest);
  const after = await plan(again, { ...request, confirmedDeletes: [] });
  const errors = after.diagnostics.filter(({ severity }) => severity === "error");
  return { ...ended, after: after.plan, diagnostics: [...ended.diagnostics, ...errors] };
}

const requestOf = (test: ManifestTest, files: readonly string[]): PlanRequest => ({
  ...planRequest,
  files,
  mode: test.destroy === true ? "destroy" : "apply",
  targets: test.targets ?? [],
  adopt: test.adopt === true,
  confirmedDeletes: test.confirm ?? [],
  policies: test.policies,
  overridePolicies: test.overridePolicies,
});

/**
 * Applies a manifest; deletions are confirmed by `confirmed`, all of them unless given. A checkout is completed in the
 * dashboard, unless the test expects that it is waited for.
 */
async function applyAll(
  world: TestWorld,
  request: PlanRequest,
  manifest: TestManifest,
  backend: StateBackend,
  confirmed?: readonly string[],
): Promise<ApplyOutcome> {
  const deletions = (made: Plan): Address[] =>
    confirmed === undefined ? made.changes.map(({ address }) => address) : [];
  const attempt = async (): Promise<ApplyOutcome> =>
    apply(await world.context(backend, manifest), {
      ...request,
      lockTimeoutMs: 0,
      parallelism: 10,
      approve: async (made) => ({ confirmedDeletes: deletions(made) }),
    });
  const first = await attempt();
  const paysFor = first.exitCode === awaitingCheckout && world.test.expect.exitCode !== awaitingCheckout;
  if (paysFor) world.pay();
  const last = paysFor ? await attempt() : first;
  // The plan of the test is that of the first attempt.
  return { ...last, plan: first.plan ?? last.plan };
}

const findingsOf = ({ diagnostics, plan: made }: Pick<ApplyOutcome, "diagnostics" | "plan">) => {
  const isNew = ({ code, address }: Diagnostic): boolean =>
    !diagnostics.some((one) => one.code === code && one.address === address);
  return [...diagnostics, ...(made?.changes ?? []).flatMap(guardErrors).filter(isNew)];
};

function inTestFile(test: ManifestTest, found: Diagnostic): Diagnostic {
  if (found.range === undefined) return found;
  const { file, source, start, end } = found.range;
  const named = isAbsolute(file) ? file : posix.join(test.shownFolder, file);
  // The text of a test is in the file of the test.
  const shown = file === standardInputName ? test.file : named;
  // A path in a value says where it is.
  if (source?.placeAt) return found;
  return { ...found, range: new SourceFile(shown, source?.text).range(start, end) };
}

interface TestManifest extends TestSource {
  /** It is read in the stage of the test where it has stages at all: it may be another than that of the test. */
  readonly mayLackStages?: true;
}

/** An embedded service, a state and a clock for a test, all in memory. */
type TestWorld = ReturnType<typeof createWorld>;

const baseUrl = "http://127.0.0.1:1/api/v1";
const origin = { workspaceId: embeddedWorkspaceId, baseUrl };

/** Numbers from 0 to 1, the same in each run: ids of the service may stand in an expectation. */
function repeatable(): () => number {
  let seed = 1;
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
}

/** Makes the world of a test: nothing outside of it is read but the files that its manifests name, nothing is written. */
function createWorld(test: ManifestTest, signal: AbortSignal, runProgram?: RunProgram) {
  const clock = manualClock({ sleepMoves: true });
  const emulator = createEmulator({ clock, random: repeatable() });
  const key = randomBytes(32);
  const stage = test.stage === undefined ? undefined : splitStage(test.stage);
  const connect = async (): Promise<Connection> =>
    openConnection({
      baseUrl,
      apiKey: new Secret(embeddedApiKey),
      transport: emulator.transport(),
      clock,
      random: () => 0.5,
      runId: randomBytes(16).toString("hex"),
      gaps: defaultGaps,
      workspaceId: embeddedWorkspaceId,
      signal,
    });
  return {
    test,
    backend: createMemoryBackend(),
    /** Lets time pass until recent writes are old enough for reads to be believed. */
    settle: () => clock.advance(600_000),
    /** Completes every checkout, as a user does in the dashboard. */
    pay: () => {
      for (const { id } of emulator.store.services()) emulator.store.completeCheckout(id);
    },
    context: async (backend: StateBackend, manifest: TestManifest): Promise<Context> => {
      const standardInput = manifest.text === undefined ? undefined : Buffer.from(manifest.text);
      // A command that a manifest names may do anything, and tests run often.
      const environment = { ...test.environment, RNV_ALLOW_COMMANDS: runProgram ? forbiddenInTests : "0" };
      const place = { cwd: test.folder, environment, runProgram };
      const sources = { ...place, files: manifest.files, standardInput, types: resourceTypes, stage };
      const isStaged = manifest.mayLackStages !== true || (await findStages(sources)).stages.size > 0;
      return {
        ...origin,
        ...place,
        clock,
        signal,
        backend,
        connect,
        randomBytes,
        credential: () => "0123456789abcdef",
        host: "test",
        pid: 1,
        emit: () => undefined,
        stage: isStaged ? stage : undefined,
        stateKey: async () => ({ key, keyId: keyIdOf(key), diagnostics: [] }),
        standardInput: standardInput && (async () => standardInput),
      };
    },
  };
}

/** Keeps a state in memory, for runs of this process alone: nothing is locked, encrypted or backed up. */
function createMemoryBackend(start?: State): StateBackend {
  let state = start;
  return {
    location: "memory",
    read: async () => state,
    lock: async () => ({
      state,
      isFormOutdated: false,
      append: async (entries) => {
        state = state && replayJournal(state, entries);
      },
      commit: async (next) => {
        state = { ...next, serial: next.serial + 1 };
        return state;
      },
      erase: async () => {
        state = undefined;
        return true;
      },
      release: async () => {},
    }),
    forceUnlock: async () => undefined,
    backups: async () => [],
    readBackup: async () => undefined,
    parse: async (text) => parseState(text, "memory"),
  };
}

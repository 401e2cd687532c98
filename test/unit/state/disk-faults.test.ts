import type { JournalEntry, State } from "../../../src/model/state";
import { createLocalBackend } from "../../../src/state/local/local-backend";
import { emptyState, replayJournal } from "../../../src/state/recorded";
import { diskError, type Fault, MemoryDisk } from "../../support/memory-disk";
import { inSoak } from "../../support/soak";
import { holder, intent, origin, outcome, resourceEntry, stillClock } from "./fixtures";

jest.setTimeout(120_000);

/** From one call that is struck to the next. */
const stride = inSoak(1, 5);

const path = "/s/state.json";
const start = emptyState({ lineage: "line", ...origin });

const backendOn = (disk: MemoryDisk, pid: number) =>
  createLocalBackend({
    path,
    disk,
    host: "here",
    pid,
    isAlive: (other) => other === pid,
    clock: stillClock(),
    ...origin,
  });

type Step = { readonly entries: readonly JournalEntry[]; readonly durable: boolean } | "commit";

const wide: JournalEntry = { kind: "outputs", outputs: { text: "x".repeat(5000) } };

/** A run: lines longer than a page, outcomes that are not waited for, snapshots in between, and none at its end. */
const steps: readonly Step[] = [
  "commit",
  { entries: [intent(1)], durable: true },
  { entries: [outcome(1), resourceEntry("service.a", "a")], durable: false },
  "commit",
  { entries: [wide, intent(2)], durable: true },
  { entries: [outcome(2), resourceEntry("service.b", "b")], durable: false },
  "commit",
  { entries: [resourceEntry("service.c", "c"), intent(3)], durable: true },
  { entries: [resourceEntry("service.a", "a2")], durable: false },
];

interface Trace {
  /** Every entry that was asked for, and what became of it. */
  readonly entries: { entry: JournalEntry; answer: "durable" | "taken" | "refused" }[];
  serial: number;
}

async function run(disk: MemoryDisk, id: string, pid: number): Promise<Trace> {
  const trace: Trace = { entries: [], serial: 0 };
  const session = await backendOn(disk, pid)
    .lock(holder(id, pid), 0)
    .catch(() => undefined);
  if (session === undefined) return trace;
  for (const step of steps) {
    if (step === "commit") {
      const accepted = trace.entries.filter(({ answer }) => answer !== "refused");
      const state = replayJournal(
        start,
        accepted.map(({ entry }) => entry),
      );
      const written = await session.commit({ ...state, serial: trace.serial }).catch(() => undefined);
      if (written !== undefined) {
        trace.serial = written.serial;
        for (const item of trace.entries) if (item.answer === "taken") item.answer = "durable";
      }
    } else {
      const answer = await session.append(step.entries, step).then(
        () => (step.durable ? "durable" : "taken"),
        () => "refused" as const,
      );
      // A sync makes everything before it durable too.
      if (answer === "durable")
        for (const item of trace.entries) if (item.answer === "taken") item.answer = "durable";
      trace.entries.push(...step.entries.map((entry) => ({ entry, answer }) as const));
    }
  }
  await session.release();
  return trace;
}

/** In a few words, which all of these states differ by. */
const contentOf = (state: State | undefined): string => {
  const { resources, outputs, open } = state ?? start;
  const ids = Object.entries(resources).map(([at, { id }]) => `${at}=${id}`);
  const seqs = open.map(({ seq }) => seq);
  return [...ids.sort(), `open=${seqs}`, `text=${String(outputs.text ?? "").length}`].join(" ");
};

/** Contents that may be read after the trace: what was acknowledged, with any part of what was not. */
function possibleContents(trace: Trace, certain: (answer: string) => boolean): Set<string> {
  let choices: JournalEntry[][] = [[]];
  for (const { entry, answer } of trace.entries) {
    const taken = choices.map((chosen) => [...chosen, entry]);
    choices = certain(answer) ? taken : [...taken, ...choices];
  }
  return new Set(choices.map((chosen) => contentOf(replayJournal(start, chosen))));
}

async function expectWhole(
  disk: MemoryDisk,
  trace: Trace,
  certain: (answer: string) => boolean,
): Promise<void> {
  const found = await backendOn(disk, 300).read();
  expect([...possibleContents(trace, certain)]).toContain(contentOf(found));
  expect(found?.serial ?? 0).toBeGreaterThanOrEqual(trace.serial);
  // The next run takes the lock over and writes on.
  disk.fault = () => undefined;
  const session = await backendOn(disk, 300).lock(holder("next", 300), 0);
  if (session.state === undefined) await session.commit(start);
  await session.append([intent(9)], { durable: true });
  const written = await session.commit(replayJournal(session.state ?? start, [intent(9)]));
  await session.release();
  expect(await backendOn(disk, 300).read()).toEqual(written);
  expect(written.serial).toBeGreaterThan(trace.serial);
}

async function callsOfOneRun(): Promise<readonly string[]> {
  const disk = new MemoryDisk();
  const trace = await run(disk, "first", 100);
  expect(trace.entries.map(({ answer }) => answer)).not.toContain("refused");
  expect(trace.serial).toBe(3);
  return disk.calls;
}

/** Numbers below 1 from a seed. */
function random(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 8) % 1000) / 1000;
  };
}

const survivals: readonly ((seed: number) => () => boolean)[] = [
  () => () => false,
  () => () => true,
  ...[0.5, 0.9].map((share) => (seed: number) => {
    const next = random(seed);
    return () => next() < share;
  }),
];

const powerOff = diskError("POWER");

describe("the disk of a local state", () => {
  it("may lose power before or after any call: durable entries stay, the state is whole", async () => {
    const { length } = await callsOfOneRun();
    for (let at = 0; at <= length; at += stride)
      for (const [i, survival] of survivals.entries())
        for (const seed of i < 2 ? [0] : [1, 2]) {
          const disk = new MemoryDisk();
          disk.fault = ({ index }) => {
            if (index >= at) throw powerOff;
            return undefined;
          };
          const trace = await run(disk, "first", 100);
          await expectWhole(disk.afterPowerCut(survival(seed * 1000 + at)), trace, (a) => a === "durable");
        }
  });

  const faults: Record<string, (at: number) => Fault> = {
    "fail once with ENOSPC": (at) => failing(({ index }) => index === at, "ENOSPC"),
    "fail once with EIO": (at) => failing(({ index }) => index === at, "EIO"),
    "be full from there on": (at) => failing(({ index, name }) => index >= at && name !== "remove", "ENOSPC"),
    "become read-only": (at) => failing(({ index }) => index >= at, "EROFS"),
    "fail its syncs": (at) => failing(({ index, name }) => index >= at && name.startsWith("sync"), "EIO"),
    "write a part and then be full": (at) => (call) =>
      call.index === at && call.name === "write"
        ? { writeOnly: 30, failing: diskError("ENOSPC") }
        : undefined,
    "make every write short": (at) => (call) =>
      call.name === "write" ? { writeOnly: 1000 + 97 * at } : undefined,
  };

  for (const [title, fault] of Object.entries(faults))
    it(`may ${title} at any call: what was acknowledged stays`, async () => {
      const { length } = await callsOfOneRun();
      for (let at = 0; at < length; at += stride)
        for (const cut of [false, true]) {
          const disk = new MemoryDisk();
          disk.fault = fault(at);
          const trace = await run(disk, "first", 100);
          disk.fault = () => undefined;
          const next = random(at);
          const after = cut ? disk.afterPowerCut(() => next() < 0.5) : disk;
          await expectWhole(after, trace, (answer) => (cut ? answer === "durable" : answer !== "refused"));
        }
    });
});

function failing(when: (call: Parameters<Fault>[0]) => boolean, code: string): Fault {
  return (call) => {
    if (when(call)) throw diskError(code);
    return undefined;
  };
}

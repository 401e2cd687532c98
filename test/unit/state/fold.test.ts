import type { JournalEntry, RunRecord } from "../../../src/model/state";
import { emptyState, replayJournal } from "../../../src/state/recorded";
import { fc } from "../../support/fixed-seed";
import { address, intent, origin, resource } from "./fixtures";

const start = emptyState({ lineage: "line", ...origin });
const run: RunRecord = { id: "r", planDigest: "d", credential: "c", startedAt: "t", fences: {} };

const places = fc.constantFrom("service.a", "service.b", "project.p").map(address);
const entry: fc.Arbitrary<JournalEntry> = fc.oneof(
  fc.constant<JournalEntry>({ kind: "run", run }),
  fc.nat(5).map(intent),
  fc.nat(5).map((seq): JournalEntry => ({ kind: "outcome", seq, result: "refused", status: 400 })),
  fc.tuple(places, fc.option(fc.string())).map(
    ([at, id]): JournalEntry => ({
      kind: "resource",
      address: at,
      resource: id === null ? null : resource(id),
    }),
  ),
  fc.string().map((text): JournalEntry => ({ kind: "outputs", outputs: { text } })),
  fc.constant<JournalEntry>({ kind: "end" }),
);
const entries = fc.array(entry, { maxLength: 20 });

describe("fold", () => {
  it("takes entries in one by one as it takes them in together", () => {
    fc.assert(
      fc.property(entries, entries, (first, second) => {
        expect(replayJournal(replayJournal(start, first), second)).toEqual(
          replayJournal(start, [...first, ...second]),
        );
      }),
    );
  });

  it("changes nothing it is given", () => {
    fc.assert(
      fc.property(entries, entries, (first, second) => {
        const state = replayJournal(start, first);
        const before = JSON.stringify([state, second]);
        replayJournal(state, second);
        expect(JSON.stringify([state, second])).toBe(before);
      }),
    );
  });

  it("holds for each address what was said last, and open exactly the intents without a later outcome", () => {
    fc.assert(
      fc.property(entries, (all) => {
        const state = replayJournal(start, all);
        for (const at of ["service.a", "service.b", "project.p"].map(address)) {
          const said = all.findLast((one) => one.kind === "resource" && one.address === at);
          expect(state.resources[at]).toEqual(
            said?.kind === "resource" ? (said.resource ?? undefined) : undefined,
          );
        }
        for (let seq = 0; seq <= 5; seq += 1) {
          const last = all.findLast(
            (one) =>
              (one.kind === "intent" && one.intent.seq === seq) ||
              (one.kind === "outcome" && one.seq === seq),
          );
          expect(state.open.some((open) => open.seq === seq)).toBe(last?.kind === "intent");
        }
      }),
    );
  });

  it("records the run until it ends, and the key that it fingerprints with for good", () => {
    const running = replayJournal(start, [{ kind: "run", run, keyId: "k" }]);
    expect([running.run, running.keyId]).toEqual([run, "k"]);
    const ended = replayJournal(running, [{ kind: "end" }]);
    expect([ended.run, ended.keyId]).toEqual([null, "k"]);
    expect(replayJournal(ended, [{ kind: "run", run }]).keyId).toBe("k");
  });

  it("leaves lineage and serial to the commit", () => {
    expect(replayJournal(start, [{ kind: "run", run }, intent(1)])).toMatchObject({
      lineage: "line",
      serial: 0,
    });
  });
});

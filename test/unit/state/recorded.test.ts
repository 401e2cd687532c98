import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeState } from "../../../src/state/encode";
import { decodeDamaged, emptyState, replayJournal } from "../../../src/state/recorded";
import { newFolder } from "../../support/temp-folder";
import { address, holder, localBackend, origin, problemOf, resourceEntry } from "./fixtures";

describe("reading a state from a disk that anybody could have written to", () => {
  let path: string;
  beforeEach(() => {
    path = join(newFolder("state"), "state.json");
  });

  const backend = (from = origin) => localBackend({ path, ...from });
  const problem = (from = origin) => problemOf(backend(from).read());

  it("says how to bring a backup back when the state is damaged", async () => {
    writeFileSync(path, "{");
    expect(await problem()).toMatchObject({
      code: "state.unreadable",
      hint: expect.stringContaining("rnv state restore 1 brings the newest back"),
    });
  });

  it("leaves what it says of a newer state and of another workspace without a word of backups", async () => {
    const state = emptyState({ lineage: "line", ...origin });
    writeFileSync(path, JSON.stringify({ ...state, version: 2 }));
    expect(await problem()).toMatchObject({ code: "state.newer", hint: expect.stringContaining("upgrade") });
    writeFileSync(path, encodeState({ ...state, workspaceId: "other" }));
    expect((await problem())?.hint).toContain("RNV_WORKSPACE_ID");
  });

  it("takes the state of the stack that is asked for, and a state without a stack for any", async () => {
    const [shop, none] = ["shop", undefined].map((stack) =>
      emptyState({ lineage: "line", ...origin, stack }),
    );
    const stackOf = async (stack?: string) =>
      (await backend({ ...origin, ...(stack && { stack }) }).read())?.stack;
    writeFileSync(path, encodeState(shop as never));
    expect([await stackOf("shop"), await stackOf()]).toEqual(["shop", "shop"]);
    const other = { ...origin, stack: "blog" };
    expect((await problem(other))?.code).toBe("guard.stack");
    await expect(backend(other).read()).rejects.toMatchObject({ exitCode: 4 });
    await expect(backend({ ...origin, workspaceId: "w" }).read()).rejects.toMatchObject({ exitCode: 4 });
    writeFileSync(path, encodeState(none as never));
    expect([await stackOf("blog"), await stackOf()]).toEqual(["blog", undefined]);
  });

  it("refuses the state of another workspace or service", async () => {
    writeFileSync(path, encodeState(emptyState({ lineage: "line", ...origin })));
    expect((await problem({ ...origin, workspaceId: "other" }))?.code).toBe("state.workspace");
    expect((await problem({ ...origin, baseUrl: "https://elsewhere.test/api/v1" }))?.code).toBe(
      "state.workspace",
    );
    expect((await backend({ ...origin, baseUrl: `${origin.baseUrl}/` }).read())?.lineage).toBe("line");
  });

  it("refuses a folder, a pipe and a huge file without waiting for them", async () => {
    mkdirSync(path);
    const unreadable = (why: string) => ({ code: "state.unreadable", summary: expect.stringContaining(why) });
    expect(await problem()).toMatchObject(unreadable("not a file"));
    rmSync(path, { recursive: true });
    execFileSync("mkfifo", [path]);
    expect(await problem()).toMatchObject(unreadable("not a file"));
    rmSync(path);
    writeFileSync(path, "");
    truncateSync(path, 3 * 1024 ** 3);
    expect(await problem()).toMatchObject(unreadable("too large"));
  });

  it("refuses a journal whose snapshot is gone", async () => {
    const session = await backend().lock(holder("a"), 0);
    await session.commit(emptyState({ lineage: "line", ...origin }));
    await session.append([{ kind: "end" }], { durable: true });
    await session.release();
    rmSync(path);
    expect((await problem())?.summary).toContain("goes on from serial 1");
  });
});

describe("the rest of a damaged state", () => {
  it.each([
    ["", 0, 0, false],
    ['{"serial": 7, "writer": {"generation": 3', 7, 3, false],
    ['"serial":2 "serial" : 11 "serial":5 "generation":1', 11, 1, false],
    ['"serial": "9"', 0, 0, false],
    ['"format": "rnv-state-encrypted", "serial": 4', 4, 0, true],
    ['{"kind":"sealed","keyId":', 0, 0, true],
  ])(
    "is its serial, its generation and whether it is encrypted: %s",
    (text, serial, generation, encrypted) => {
      const whole = { state: undefined, hasPending: false, damage: [], serial, generation, encrypted };
      for (const part of ["snapshot", "journal"])
        expect(decodeDamaged({ [part]: Buffer.from(text) }, [])).toMatchObject(whole);
    },
  );
});

describe("the list of recent deletions", () => {
  it("is remembered where the journal says when, and only of what was there", () => {
    const at = address("service.api");
    const start = replayJournal(emptyState({ lineage: "line", ...origin }), [resourceEntry(at, "id-1")]);
    const gone = { kind: "resource", address: at, resource: null } as const;
    const deletedAt = "2026-01-01T00:00:00.000Z";
    expect(replayJournal(start, [{ ...gone, deletedAt }]).deleted).toMatchObject({
      "id-1": { address: at, at: deletedAt },
    });
    expect(replayJournal(start, [gone]).deleted).toBeUndefined();
    const unknown = { ...gone, deletedAt, address: address("service.x") };
    expect(replayJournal(start, [unknown]).deleted).toBeUndefined();
    expect(replayJournal(start, [])).toBe(start);
  });
});

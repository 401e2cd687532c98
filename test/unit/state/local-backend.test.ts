import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalBackend } from "../../../src/state/local/local-backend";
import { emptyState } from "../../../src/state/recorded";
import { holder, intent, origin, resourceEntry, stillClock } from "./fixtures";

describe("the local backend on a real disk", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rnv-state-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const backend = (path = join(folder, "new", "rnv.state.json")) =>
    createLocalBackend({
      path,
      host: "here",
      pid: process.pid,
      isAlive: () => true,
      clock: stillClock(),
      ...origin,
    });

  it("reads nothing, and writes nothing, where there is no state", async () => {
    expect(await backend().read()).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["a state that is there", true],
    ["one that is not there yet", false],
  ])("writes through a link, which stays one: %s", async (_, exists) => {
    mkdirSync(join(folder, "shared"));
    mkdirSync(join(folder, "deep/er"), { recursive: true });
    const target = join(folder, "shared", "state.json");
    const link = join(folder, "here", "state.json");
    mkdirSync(join(folder, "here"));
    // By a link to a link, the first of them relative, through a folder that is a link.
    symlinkSync(join(folder, "deep", "er"), join(folder, "by"));
    symlinkSync("../../shared/state.json", join(folder, "by", "second"));
    symlinkSync("../by/second", link);
    if (exists) {
      const before = await backend(target).lock(holder("before"), 0);
      await before.commit(emptyState({ lineage: "line", ...origin }));
      await before.release();
    }
    const session = await backend(link).lock(holder("a"), 0);
    await expect(backend(target).lock(holder("b"), 0)).rejects.toThrow("locked");
    await session.commit(emptyState({ lineage: "line", ...origin }));
    await session.append([intent(1)], { durable: true });
    await session.release();
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readlinkSync(link)).toBe("../by/second");
    expect(lstatSync(target).isFile()).toBe(true);
    expect((await backend(target).read())?.open).toHaveLength(1);
    expect(await backend(link).read()).toEqual(await backend(target).read());
    expect(readdirSync(join(folder, "here"))).toEqual(["state.json"]);
  });

  it("says that links which lead in a circle are no state", async () => {
    symlinkSync("b", join(folder, "a"));
    symlinkSync("a", join(folder, "b"));
    await expect(backend(join(folder, "a")).lock(holder("a"), 0)).rejects.toThrow(/ELOOP|links/);
  });

  it("commits a snapshot that only its owner can read, in a folder of its own", async () => {
    const session = await backend().lock(holder("a"), 0);
    const written = await session.commit(emptyState({ lineage: "line", ...origin }));
    await session.release();
    expect(written.serial).toBe(1);
    expect(await backend().read()).toEqual(written);
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "new", "rnv.state.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "new"))).toEqual(["rnv.state.json"]);
  });

  it("shows appended entries to readers before any commit, and after the run is cut short", async () => {
    const session = await backend().lock(holder("a"), 0);
    await session.commit(emptyState({ lineage: "line", ...origin }));
    await session.append([intent(1), resourceEntry("service.api", "id-1")], { durable: true });
    const seen = await backend().read();
    expect(seen?.open.map((open) => open.seq)).toEqual([1]);
    expect(Object.keys(seen?.resources ?? {})).toEqual(["service.api"]);
    await session.release();
    const next = await backend().lock(holder("b"), 0);
    expect(next.state).toEqual(seen);
    await next.append([{ kind: "outcome", seq: 1, result: "done", status: 200 }], { durable: true });
    expect((await backend().read())?.open).toEqual([]);
    await next.release();
  });

  it("writes a text whose keys are sorted and which ends in a newline", async () => {
    const session = await backend().lock(holder("a"), 0);
    await session.commit(emptyState({ lineage: "line", ...origin }));
    await session.release();
    const text = readFileSync(join(folder, "new", "rnv.state.json"), "utf8");
    const keys = Object.keys(JSON.parse(text));
    expect(keys).toEqual([...keys].sort());
    expect(text.endsWith("}\n")).toBe(true);
    expect(text).toContain('\n  "baseUrl"');
  });

  it("keeps the ten snapshots before the last, newest first", async () => {
    const session = await backend().lock(holder("a"), 0);
    let state = emptyState({ lineage: "line", ...origin });
    for (let n = 0; n < 13; n += 1) state = await session.commit(state);
    await session.release();
    const backups = await backend().backups();
    const serials = backups.map((path) => JSON.parse(readFileSync(path, "utf8")).serial);
    expect(serials).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  });
});

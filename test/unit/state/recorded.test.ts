import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { createLocalBackend } from "../../../src/state/local/local-backend";
import { emptyState } from "../../../src/state/recorded";
import { encodeState } from "../../../src/state/state-text";
import { holder, origin, stillClock } from "./fixtures";

describe("reading a state from a disk that anybody could have written to", () => {
  let path: string;
  beforeEach(() => {
    path = join(mkdtempSync(join(tmpdir(), "rnv-state-")), "state.json");
  });
  afterEach(() => rmSync(join(path, ".."), { recursive: true, force: true }));

  const backend = (from = origin) =>
    createLocalBackend({ path, host: "here", pid: 1, isAlive: () => true, clock: stillClock(), ...from });

  const problem = async (from = origin) => {
    const cause = await backend(from)
      .read()
      .catch((error: unknown) => error);
    if (!(cause instanceof DiagnosticsError)) throw new Error(`no diagnostic: ${cause}`);
    return cause.diagnostics[0];
  };

  it("names the newest backup when the state is damaged, and lists the others", async () => {
    const session = await backend().lock(holder("a"), 0);
    let state = emptyState({ lineage: "line", ...origin });
    for (let n = 0; n < 3; n += 1) state = await session.commit(state);
    await session.release();
    truncateSync(path, 40);
    expect(await problem()).toMatchObject({
      code: "state.unreadable",
      hint: expect.stringContaining(`cp ${path}.backup.1 ${path}`),
      detail: `Backups: ${path}.backup.1, ${path}.backup.2`,
    });
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
    expect(await problem()).toMatchObject({
      code: "state.unreadable",
      summary: expect.stringContaining("not a file"),
    });
    rmSync(path, { recursive: true });
    execFileSync("mkfifo", [path]);
    expect(await problem()).toMatchObject({
      code: "state.unreadable",
      summary: expect.stringContaining("not a file"),
    });
    rmSync(path);
    writeFileSync(path, "");
    truncateSync(path, 3 * 1024 ** 3);
    expect(await problem()).toMatchObject({
      code: "state.unreadable",
      summary: expect.stringContaining("too large"),
    });
  });

  it("refuses a journal whose snapshot is gone", async () => {
    const session = await backend().lock(holder("a"), 0);
    await session.commit(emptyState({ lineage: "line", ...origin }));
    await session.append([{ kind: "end" }], { durable: true });
    await session.release();
    rmSync(path);
    expect((await problem())?.summary).toContain("goes on from serial 1");
  });

  it("says that a folder cannot be made where a file stands", async () => {
    writeFileSync(path, "");
    const below = createLocalBackend({
      path: join(path, "state.json"),
      host: "here",
      pid: 1,
      isAlive: () => true,
      clock: stillClock(),
      ...origin,
    });
    await expect(below.lock(holder("a"), 0)).rejects.toThrow(/cannot write .*(not a folder|EEXIST)/);
  });
});

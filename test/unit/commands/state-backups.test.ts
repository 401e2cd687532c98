import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listBackups, pushState, restoreState } from "../../../src/commands/state-verbs";
import { backupsText } from "../../../src/report/state-list";
import type { Backup } from "../../../src/state/backend";
import { encodeState } from "../../../src/state/encode";
import { createWorkbench, type Workbench } from "../../support/workbench";
import { holder, intent, problemOf } from "../state/fixtures";

const shop = (services: string) => `projects: { shop: { services: { ${services} } } }\n`;
const one = "api: { kind: web, deploy: { when: never } }";
const two = `${one}, docs: { kind: static, deploy: { when: never } }`;

describe("backups of the state", () => {
  let bench: Workbench;
  let path: string;
  const options = { lockTimeoutMs: 0, force: false };
  const state = () => bench.state();
  const addresses = async () => Object.keys((await state())?.resources ?? {}).sort();
  const code = async (attempt: Promise<unknown>) => (await problemOf(attempt))?.code;

  beforeEach(async () => {
    bench = createWorkbench({ disk: "file system" });
    path = join(bench.folder, ".rnv", "state.json");
    for (const services of [one, two]) {
      await bench.applied(shop(services));
    }
  });

  it("are read from an older version too, without the time of their write", async () => {
    const file = `${path}.backup.1`;
    const {
      writer: { at: _at, command: _command, ...writer },
      ...held
    } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...held, writer }));
    const [newest] = await listBackups(bench.context);
    expect(newest?.parsed?.writer).toEqual(writer);
    expect(backupsText([newest as Backup])).toMatch(/^1 {2}serial .*, time not recorded/);
  });

  it("bring back a previous snapshot with a new serial, and keep the snapshot that they replace", async () => {
    const before = await state();
    const { serial, restored } = await restoreState(bench.context, { ...options, from: 1 });
    expect(restored.name).toBe(`${path}.backup.1`);
    expect(serial).toBe((before?.serial ?? 0) + 1);
    expect(await addresses()).toEqual(["project.shop", "service.shop.api"]);
    await restoreState(bench.context, { ...options, from: 1 });
    expect((await state())?.resources).toEqual(before?.resources);
    expect(await bench.acting()).toEqual([]);
  });

  it.each([
    ["the snapshot is cut short", () => truncateSync(path, 200)],
    ["the snapshot is not JSON", () => writeFileSync(path, "\0\0\0")],
    ["the journal is damaged", () => writeFileSync(`${path}.journal`, "{}\n")],
    ["both are", () => [path, `${path}.journal`].map((file) => writeFileSync(file, "x"))],
  ])("bring back a state that cannot be read: %s", async (_, damage) => {
    const whole = { text: readFileSync(path, "utf8"), name: "copy.json" };
    const before = await state();
    damage();
    expect(await code(bench.apply())).toBe("state.unreadable");
    await restoreState(bench.context, { ...options, from: whole });
    expect((await state())?.resources).toEqual(before?.resources);
    expect((await bench.apply()).diagnostics).toEqual([]);
  });

  it("do not take the place of writes that are not settled, unless forced", async () => {
    const session = await bench.context.backend.lock({ ...holder("dead"), host: "elsewhere" }, 0);
    await session.append([intent(1)], { durable: true });
    await session.release();
    expect(await code(restoreState(bench.context, { ...options, from: 1 }))).toBe("state.conflict");
    await restoreState(bench.context, { ...options, from: 1, force: true });
    expect((await state())?.open).toEqual([]);
  });

  it("refuse a state of another workspace, and a newer format, which only looks damaged", async () => {
    const now = await state();
    if (now === undefined) throw new Error("nothing recorded");
    const from = { text: encodeState({ ...now, workspaceId: "other" }), name: "foreign.json" };
    expect(await code(restoreState(bench.context, { ...options, from, force: true }))).toBe(
      "state.workspace",
    );
    writeFileSync(path, encodeState({ ...now, version: 2 as 1 }));
    expect(await code(restoreState(bench.context, { ...options, from: 1, force: true }))).toBe("state.newer");
  });

  it("push --force replaces a state that cannot be read, push does not", async () => {
    const text = readFileSync(path, "utf8");
    appendFileSync(path, "}");
    const push = (force: boolean) =>
      pushState(bench.context, { lockTimeoutMs: 0, text, name: "copy.json", force });
    expect(await code(push(false))).toBe("state.unreadable");
    await push(true);
    expect((await bench.apply()).exitCode).toBe(0);
  });
});

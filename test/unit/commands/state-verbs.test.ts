import { join } from "node:path";
import { moveState, pushState, removeState } from "../../../src/commands/state-verbs";
import { encodeState } from "../../../src/state/encode";
import { textIn } from "../../support/rows";
import { createWorkbench, type Workbench } from "../../support/workbench";
import { holder, intent } from "../state/fixtures";

const shop = (service = "api") => textIn(join(__dirname, "state-verbs.yaml"), { service });

describe("the verbs of the state", () => {
  let bench: Workbench;
  const lock = { lockTimeoutMs: 0 };
  const addresses = async () => Object.keys((await bench.state())?.resources ?? {}).sort();
  const codes = (attempt: Promise<unknown>) =>
    attempt.then(
      () => [],
      (failure: { diagnostics: readonly { code: string }[] }) => failure.diagnostics.map(({ code }) => code),
    );

  beforeEach(async () => {
    bench = createWorkbench();
    await bench.applied(shop());
    bench.emulator.resetLog();
  });
  afterEach(() => {
    expect(bench.writes()).toEqual([]);
  });

  it("mv takes along its contents, and nothing whose name only begins the same", async () => {
    await moveState(bench.context, { ...lock, from: "service.shop.api", to: "service.shop.web" });
    const now = await addresses();
    expect(now).toEqual(
      expect.arrayContaining(["service.shop.web", "variable.shop.web.LOG_LEVEL", "service.shop.api-docs"]),
    );
    expect(now.filter((address) => /\.api(\.|$)/.test(address))).toEqual([]);
  });

  it("mv leaves nothing to change once the manifest has the new address", async () => {
    await moveState(bench.context, { ...lock, from: "service.shop.api", to: "service.shop.web" });
    await moveState(bench.context, { ...lock, from: "service.shop.web", to: "service.shop.site" });
    bench.write("rnv.yaml", shop("site"));
    expect(await bench.acting()).toEqual([]);
    expect((await bench.apply()).exitCode).toBe(0);
    expect(await bench.acting()).toEqual([]);
  });

  it("mv refuses an address that is taken, of another type, or unknown", async () => {
    const move = (from: string, to: string) => codes(moveState(bench.context, { ...lock, from, to }));
    expect(await move("service.shop.api", "service.shop.api-docs")).toEqual(["state.conflict"]);
    expect(await move("service.shop.api", "service.shop.api")).toEqual(["state.conflict"]);
    expect(await move("service.shop.api", "project.web")).toEqual(["state.conflict"]);
    const part = "variable.shop.api.LOG_LEVEL";
    expect(await move(part, "variable.shop.api-docs.LOG_LEVEL")).toEqual(["state.conflict"]);
    expect(await move("service.shop.apo", "service.shop.web")).toEqual(["state.address_unknown"]);
    expect(await move("service.shop.api", "nonsense")).toEqual(["command.usage"]);
    expect(await addresses()).toContain("service.shop.api");
  });

  it("rm forgets nothing when one of its addresses is unknown", async () => {
    const attempt = removeState(bench.context, { ...lock, addresses: ["service.shop.api", "service.x"] });
    expect(await codes(attempt)).toEqual(["state.address_unknown"]);
    expect(await addresses()).toContain("service.shop.api");
  });

  it("push takes back what pull printed, and refuses what is older or foreign", async () => {
    const state = await bench.context.backend.read();
    if (!state) throw new Error("there is a state");
    const push = (text: string, force = false) =>
      pushState(bench.context, { ...lock, text, name: "copy.json", force });
    const { serial } = await push(encodeState(state));
    expect(serial).toBe(state.serial + 1);
    expect(await codes(push(encodeState({ ...state, serial: 0 })))).toEqual(["state.conflict"]);
    expect(await codes(push(encodeState({ ...state, lineage: crypto.randomUUID() })))).toEqual([
      "state.conflict",
    ]);
    expect(await codes(push(encodeState({ ...state, workspaceId: crypto.randomUUID() }), true))).toEqual([
      "state.workspace",
    ]);
    expect(await codes(push(encodeState({ ...state, serial, outputs: { a: 1 } })))).toEqual([
      "state.conflict",
    ]);
    expect(await codes(push("{}"))).toEqual(["state.unreadable"]);
    expect((await push(encodeState({ ...state, serial: 0 }), true)).serial).toBe(state.serial + 2);
  });

  it("rm forgets a write whose outcome is unknown by its address, where nothing is recorded under it", async () => {
    const session = await bench.context.backend.lock(holder("dead"), 0);
    await session.append([intent(1)], { durable: true });
    await session.release();
    await removeState(bench.context, { ...lock, addresses: ["service.shop.api"] });
    expect((await bench.state())?.open).toHaveLength(1);
    await removeState(bench.context, { ...lock, addresses: ["service.api"] });
    expect((await bench.state())?.open).toEqual([]);
  });
});

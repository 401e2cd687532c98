import { join } from "node:path";
import type { Context } from "../../../src/commands/context";
import { handOver, removeState } from "../../../src/commands/state-verbs";
import type { StateBackend } from "../../../src/state/backend";
import { createLocalBackend } from "../../../src/state/stores/local-backend";
import { MemoryDisk } from "../../support/memory-disk";
import { createWorkbench, type Workbench } from "../../support/workbench";

const project = (name: string): string =>
  `  ${name}: { services: { api: { kind: web, variables: { LEVEL: info }, deploy: { when: never } } } }\n`;
const both = `projects:\n${project("shop")}${project("payments")}`;

class Killed extends Error {}

describe("a hand-over from state to state", () => {
  let bench: Workbench;
  let target: Context;
  const request = { addresses: ["project.payments"], lockTimeoutMs: 0 };
  beforeEach(async () => {
    bench = createWorkbench();
    await bench.applied(both);
    const { context } = bench;
    const { baseUrl, workspaceId, host, pid, clock } = context;
    const path = join(bench.folder, "there", "state.json");
    const around = { baseUrl, workspaceId, host, pid, clock, isAlive: () => true, disk: new MemoryDisk() };
    target = { ...context, backend: createLocalBackend({ ...around, path }) };
  });

  /** Ends the process at a commit, counted over both states; its locks are free then. */
  const killing = (at: number, when: "before" | "after"): readonly [Context, Context] => {
    let commits = 0;
    const dying = (backend: StateBackend): StateBackend => ({
      ...backend,
      lock: async (...args) => {
        const session = await backend.lock(...args);
        return {
          ...session,
          state: session.state,
          append: (...given) => session.append(...given),
          commit: async (state) => {
            commits += 1;
            if (commits === at && when === "before") throw new Killed();
            const written = await session.commit(state);
            if (commits === at) throw new Killed();
            return written;
          },
          release: () => session.release(),
        };
      },
    });
    return [
      { ...bench.context, backend: dying(bench.context.backend) },
      { ...target, backend: dying(target.backend) },
    ];
  };

  const recorded = async (backend: StateBackend): Promise<string[]> =>
    Object.keys((await backend.read())?.resources ?? {}).filter((address) => address.includes("payments"));

  it.each([1, 2, 3].flatMap((at) => (["before", "after"] as const).map((when) => [at, when] as const)))(
    "loses nothing where it ends at commit %s (%s), is planned by one state alone, and is ended by the same command",
    async (at, when) => {
      await expect(handOver(...killing(at, when), request)).rejects.toThrow(Killed);
      const source = await bench.context.backend.read();
      const here = await recorded(bench.context.backend);
      const there = await recorded(target.backend);
      expect(new Set([...here, ...there]).size).toBe(3);
      if (there.length > 0 && here.length > 0) {
        expect(source?.handOver?.addresses).toEqual(expect.arrayContaining(here));
        await expect(bench.plan()).rejects.toMatchObject({ diagnostics: [{ code: "state.hand_over" }] });
        const rm = removeState(bench.context, { addresses: ["project.shop"], lockTimeoutMs: 0 });
        await expect(rm).rejects.toMatchObject({ diagnostics: [{ code: "state.hand_over" }] });
      }
      if (source?.handOver !== undefined) {
        const other = handOver(bench.context, target, { ...request, addresses: ["project.shop"] });
        await expect(other).rejects.toMatchObject({ diagnostics: [{ code: "state.hand_over" }] });
      }
      if (here.length > 0)
        expect((await handOver(bench.context, target, request)).to).toBe(target.backend.location);
      expect(await recorded(bench.context.backend)).toEqual([]);
      expect(await recorded(target.backend)).toHaveLength(3);
      bench.emulator.resetLog();
      bench.write("rnv.yaml", `projects:\n${project("shop")}`);
      expect(await bench.acting()).toEqual([]);
      expect(bench.writes()).toEqual([]);
    },
  );

  it("is refused where the other state has any of them", async () => {
    await handOver(bench.context, target, request);
    await bench.applied(both, { adopt: true });
    const before = await bench.context.backend.read();
    await expect(handOver(bench.context, target, request)).rejects.toMatchObject({
      diagnostics: expect.arrayContaining([
        expect.objectContaining({
          code: "state.conflict",
          summary: "project.payments is in the other state already",
        }),
      ]),
    });
    expect(await bench.context.backend.read()).toEqual(before);
  });
});

import type { RuntimeAction } from "../../../src/commands/act-on-service";
import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/api" } }
`;
const address = "service.shop.api";
const forever = { ms: 10 ** 9 };

describe("a verb whose reads stay behind", () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop);
  });

  const act = (action: RuntimeAction) => bench.act({ action, confirm: async () => "api" });

  it.each(["restart", "suspend", "resume"] as const)(
    "%s ends when its operation is not shown for half a minute, and the same command sends nothing",
    async (action) => {
      await bench.apply();
      bench.emulator.store.setLag({ operations: forever });
      const stale = { exitCode: 7, diagnostics: [{ code: "live.stale", address }] };
      const startedAt = bench.clock.now();
      expect(await act(action)).toMatchObject(stale);
      expect(bench.clock.now() - startedAt).toBeLessThan(45_000);
      expect(await act(action)).toMatchObject(stale);
      bench.emulator.store.setLag();
      expect(await act(action)).toMatchObject({ exitCode: 0, result: "done" });
      expect(bench.emulator.store.operations()).toHaveLength(1);
    },
  );

  it.each(["deploy", "rollback", "cancel", "restart"] as const)(
    "%s sends nothing where the service is not shown as it was deployed a moment ago",
    async (action) => {
      await bench.apply();
      bench.write("rnv.yaml", shop.replace('api" }', 'api", replicas: 2 }'));
      bench.emulator.store.setLag({ canvas: forever, service: forever });
      await bench.apply();
      const sent = bench.writes().length;
      expect(await act(action)).toMatchObject({ diagnostics: [{ code: "live.stale" }] });
      expect(bench.writes()).toHaveLength(sent);
    },
  );

  it.each([
    ["rollback", 0],
    ["rollback", 60],
    ["cancel", 0],
    ["cancel", 60],
  ] as const)(
    "%s sends nothing where the list of deployments leaves out the last deployment, made %i minutes ago",
    async (action, minutes) => {
      await bench.apply();
      bench.write("rnv.yaml", shop.replace('api" }', 'api", replicas: 2 }'));
      await bench.apply();
      // By its id it is shown, so that the apply ends.
      bench.emulator.store.setLag({ deployments: forever });
      bench.emulator.store.setCondition("worker-offline", true);
      await bench.act({ action: "deploy", wait: false });
      bench.clock.advance(minutes * 60_000);
      const sent = bench.writes().length;
      expect(await act(action)).toMatchObject({ diagnostics: [{ code: "live.stale" }] });
      expect(bench.writes()).toHaveLength(sent);
    },
  );
});

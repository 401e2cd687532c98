import type { AnswerBody, Fault } from "../../../src/emulator/faults";
import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = (replicas: number) => `projects:
  shop:
    services:
      api: { kind: worker, configuration: { replicas: ${replicas} }, deploy: { when: never } }
`;
const forever = { ms: 10 ** 9 };

describe("reads that stay behind the last write", () => {
  let bench: Workbench;
  beforeEach(() => {
    bench = createWorkbench({ disk: "file system" });
    bench.write("rnv.yaml", shop(1));
  });

  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      ({ diagnostics }) =>
        diagnostics.map(({ code, address }: { code: string; address?: string }) => ({ code, address })),
    );

  it("stop plan, apply and drift after half a minute, and nothing is sent", async () => {
    bench.emulator.store.setLag({ canvas: forever, service: forever });
    await bench.apply();
    const [made, startedAt] = [bench.writes().length, bench.clock.now()];
    for (const verb of ["plan", "apply", "drift"] as const)
      expect(await refusal(bench[verb]())).toEqual([{ code: "live.stale", address: "service.shop.api" }]);
    const waitedMs = (bench.clock.now() - startedAt) / 3;
    expect(waitedMs).toBeGreaterThanOrEqual(30_000);
    expect(waitedMs).toBeLessThan(40_000);
    expect(bench.writes()).toHaveLength(made);
  });

  it("are told of once, in one line", async () => {
    bench.emulator.store.setLag({ all: { ms: 5000 } });
    await bench.apply();
    const again = await bench.apply({ parallelism: 1 });
    expect(again.plan?.changes.map(({ action }) => action)).toEqual(["no-op", "no-op", "no-op"]);
    expect(bench.said).toEqual(["The platform's reads are behind our last write; looking again …"]);
  });

  describe("after the deletion of a resource", () => {
    const without = "projects: { shop: {} }\n";
    /** Deletes the service; a replica shows it afterwards. */
    const remove = async () => {
      let before: AnswerBody | undefined;
      const remembered: Fault = { kind: "edited", edit: (body) => (before ??= body) };
      bench.fail(/\/canvas$/, remembered);
      await bench.plan();
      bench.fail();
      bench.write("rnv.yaml", without);
      const { exitCode } = await bench.apply({ confirmedDeletes: ["service.shop.api"] });
      expect(exitCode).toBe(0);
      bench.fail(/\/canvas$/, remembered);
      bench.write("rnv.yaml", shop(1));
    };

    it("do not prove the deletion before a list leaves the resource out, which stays recorded", async () => {
      await bench.apply();
      bench.emulator.store.setLag({ canvas: forever });
      bench.write("rnv.yaml", without);
      const how = { confirmedDeletes: ["service.shop.api"] };
      const { exitCode, diagnostics } = await bench.apply(how);
      expect({ exitCode, codes: diagnostics.map(({ code }) => code) }).toEqual({
        exitCode: 1,
        codes: ["apply.delete_failed"],
      });
      expect((await bench.state())?.resources).toHaveProperty(["service.shop.api"]);
      bench.emulator.store.setLag();
      expect((await bench.apply(how)).exitCode).toBe(0);
      expect((await bench.state())?.resources).not.toHaveProperty(["service.shop.api"]);
    });

    it.each([{}, { adopt: true }])("are not believed, nor taken over (%j)", async (how) => {
      await bench.apply();
      const [deleted] = bench.emulator.store.services();
      await remove();
      const { plan } = await bench.plan(how);
      expect(plan?.changes.find(({ address }) => address === "service.shop.api")?.action).toBe("create");
      bench.fail();
      expect((await bench.apply(how)).exitCode).toBe(0);
      expect(bench.emulator.store.services().map(({ id }) => id === deleted?.id)).toEqual([false]);
    });

    /** Interface, "States and transitions": "service active · Delete · Runtime infrastructure exists · archived, deletion queued". */
    it("are not taken over where a later run saw the deletion end", async () => {
      await bench.apply();
      const [deleted] = bench.emulator.store.services();
      bench.emulator.store.setCondition("queued-deletions", true);
      bench.write("rnv.yaml", without);
      let before: AnswerBody | undefined;
      const remembered: Fault = { kind: "edited", edit: (body) => (before ??= body) };
      bench.fail(/\/canvas$/, remembered);
      await bench.plan();
      bench.fail();
      const death = { write: 1, when: "after" } as const;
      await bench.applyUntilDeath(death, { confirmedDeletes: ["service.shop.api"] });
      bench.emulator.store.settle();
      expect(await bench.apply()).toMatchObject({ exitCode: 0 });
      expect((await bench.state())?.resources).not.toHaveProperty(["service.shop.api"]);
      bench.fail(/\/canvas$/, remembered);
      bench.write("rnv.yaml", shop(1));
      const { plan } = await bench.plan({ adopt: true });
      const changes = plan?.changes.filter(({ address }) => address === "service.shop.api");
      expect(changes).toMatchObject([{ action: "create" }]);
      expect(changes?.[0]?.id).not.toBe(deleted?.id);
    });

    it("are believed two minutes later", async () => {
      await bench.apply();
      await remove();
      bench.clock.advance(120_000);
      const { diagnostics } = await bench.plan();
      expect(diagnostics).toMatchObject([{ code: "live.unmanaged_exists" }]);
    });

    it("do not give a variable that is set again the id of the variable before", async () => {
      const withLevel = shop(1).replace("{ replicas: 1 }", "{ replicas: 1 }, variables: { LEVEL: info }");
      bench.write("rnv.yaml", withLevel);
      await bench.apply();
      const [service] = bench.emulator.store.services();
      const idsNow = () => bench.emulator.store.variables(service?.id ?? "").map(({ id }) => id);
      const [before] = idsNow();
      bench.emulator.store.setLag({ variables: { ms: 5000 } });
      bench.write("rnv.yaml", shop(1));
      await bench.apply({ confirmedDeletes: ["variable.shop.api.LEVEL"] });
      expect(idsNow()).toEqual([]);
      bench.write("rnv.yaml", withLevel);
      const { exitCode } = await bench.apply();
      expect({ exitCode, count: idsNow().length }).toEqual({ exitCode: 0, count: 1 });
      expect(idsNow()).not.toContain(before);
    });
  });

  it("do not take the end of an older deployment for that of the deployment just queued", async () => {
    const deployed = (replicas: number) =>
      shop(replicas)
        .replace("replicas:", "repository: 'https://git.example.com/a', replicas:")
        .replace(", deploy: { when: never }", "");
    await bench.applied(deployed(1));
    bench.emulator.store.setLag({ deployments: { ms: 1000 } });
    bench.write("rnv.yaml", deployed(2));
    const [service] = bench.emulator.store.services();
    bench.emulator.store.failNextDeployment(service?.id ?? "", "no space left");
    const { exitCode, diagnostics } = await bench.apply();
    expect({ exitCode, codes: diagnostics.map(({ code }) => code) }).toEqual({
      exitCode: 7,
      codes: ["apply.deploy_failed"],
    });
  });
});

import type { RuntimeAction, RuntimeRequest } from "../../../src/commands/act-on-service";
import type { Fault } from "../../../src/emulator/faults";
import { shareOf } from "../../support/soak";
import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = `
projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/shop/api" } }
      worker: { kind: worker, configuration: { repository: "https://git.example.com/shop/worker" } }
`;
const address = "service.shop.api";
const commit = "a".repeat(40);

/** One for each kind of request that can be listed. */
const verbs: readonly (Partial<RuntimeRequest> & { readonly action: RuntimeAction })[] = [
  { action: "deploy" },
  { action: "deploy", commit },
  { action: "clear-cache" },
  { action: "rollback", confirm: async () => "api" },
  { action: "cancel" },
];

const faults: readonly (readonly [string, Fault])[] = [
  ["a connection lost before it arrived", { kind: "reset-before" }],
  ["a connection lost after it arrived", { kind: "reset-after" }],
  ["a 500 that did nothing", { kind: "status", status: 500 }],
  ["a 500 that committed", { kind: "status", status: 500, when: "after" }],
  ["half an answer", { kind: "truncate" }],
  ["an empty answer", { kind: "empty" }],
  ["a gateway's page", { kind: "html", status: 502, when: "after" }],
];

/** Nothing lists it; `suspend` and `resume` are sent as it is. */
const restart = { action: "restart" } as const;

describe("a verb that writes", () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop);
    await bench.apply();
    await act({ action: "deploy" });
  });

  const act: Workbench["act"] = (request, changed) => bench.act(request, changed);
  const api = () => bench.emulator.store.services().find(({ name }) => name === "api")?.id ?? "";
  /** How often the service did what was asked of it. */
  const deeds = () => {
    const deployments = bench.emulator.store.deployments(api());
    return {
      deployments: deployments.filter(({ sourceDeploymentId }) => sourceDeploymentId === null).length,
      rollbacks: deployments.filter(({ sourceDeploymentId }) => sourceDeploymentId !== null).length,
      cancelled: deployments.filter(({ cancelRequested }) => cancelRequested).length,
      operations: bench.emulator.store.operations().length,
    };
  };
  const deedOf = (action: RuntimeAction): keyof ReturnType<typeof deeds> =>
    action === "deploy" || action === "clear-cache"
      ? "deployments"
      : action === "rollback"
        ? "rollbacks"
        : action === "cancel"
          ? "cancelled"
          : "operations";
  /** The counts before, with something under way where there must be something to cancel. */
  const prepare = async (action: RuntimeAction) => {
    if (action === "cancel") {
      bench.emulator.store.setCondition("worker-offline", true);
      await act({ action: "deploy", wait: false });
    }
    return deeds();
  };
  const onceMore = (before: ReturnType<typeof deeds>, action: RuntimeAction) => ({
    ...before,
    [deedOf(action)]: before[deedOf(action)] + 1,
  });
  const isWrite = (method: string) => method !== "GET";

  describe("restart, which nothing lists", () => {
    const uncertain = {
      exitCode: 1,
      diagnostics: [
        {
          code: "apply.uncertain",
          summary: expect.stringContaining("unknown whether `rnv restart service.shop.api`"),
          hint: "Nothing was sent again. If you still want it: `rnv restart service.shop.api`",
        },
      ],
    };
    const again = async () => {
      const before = deeds();
      expect(await act(restart)).toMatchObject({ result: "done", exitCode: 0, diagnostics: [] });
      expect(deeds()).toEqual(onceMore(before, "restart"));
      expect(await bench.state()).toMatchObject({ open: [], run: null });
    };

    it.each(faults)(
      "stops as uncertain after %s, sends nothing again, and says so",
      async (_fault, fault) => {
        let writes = 0;
        bench.emulator.setFaults((_, { method }) => (isWrite(method) && writes++ === 0 ? fault : undefined));
        expect(await act(restart)).toMatchObject(uncertain);
        expect(writes).toBe(1);
        expect(await bench.state()).toMatchObject({ open: [], run: null });
        await again();
      },
    );

    it.each(["before", "after"] as const)(
      "killed just %s the service heard of it is told by the same command, which sends nothing",
      async (when) => {
        await bench.actUntilDeath({ write: 1, when }, restart);
        bench.emulator.resetLog();
        expect(await act(restart)).toMatchObject(uncertain);
        expect(bench.writes()).toEqual([]);
        await again();
      },
    );
  });

  describe.each(verbs.map((verb) => [verb.commit ? "deploy --commit" : verb.action, verb] as const))(
    "%s",
    (_name, verb) => {
      it.each(shareOf(faults, 6))(
        "after %s that does not end names itself, and again does it once",
        async (_fault, fault) => {
          const before = await prepare(verb.action);
          // The looks fail too: the first process can find out nothing.
          let isDown = false;
          bench.emulator.setFaults((_, { method, path }) => {
            if (isWrite(method)) isDown = true;
            if (!isDown) return undefined;
            return isWrite(method) || /deploys/.test(path)
              ? isWrite(method)
                ? fault
                : { kind: "reset-before" }
              : undefined;
          });
          const first = await act(verb);
          bench.fail();
          expect(first).toMatchObject({ exitCode: 1 });
          const [told] = first.diagnostics;
          expect(told?.code).toBe("apply.uncertain");
          const line =
            verb.action === "clear-cache"
              ? `rnv deploy ${address} --clear-cache`
              : `rnv ${verb.action} ${address}`;
          expect(told?.hint).toContain(`Run \`${line}${verb.commit ? ` --commit ${commit}` : ""}\` again`);
          expect(await act(verb)).toMatchObject({ result: "done", exitCode: 0, diagnostics: [] });
          expect(deeds()).toEqual(onceMore(before, verb.action));
          expect(await bench.state()).toMatchObject({ open: [], run: null });
        },
      );

      it("is given again once it has ended, and then does it again", async () => {
        const before = await prepare(verb.action);
        await act(verb);
        if (verb.action === "cancel") await act({ action: "deploy", wait: false });
        const between = deeds();
        expect(between).not.toEqual(before);
        await act(verb);
        expect(deeds()).toEqual(onceMore(between, verb.action));
      });
    },
  );

  it("leaves a plan that is empty: what was deployed is recorded", async () => {
    // Configured and not deployed: the verb deploys it.
    bench.fail(/^POST .*\/deploys$/, { kind: "status", status: 400 });
    bench.write("rnv.yaml", shop.replace("kind: web,", "kind: web, variables: { A: one },"));
    await bench.apply();
    bench.fail();
    expect(await bench.acting()).toEqual(["update deployment.shop.api"]);
    await act({ action: "deploy" });
    expect(await bench.acting()).toEqual([]);
    expect((await bench.apply()).exitCode).toBe(0);
    expect(deeds().deployments).toBe(3);
  });

  it.each([
    ["arrived", "after", 3],
    ["did not arrive", "before", 2],
  ] as const)(
    "is settled by an apply, which repeats nothing, where it %s",
    async (_text, when, deployments) => {
      await bench.actUntilDeath({ write: 1, when }, { action: "deploy" });
      const { exitCode, diagnostics } = await bench.apply();
      expect(exitCode).toBe(0);
      expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
        when === "after" ? [] : ["warning apply.uncertain"],
      );
      expect(deeds().deployments).toBe(deployments);
      expect(await bench.state()).toMatchObject({ open: [], run: null });
      expect(await bench.acting()).toEqual([]);
    },
  );

  it("is gone on with where its end was not waited for, and later only while it is under way", async () => {
    const before = deeds();
    bench.emulator.store.setCondition("worker-offline", true);
    expect(await act({ action: "deploy", timeoutMs: 1000 })).toMatchObject({ exitCode: 7 });
    bench.clock.advance(3_600_000);
    expect(await act({ action: "deploy", timeoutMs: 1000 })).toMatchObject({ exitCode: 7 });
    expect(deeds()).toEqual(onceMore(before, "deploy"));
    bench.emulator.store.setCondition("worker-offline", false);
    bench.emulator.store.settle();
    expect(await act({ action: "deploy" })).toMatchObject({ result: "done", exitCode: 0 });
    expect(deeds().deployments).toBe(before.deployments + 2);
    expect(await bench.acting()).toEqual([]);
  });

  it("is reported by another verb, and is not repeated, where it cannot be looked up", async () => {
    await bench.actUntilDeath({ write: 1, when: "before" }, { action: "restart" });
    const planned = await bench.plan();
    expect(planned.diagnostics[0]?.hint).toContain(`Run \`rnv restart ${address}\` before any other command`);
    const { exitCode, diagnostics } = await act({ action: "resume" });
    expect(exitCode).toBe(0);
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "apply.uncertain" }]);
    expect(diagnostics[0]?.summary).toContain(`unknown whether \`rnv restart ${address}\``);
    expect(bench.emulator.store.operations().map(({ kind }) => kind)).toEqual(["resume"]);
    expect(await bench.state()).toMatchObject({ open: [], run: null });
  });

  it("stops clearly where it cannot be looked up and its key no longer counts, and then works again", async () => {
    await bench.actUntilDeath({ write: 1, when: "after" }, { action: "restart" });
    bench.clock.advance(30 * 3_600_000);
    const stopped = await act({ action: "restart" });
    expect(stopped).toMatchObject({ exitCode: 1, diagnostics: [{ code: "apply.uncertain" }] });
    expect(stopped.diagnostics[0]?.hint).toContain(`If you still want it: \`rnv restart ${address}\``);
    expect(bench.emulator.store.operations()).toHaveLength(1);
    expect(await act({ action: "restart" })).toMatchObject({ result: "done" });
  });

  // The interface says nothing of how long "Operation state of a job" can be read.
  it("is said to have ended where its operation is no longer shown, and then is sent again", async () => {
    bench.fail(/^GET .*\/operations\//, { kind: "status", status: 404 });
    await act({ action: "restart" });
    bench.clock.advance(120_000);
    const lost = await act({ action: "restart" });
    expect(lost).toMatchObject({ exitCode: 7, diagnostics: [{ code: "live.stale" }] });
    expect(bench.emulator.store.operations()).toHaveLength(1);
    expect(lost.diagnostics[0]?.hint).toBe(
      "It has probably ended. Run the command again if you still want it.",
    );
    bench.fail();
    expect(await act({ action: "restart" })).toMatchObject({ result: "done", exitCode: 0 });
    expect(bench.emulator.store.operations()).toHaveLength(2);
  });

  it("waits without the lock, so that a deployment can be cancelled from elsewhere", async () => {
    bench.emulator.store.setCondition("worker-offline", true);
    let cancelling: ReturnType<typeof act> | undefined;
    const deployed = await act({
      action: "deploy",
      timeoutMs: 24 * 3_600_000,
      onWaiting: () => {
        cancelling ??= act({ action: "cancel" });
      },
    });
    expect(await cancelling).toMatchObject({ result: "done" });
    expect(deployed.exitCode).toBe(7);
    expect(deployed.diagnostics.map(({ code }) => code)).toEqual([
      "apply.deploy_failed",
      "live.worker_offline",
    ]);
    expect(await bench.state()).toMatchObject({ open: [], run: null });
    expect(await bench.acting()).toEqual([]);
  });

  it("does nothing while another run holds the lock", async () => {
    const holder = {
      id: "other",
      host: "elsewhere",
      pid: 1,
      command: "apply",
      since: "2026-01-01T00:00:00.000Z",
    };
    const session = await bench.context.backend.lock(holder, 0);
    bench.emulator.resetLog();
    await expect(act({ action: "restart" })).rejects.toMatchObject({ exitCode: 6 });
    expect(bench.writes()).toEqual([]);
    await session.release();
  });

  it("deploys the commit that is pinned, and the plan stays empty", async () => {
    bench.write("rnv.yaml", shop.replace("kind: web,", `kind: web, deploy: { commit: ${commit} },`));
    await bench.apply();
    await act({ action: "deploy" });
    expect(bench.emulator.store.deployments(api()).at(-1)?.commitSha).toBe(commit);
    expect(await bench.acting()).toEqual([]);
    await act({ action: "deploy", commit: "b".repeat(40) });
    expect(await bench.acting()).toEqual(["update deployment.shop.api"]);
  });
});

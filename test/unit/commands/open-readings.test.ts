import { createWorkbench } from "../../support/workbench";

const api = (more = "") => `
services:
  api:
    kind: web
    configuration: { repository: "https://git.example.com/api" }
    deploy: {}
    ${more}
`;

const address = "service.api";

// Interface, "Deployment status values" and "Gaps": what a cancelled deployment ends as is not shown.
it.each(["cancelled", "superseded", "live"] as const)(
  "a deployment that is cancelled and ends as %s leaves one more to be made at most",
  async (cancelled) => {
    const bench = createWorkbench({ emulator: { readings: { cancelled }, deploySeconds: 60 } });
    await bench.applied(api());
    expect(await bench.act({ action: "deploy", address, wait: false })).toMatchObject({ exitCode: 0 });
    bench.clock.advance(20_000);
    const isTooLate = cancelled === "live";
    expect(await bench.act({ action: "cancel", address })).toMatchObject({ exitCode: isTooLate ? 7 : 0 });
    const standing = (await bench.drift()).report?.pending.map((one) => one.standing?.code);
    expect(standing).toEqual(isTooLate ? [] : ["cancelled"]);
    expect(await bench.apply()).toMatchObject({ exitCode: 0 });
    const [service] = bench.emulator.store.services();
    expect(bench.emulator.store.deployments(service?.id ?? "")).toHaveLength(isTooLate ? 2 : 3);
    expect((await bench.plan()).exitCode).toBe(0);
  },
);

// Interface, "Archive" and "Service": liveDeploymentId is the release currently serving.
it.each([{ idleRelease: "stays" }, { idleRelease: "null" }, { noDeployment: "absent" }] as const)(
  "a suspended or archived service is read at once and told as it is, where %j",
  async (readings) => {
    const bench = createWorkbench({ emulator: { readings, deploySeconds: 1 } });
    await bench.applied(api());
    expect(await bench.act({ action: "suspend", address })).toMatchObject({ exitCode: 0 });
    const { report } = await bench.drift();
    expect(report?.running.map(({ code }) => code)).toEqual(["suspended"]);
    expect(report).toMatchObject({ pending: [], hasDrift: false });
    expect(await bench.act({ action: "resume", address })).toMatchObject({ exitCode: 0 });
    for (const archived of [true, false]) {
      await bench.applied(api(`archived: ${archived}`));
      expect((await bench.drift()).report).toMatchObject({ running: [], pending: [], hasDrift: false });
    }
    expect(bench.said).toEqual([]);
    const [service] = bench.emulator.store.services();
    expect(bench.emulator.store.deployments(service?.id ?? "")).toHaveLength(1);
  },
);

it("a deployment that stays queued after its payment is waited for, and made once again by rnv deploy alone", async () => {
  const bench = createWorkbench({ emulator: { readings: { paid: "queued" }, deploySeconds: 1 } });
  await bench.applied(api());
  const { store } = bench.emulator;
  const id = store.services()[0]?.id ?? "";
  bench.write("rnv.yaml", api().replace(`com/api"`, `com/api", plan: starter`));
  store.editConfiguration(id, { plan: "starter" });
  expect(await bench.act({ action: "deploy", address })).toMatchObject({ exitCode: 8 });
  bench.clock.advance(3_600_000);
  store.completeCheckout(id);
  for (const _ of ["first", "second"]) expect(await bench.apply()).toMatchObject({ exitCode: 7 });
  expect(store.deployments(id).map(({ status }) => status)).toEqual(["live", "queued"]);
  expect(await bench.act({ action: "deploy", address })).toMatchObject({ exitCode: 0 });
  expect(store.deployments(id).map(({ status }) => status)).toEqual(["live", "superseded", "live"]);
});

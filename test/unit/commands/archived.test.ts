import { moveState } from "../../../src/commands/state-verbs";
import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = (services: string) => `projects: { shop: { services: { ${services} } } }\n`;
const api =
  "api: { kind: web, deploy: { when: never }, variables: { LEVEL: one }, lifecycle: { onRemove: archive } }";
const others = ["a", "b"].map((name) => `${name}: { kind: worker, deploy: { when: never } }`).join(", ");

const resources = async (bench: Workbench) => (await bench.state())?.resources ?? {};
const retained = async (bench: Workbench) =>
  Object.entries(await resources(bench))
    .filter(([, one]) => one.retained)
    .map(([address]) => address)
    .sort();

async function opened(text: string): Promise<Workbench> {
  const bench = createWorkbench();
  await bench.applied(text);
  bench.emulator.resetLog();
  return bench;
}

describe("a record that onRemove: archive leaves in the state", () => {
  it.each([
    ["before", 1],
    ["after", 1],
  ] as const)("is whole after a run that was killed %s write %i", async (when, write) => {
    const bench = await opened(shop(`${api}, ${others}`));
    const service = bench.emulator.store.services().find(({ name }) => name === "api");
    bench.write("rnv.yaml", shop(others));
    await bench.applyUntilDeath({ write, when }, { parallelism: 1 });
    expect((await bench.apply()).exitCode).toBe(0);
    expect(await retained(bench)).toEqual(["service.shop.api", "variable.shop.api.LEVEL"]);
    expect(bench.emulator.store.variables(service?.id ?? "")).toHaveLength(1);
    bench.write("rnv.yaml", shop(`${api}, ${others}`));
    bench.emulator.resetLog();
    expect((await bench.apply()).exitCode).toBe(0);
    // The variable is known by its fingerprint: its value is not written again.
    expect(bench.writes().map((line) => line.split("/").at(-1))).toEqual(["restore"]);
    expect(await retained(bench)).toEqual([]);
    expect(bench.emulator.store.services()).toHaveLength(3);
  });

  it.each(["moved", "moved with its removal", "state mv"])(
    "moves with its project, blocks the deletion of that, and is restored without another write (%s)",
    async (how) => {
      const code = "configuration: { repository: https://git.example.com/a }, dependsOn: [service.NAME.a]";
      const old = api.replace("deploy: { when: never }", code);
      const project = (name: string, services: string) =>
        `projects: { keep: {}, ${name}: { name: One, services: { ${services.replace("NAME", name)} } } }\n`;
      const bench = await opened(project("one", `${others}, ${old}`));
      const service = bench.emulator.store.services().find(({ name }) => name === "api");
      bench.write("rnv.yaml", project("one", others));
      if (how !== "moved with its removal") await bench.apply();
      const move = { from: "project.one", to: "project.two" };
      if (how === "state mv") await moveState(bench.context, { ...move, lockTimeoutMs: 0 });
      const moved = how === "state mv" ? [] : [move];
      await bench.applied(`${project("two", others)}moved: ${JSON.stringify(moved)}\n`);
      const parts = ["deployment.two.api", "service.two.api", "variable.two.api.LEVEL"];
      expect(await retained(bench)).toEqual(parts);
      expect(JSON.stringify(await resources(bench))).not.toMatch(/(project|service)\.one/);
      bench.write("rnv.yaml", "projects: { keep: {} }\nremoved: [project.two, service.two.a, service.two.b]");
      bench.emulator.resetLog();
      const diagnostics = [{ code: "plan.retained" }, { code: "guard.holds_others" }];
      for (const mode of ["apply", "destroy"] as const)
        expect(await bench.apply({ mode })).toMatchObject({ exitCode: 4, diagnostics });
      await bench.applied(project("two", `${others}, ${old}`));
      expect(bench.writes()).toEqual([expect.stringContaining(`/services/${service?.id}/restore`)]);
    },
  );

  it("is restored where it cannot be read, and what refers to it is written once", async () => {
    const user =
      'user: { kind: web, variables: { HOST: "${service.shop.api.internalHost}" }, deploy: { when: never } }';
    const bench = await opened(shop(`${api}, ${user}`));
    bench.write("rnv.yaml", shop(user.replace(/HOST: "[^"]*"/, "")));
    await bench.apply();
    bench.write("rnv.yaml", shop(`${api}, ${user}`));
    bench.fail(/^GET .*\/services\/[^/]+$/, { kind: "status", status: 405 });
    bench.emulator.resetLog();
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(bench.writes().map((line) => line.split("/").at(-1))).toEqual(["restore", "variables"]);
    expect(await bench.acting()).toEqual([]);
  });

  it("is created again when someone deleted it in the meantime", async () => {
    const bench = await opened(shop(`${api}, ${others}`));
    const service = bench.emulator.store.services().find(({ name }) => name === "api");
    bench.write("rnv.yaml", shop(others));
    await bench.apply();
    bench.clock.advance(120_000);
    bench.emulator.store.deleteServiceNow(service?.id ?? "");
    expect(await bench.acting()).toEqual([]);
    await bench.applied(shop(`${api}, ${others}`));
    expect(bench.names()).toEqual(["a", "api", "b"]);
    expect(await retained(bench)).toEqual([]);
  });

  it("is counted as not managed once someone restored it, and managed again without a write", async () => {
    const bench = await opened(shop(`${api}, ${others}`));
    const service = bench.emulator.store.services().find(({ name }) => name === "api");
    bench.write("rnv.yaml", shop(others));
    await bench.apply();
    expect((await bench.plan()).plan?.unmanaged).toEqual([]);
    bench.emulator.store.editService(service?.id ?? "", () => ({ archived: false }));
    expect((await bench.plan()).plan?.unmanaged).toMatchObject([{ id: service?.id }]);
    bench.emulator.resetLog();
    await bench.applied(shop(`${api}, ${others}`));
    expect(bench.writes()).toEqual([]);
    expect(await retained(bench)).toEqual([]);
  });

  it("is no reason to refuse an empty manifest, and not what a mass disappearance is measured by", async () => {
    const bench = await opened(`services: { ${api} }\n`);
    await bench.applied("services: {}\n", { allowEmpty: true });
    expect(await bench.plan()).toMatchObject({ diagnostics: [{ code: "manifest.empty" }] });
    const destroyed = await bench.apply({ mode: "destroy" });
    expect(destroyed).toMatchObject({ exitCode: 0, diagnostics: [{ code: "plan.retained" }] });
    expect(await retained(bench)).toEqual(["service.api", "variable.api.LEVEL"]);
    expect(bench.emulator.store.services()).toHaveLength(1);
  });
});

it("a service that is declared archived is archived after its creation, by the next apply where that failed", async () => {
  const bench = createWorkbench();
  bench.write("rnv.yaml", shop("api: { kind: web, archived: true, deploy: { when: never } }"));
  bench.fail(/\/archive$/, { kind: "status", status: 400 });
  expect(await bench.apply()).toMatchObject({
    exitCode: 3,
    diagnostics: [{ code: "api.refused", address: "service.shop.api" }],
  });
  bench.fail();
  expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
  expect(bench.emulator.store.services().map(({ archived }) => archived)).toEqual([true]);
});

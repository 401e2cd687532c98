import type { SeenRequest } from "../../src/emulator/faults";
import { CrashFolder, everything } from "../support/crash-folder";
import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("applies that replace or delete and are cut short", () => {
  const world = new CrashFolder();
  const { emulator } = world;

  beforeAll(async () => {
    await world.open();
    world.write(everything("2"));
    await world.apply();
  }, 60_000);
  afterAll(() => world.close());

  it("a replacement leaves nothing duplicated on the next one", async () => {
    world.write(everything("2", "worker"));
    world.settle();
    const steps: readonly [string, RegExp][] = [
      ["DELETE", /\/services\/[^/]+$/],
      ["POST", /\/services$/],
    ];
    for (const [method, path] of steps) {
      await world.applyKilledAt((request) => request.method === method && path.test(request.path), "after");
    }
    expect(await world.applyImporting()).toHaveLength(1);
    await world.apply();
    expect(world.services().map(({ name, kind }) => [name, kind])).toEqual([["api", "worker"]]);
    expect(emulator.store.variables(world.services()[0]?.id ?? "")).toHaveLength(2);
    expect(world.deployments()).toHaveLength(1);
    await world.expectNoChanges();
  }, 120_000);

  it("so it is with a deletion", async () => {
    world.write("");
    world.settle();
    await world.applyKilledAt(
      ({ method, path }) => method === "DELETE" && path.includes("/services/"),
      "after",
    );
    await world.apply();
    expect(world.services()).toEqual([]);
    expect(emulator.store.projects()).toEqual([]);
  }, 120_000);

  it("a destroy whose provider died stops where nothing is left to prove it, and ends with accept_missing", async () => {
    const names = ["a", "b", "c", "d"];
    world.write(
      names
        .map((name) => `resource "rnv_service" "${name}" {\n  name = "${name}"\n  kind = "web"\n}\n`)
        .join(""),
    );
    await world.apply();
    const command = ["destroy", "-auto-approve"];
    let left = 4;
    const isLast = ({ method }: SeenRequest): boolean => method === "DELETE" && --left === 0;
    await world.applyKilledAt(isLast, "after", { command });
    expect(world.services()).toEqual([]);
    world.settle();
    expect((await world.run("destroy -auto-approve", 1)).replace(/[\s│╷╵]+/g, " ")).toContain(
      "set accept_missing = true",
    );
    world.write("", "accept_missing = true");
    await world.run("destroy -auto-approve");
    expect(world.state().resources).toEqual([]);
  }, 60_000);

  it("Ctrl-C ends the wait for a deployment, keeps what is done, and the next apply goes on with it", async () => {
    const slow = new TerraformFolder({ deploySeconds: 600 });
    await slow.open();
    try {
      slow.write(everything("1"));
      const running = slow.start("apply", "-auto-approve");
      const { child } = running;
      while (slow.writes().every((write) => !write.endsWith("/deploys")))
        await new Promise((resolve) => setTimeout(resolve, 50));
      process.kill(-(child.pid ?? 0), "SIGINT");
      const { code, output } = await running;
      expect(code).toBe(1);
      expect(output).toContain("was accepted, and its end was not waited for");
      const kept = slow
        .state()
        .resources.map(({ type }) => type)
        .sort();
      expect(kept).toEqual(["rnv_canvas_layout", "rnv_project", "rnv_service", "rnv_variables"]);
      slow.emulator.store.settle();
      await slow.apply();
      expect(slow.emulator.store.deployments(slow.emulator.store.services()[0]?.id ?? "")).toHaveLength(1);
    } finally {
      await slow.close();
    }
  }, 120_000);

  it("a name that is taken by something of someone else is an error with its id, and is left alone", async () => {
    emulator.store.addService({ name: "mine", kind: "web", configuration: { branch: "other" } });
    world.write(
      `resource "rnv_service" "mine" {\n  name = "mine"\n  kind = "web"\n  configuration {\n    branch = "x"\n  }\n}\n`,
    );
    emulator.resetLog();
    const output = await world.run("apply -auto-approve", 1);
    expect(output).toContain('Service "mine" already exists');
    expect(output).toContain(world.services().find(({ name }) => name === "mine")?.id ?? "no id");
    expect(world.writes()).toEqual([]);
  }, 60_000);
});

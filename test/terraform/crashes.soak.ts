import { CrashFolder, everything } from "../support/crash-folder";
import { describeTerraform } from "../support/terraform";

describeTerraform("applies that are cut short", () => {
  const world = new CrashFolder();
  const { emulator } = world;

  beforeAll(() => world.open());
  afterAll(() => world.close());

  it("a provider killed at any write of an apply leaves nothing duplicated on the next one", async () => {
    world.write(everything("1"));
    const creates: readonly [string, "before" | "after"][] = [
      ["/projects", "after"],
      ["/services", "before"],
      ["/services", "after"],
      ["/variables", "after"],
      ["/deploys", "after"],
    ];
    for (const [end, when] of creates) {
      await world.applyKilledAt(({ method, path }) => method === "POST" && path.endsWith(end), when);
    }
    await world.apply();
    expect(emulator.store.projects()).toHaveLength(1);
    expect(world.services().map(({ name }) => name)).toEqual(["api"]);
    const variables = emulator.store.variables(world.services()[0]?.id ?? "");
    expect(variables.map(({ key }) => key).sort()).toEqual(["A", "B"]);
    expect(world.deployments()).toHaveLength(1);
    await world.expectNoChanges();
  }, 120_000);

  it("so it is with a change and with a second deployment", async () => {
    world.write(everything("2"));
    const steps: readonly [RegExp, "before" | "after"][] = [
      [/\/services\/[^/]+$/, "after"],
      [/\/canvas$/, "after"],
      // Terraform drops private data with a provider that dies: what ran before is known all the same.
      [/\/deploys$/, "before"],
      [/\/deploys$/, "after"],
    ];
    for (const [path, when] of steps) {
      await world.applyKilledAt((request) => path.test(request.path), when);
    }
    await world.apply();
    expect(world.services()[0]?.configuration.branch).toBe("v2");
    expect(world.deployments()).toHaveLength(2);
    await world.expectNoChanges();
  }, 120_000);
});

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

  it("a deployment that failed after its provider had died is made again", async () => {
    const untriggered = (version: string): string =>
      everything(version)
        .replace(/\n {2}triggers.*/, "")
        .replace("[rnv_canvas_layout.shop]", "[rnv_canvas_layout.shop, rnv_variables.api]");
    world.write(untriggered("3"));
    await world.apply();
    const before = world.deployments().length;
    world.write(untriggered("4"));
    emulator.store.failNextDeployment("*", "the build ran out of memory");
    await world.applyKilledAt(({ path }) => path.endsWith("/deploys"), "after");
    emulator.store.settle();
    expect(world.deployments().at(-1)?.status).toBe("failed");
    expect(await world.apply()).toContain("0 added, 1 changed, 0 destroyed");
    expect(world.deployments()).toHaveLength(before + 2);
    expect(world.deployments().at(-1)?.status).toBe("live");
    await world.expectNoChanges();
  }, 120_000);
});

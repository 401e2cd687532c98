import { CrashFolder, everything } from "../support/crash-folder";
import { describeTerraform } from "../support/terraform";

describeTerraform("applies that are cut short", () => {
  const world = new CrashFolder();
  const { emulator } = world;

  beforeAll(async () => {
    await world.open();
    world.write(everything("1"));
    await world.apply();
  }, 60_000);
  afterAll(() => world.close());

  it.each([
    ["/projects", "after", 1],
    ["/services", "before", 0],
    ["/services", "after", 1],
    ["/variables", "after", 1],
    ["/deploys", "before", 0],
    ["/deploys", "after", 0],
  ] as const)(
    "a provider killed at POST %s (%s the service has it) leaves nothing duplicated: %i create stops, with an import block",
    async (end, when, stops) => {
      const only = new CrashFolder();
      await only.open();
      try {
        only.write(everything("1"));
        await only.applyKilledAt(({ method, path }) => method === "POST" && path.endsWith(end), when);
        expect(await only.applyImporting()).toHaveLength(stops);
        const { store } = only.emulator;
        expect(store.projects()).toHaveLength(1);
        expect(only.services().map(({ name }) => name)).toEqual(["api"]);
        const variables = store.variables(only.services()[0]?.id ?? "");
        expect(variables.map(({ key }) => key).sort()).toEqual(["A", "B"]);
        await only.apply();
        await only.expectNoChanges();
        expect(only.deployments()).toHaveLength(1);
      } finally {
        await only.close();
      }
    },
    120_000,
  );

  it("a provider killed in a change or a second deployment leaves nothing duplicated, and nothing stops", async () => {
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
    await world.apply();
    const before = world.deployments().length;
    world.write(untriggered("4"));
    await world.apply();
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

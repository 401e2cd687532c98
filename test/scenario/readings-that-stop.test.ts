import { approve, oneScenario } from "../support/cli";

const source = 'repository: "https://git.example.com/shop"';
const long = "The shop of the long names, in the second street of the old town";

/** Reading "name": "cut to 40 characters · a slug". */
describe.each([
  ["cut", long, long.slice(0, 40)],
  ["slug", "Café, Grünstraße", "cafe-grunstra-e"],
] as const)("a name that comes back %s", (name, sent, kept) => {
  const scenario = oneScenario({ readings: { name } });
  const manifest = (project: string, service: string) =>
    `projects:\n  shop:\n    name: "${project}"\n    services:\n      api: { name: "${service}", kind: web, configuration: { ${source} } }\n`;
  const end = async (address: string) => {
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        `error[apply.not_taken]: ${address}: the service accepted the change, but name did not take`,
      ),
    });
    expect(stderr).toContain(`it is recorded; declare name: "${kept}", and run the same command again`);
  };

  it("is recorded, and reported with the edit, which leaves an empty plan", async () => {
    const startedAt = Date.now();
    scenario.write("rnv.yaml", manifest(sent, sent));
    await end("project.shop");
    // As it is declared, the name is planned and refused again.
    expect((await scenario.run("plan")).stdout).toContain("Plan: 2 to add, 1 to change, 0 to destroy.");
    await end("project.shop");
    scenario.write("rnv.yaml", manifest(kept, sent));
    await end("service.shop.api");
    expect((await scenario.run("plan")).stdout).toContain("Plan: 1 to add, 1 to change, 0 to destroy.");
    await scenario.applied(manifest(kept, kept));
    await scenario.isQuiet();
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    const { store } = scenario.emulator;
    expect([...store.projects(), ...store.services()].map((one) => one.name)).toEqual([kept, kept]);
    const creations = scenario.sent.filter(
      ({ method, path }) => method === "POST" && /(projects|services)$/.test(path),
    );
    expect(creations).toHaveLength(2);
  });

  it("is reported where a resource is renamed", async () => {
    scenario.write("rnv.yaml", manifest(kept, `${sent} 2`));
    const { stderr } = await scenario.run("apply", ...approve);
    expect(stderr).toContain("error[apply.not_taken]: service.shop.api");
    const [service] = scenario.emulator.store.services();
    expect(stderr).toContain(`declare name: ${JSON.stringify(service?.name)}`);
    await scenario.applied(manifest(kept, service?.name ?? ""));
    await scenario.isQuiet();
  });
});

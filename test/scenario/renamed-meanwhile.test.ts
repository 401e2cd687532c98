import { approve, eachScenario } from "../support/cli";

const manifest = (path: string): string =>
  `projects:\n  shop:\n    services:\n      api: { kind: web, configuration: { repository: "https://git.example.com/a", healthCheckPath: ${path} } }\n`;

describe("a service that someone renames between the last read and our PATCH", () => {
  const at = eachScenario();

  it("is not deployed: apply stops at it, and the next plan shows the name", async () => {
    await at.applied(manifest("/a"));
    at.write("rnv.yaml", manifest("/b"));
    const [{ id = "" } = {}] = at.emulator.store.services();
    at.fail(({ method }) => {
      if (method === "PATCH") at.emulator.store.renameService(id, "billing");
      return undefined;
    });
    at.forget();
    const { code, stderr } = await at.run("apply", ...approve);
    at.fail();
    expect({ code, writes: at.requests().map((line) => line.split(" ")[0]) }).toEqual({
      code: 3,
      writes: ["PATCH"],
    });
    expect(stderr).toContain('service.shop.api was renamed since the plan: it is called "billing" now');
    const planned = await at.run("plan");
    expect(planned.stdout).toContain('name  "billing" -> "api"');
    expect(planned.stdout).toContain("deployment.shop.api will run");
  });
});

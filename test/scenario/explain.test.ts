import { diagnosticCodes } from "../../src/diagnostics/diagnostic";
import { failing, oneScenario, printing } from "../support/cli";

describe("rnv explain", () => {
  const scenario = oneScenario();
  const explain = (word: string) => scenario.run("explain", word);

  it("tells the type, the default and the effect of a field, by its name or its path", async () => {
    const whole = await explain("service.configuration.replicas");
    expect(whole.stdout).toContain("Default: `1`.");
    expect(whole.stdout).toContain("type      integer");
    expect(whole.stdout).toContain("a change  deploys the service and may change the price");
    for (const word of ["replicas", "configuration.replicas", "services.configuration.replicas"])
      expect(await explain(word)).toEqual(whole);
    expect((await explain("service.kind")).stdout).toContain("a change  replaces it");
    expect((await explain("deploy.when")).stdout).toContain('"changed", "always", "never"');
    expect((await explain("variables.value")).stdout).toContain("secret text");
  });

  it("knows the fields of the manifest that no resource has, and its blocks", async () => {
    for (const [word, text] of [
      ["dependsOn", "settled before this one"],
      ["lifecycle", "Whether it may be destroyed"],
      ["lifecycle.preventDestroy", "Refuse every plan"],
      ["stages.overlay", "laid over this one"],
      ["removed", "whose deletion is confirmed"],
      ["moved", "under a new address"],
      ["fromEnv", "Name of an environment variable"],
      ["variables", "An encrypted variable"],
    ] as const)
      expect(await explain(word)).toMatchObject(printing(0, text));
    expect((await explain("preventDestroy")).stdout).toContain("type      boolean\n");
  });

  it("shows every field of a name", async () => {
    const { stdout } = await explain("description");
    expect(stdout).toContain("project.description");
    expect(stdout).toContain("service.configuration.description");
  });

  it("tells what each code means", async () => {
    const { code, stdout } = await explain("guard.consumers");
    expect({ code, stdout }).toEqual(printing(0, "--confirm-consumers ADDRESS"));
    expect(diagnosticCodes.length).toBeGreaterThan(100);
    for (const one of ["manifest.unknown_key", "api.rate_limited", "internal.bug"])
      expect((await explain(one)).stdout).toMatch(new RegExp(`^${one}\n\n\\S`));
  });

  it("suggests the right word", async () => {
    expect(await explain("replica")).toMatchObject(failing(1, 'did you mean "replicas"?'));
  });
});

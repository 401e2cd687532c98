import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedWorkspaceId } from "../../src/emulator/emulator";
import { approve, openScenario, type Scenario } from "../support/cli";

const manifest = `stages:
  production: { overlay: stages/production.yaml, protect: true }
  staging: { overlay: stages/staging.yaml, workspace: "\${env.RNV_STAGING_WORKSPACE:-${embeddedWorkspaceId}}" }
  preview: { each: true, disposable: true, expires: 72h }
projects:
  shop:
    name: Shop \${stage.name}
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api" }
        variables: { STAGE: "\${stage.name}" }
outputs: { stage: "\${stage.name}" }
`;
const production = "projects: { shop: { services: { api: { configuration: { branch: release } } } } }\n";
const staging = "projects: { shop: { services: { api: { configuration: { branch: develop } } } } }\n";

describe("stages of a manifest", () => {
  let scenario: Scenario;
  const recorded = (stage: string) =>
    JSON.parse(readFileSync(join(scenario.folder, ".rnv", stage, "state.json"), "utf8"));
  const names = () => scenario.emulator.store.projects().map(({ name }) => name);
  beforeEach(async () => {
    scenario = await openScenario();
    mkdirSync(join(scenario.folder, "stages"));
    scenario.write("rnv.yaml", manifest);
    scenario.write("stages/production.yaml", production);
    scenario.write("stages/staging.yaml", staging);
  });
  afterEach(() => scenario.close());

  it("each has its overlay and a state of its own, which names it, and addresses are the same", async () => {
    expect(await scenario.run("apply", "--stage", "staging", ...approve)).toMatchObject({ code: 0 });
    const env = { RNV_STAGE: "production" };
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    expect(names()).toEqual(["Shop staging", "Shop production"]);
    expect(scenario.emulator.store.services().map(({ configuration }) => configuration.branch)).toEqual([
      "develop",
      "release",
    ]);
    for (const stage of ["staging", "production"]) {
      expect([stage, recorded(stage).stage]).toEqual([stage, stage]);
      expect(Object.keys(recorded(stage).resources)).toContain("service.shop.api");
      await scenario.isQuiet("--stage", stage);
      const { stdout } = await scenario.run("output", "-raw", "stage", "--stage", stage);
      expect(stdout).toBe(stage);
    }
    expect(existsSync(join(scenario.folder, ".rnv/state.json"))).toBe(false);
  });

  it("a verb that reads the manifest without a stage is an error that lists them", async () => {
    const verbs = [
      ["validate"],
      ["plan"],
      ["apply", ...approve],
      ["destroy", ...approve],
      ["drift"],
      ["graph"],
    ];
    for (const words of [
      ...verbs,
      ["import", "service.shop.api", embeddedWorkspaceId],
      ["state", "list"],
      ["output"],
    ]) {
      const [verb = "", ...rest] = words;
      expect({ verb, ...(await scenario.run(verb, ...rest)) }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("production, staging, preview/ID"),
      });
    }
    expect(scenario.requests("all")).toEqual([]);
  });

  it("a state of another stage changes nothing, with exit 4", async () => {
    await scenario.run("apply", "--stage", "staging", ...approve);
    const before = scenario.files();
    scenario.forget();
    const other = ["--stage", "production", "--state", ".rnv/staging/state.json"];
    const id = recorded("staging").resources["service.shop.api"].id;
    scenario.write("other.json", JSON.stringify({ ...recorded("staging"), stage: "production" }));
    const writing = [
      ["apply", ...approve],
      ["apply", "-refresh-only", ...approve],
      ["destroy", ...approve],
      ["import", "service.shop.api", id],
      ["state", "mv", "service.shop.api", "service.shop.web"],
      ["state", "rm", "service.shop.api"],
      ["state", "push", "other.json"],
      ["state", "restore", "1"],
      ...["deploy", "restart", "suspend", "resume", "rollback", "cancel"].map((verb) => [
        verb,
        "service.shop.api",
      ]),
      ...["plan", "drift", "status", "output", "show"].map((verb) => [verb]),
    ];
    for (const [verb = "", ...words] of writing)
      expect({ verb, words, ...(await scenario.run(verb, ...words, ...other)) }).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("is the state of the stage staging, not of production"),
      });
    expect(scenario.requests()).toEqual([]);
    expect(scenario.files().filter(({ path }) => !path.endsWith("other.json"))).toEqual(before);
  });
});

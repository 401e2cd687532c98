import { approve, eachScenario } from "../support/cli";

const older = "1".repeat(40);
const newer = "2".repeat(40);
const shop = (startCommand: string, deploy = "") =>
  `services:
  api: { kind: web, configuration: { repository: "https://git.example.com/shop", startCommand: ${startCommand} }${deploy} }
`;
const pinned = (commit: string) => `, deploy: { commit: "${commit}" }`;
const rollback = ["rollback", "service.api", "--confirm", "service.api"] as const;
const byRnv = /rolled back by rnv on \d{4}-\d\d-\d\d to the release of deployment/;

describe("rnv rollback", () => {
  const scenario = eachScenario();
  const applied = async (manifest: string) => {
    await scenario.applied(manifest);
    scenario.settle();
  };

  it("names the commit that the manifest declares, and the line that makes the rollback last", async () => {
    await applied(shop("one", pinned(older)));
    await applied(shop("two", pinned(newer)));
    const { code, stderr } = await scenario.run(...rollback);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `warning[live.rolled_back]: service.api is rolled back, and what was applied last declares commit ${newer}`,
    );
    expect(stderr).toContain(`deploy: { commit: "${older}" }`);
    expect(stderr).toContain("git revert");
    const { stdout: plan } = await scenario.run("plan");
    expect(plan).toMatch(byRnv);
    expect(plan).not.toContain("changed outside");
    expect(plan).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
    const drift = await scenario.run("drift");
    expect(drift).toMatchObject({ code: 0, stdout: expect.stringMatching(byRnv) });
    scenario.write("rnv.yaml", shop("two", pinned(older)));
    await scenario.isQuiet();
    await applied(shop("two", pinned(newer)));
    expect((await scenario.run("plan")).stdout).not.toContain("rolled back");
    await scenario.isQuiet();
  });

  it("lasts without a pinned commit until something is deployed, and other applies keep the note", async () => {
    await applied(shop("one"));
    await applied(shop("two"));
    expect((await scenario.run(...rollback)).stderr).toContain("git revert");
    await scenario.isQuiet();
    await applied(`${shop("two")}  docs: { kind: static, deploy: { when: never } }\n`);
    expect((await scenario.run("plan")).stdout).toMatch(byRnv);
    expect((await scenario.run("deploy", "service.api")).code).toBe(0);
    expect((await scenario.run("plan")).stdout).not.toContain("rolled back");
  });

  it("is over after a second one, which goes back to what was applied last", async () => {
    await applied(shop("one"));
    await applied(shop("two"));
    expect((await scenario.run(...rollback)).stderr).toContain("nothing declares that");
    expect(await scenario.run(...rollback)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("warning"),
    });
    expect((await scenario.run("plan")).stdout).not.toContain("Not running what was applied last");
    await scenario.run(...rollback);
    expect((await scenario.run("plan")).stdout).toMatch(byRnv);
  });

  it("leaves the record of what runs where it fails", async () => {
    await applied(shop("one", pinned(older)));
    await applied(shop("two", pinned(newer)));
    scenario.emulator.store.failNextDeployment(scenario.emulator.store.services()[0]?.id ?? "");
    expect((await scenario.run(...rollback)).code).toBe(7);
    const { stdout } = await scenario.run("plan");
    expect(stdout).not.toMatch(byRnv);
    expect(stdout).toContain("The build failed");
  });

  it("does not count as the deployment of changes that it leaves undeployed", async () => {
    await applied(shop("one", ", deploy: { when: changed }"));
    await applied(shop("two", ", deploy: { when: changed }"));
    await applied(shop("three", ", deploy: { when: never }"));
    expect((await scenario.run(...rollback)).code).toBe(0);
    scenario.write("rnv.yaml", shop("three"));
    expect((await scenario.run("plan")).stdout).toContain("the service changed since the last deploy");
  });
});

describe("rnv rollback of a service that only rnv deploys", () => {
  const scenario = eachScenario({ readings: { otherDeployments: "none" } });

  it("says what runs where there is no candidate", async () => {
    const refused = async () => {
      const { code, stderr } = await scenario.run(...rollback);
      expect(code).toBe(1);
      return stderr;
    };
    await scenario.applied(shop("one", ", deploy: { when: never }"));
    expect(await refused()).toContain("service.api: nothing to roll back: nothing of it runs\n");
    await scenario.applied(shop("one"));
    const [{ id = "" } = {}] = scenario.emulator.store.services();
    const [first] = scenario.deployments(id);
    const serving = `runs release ${first?.id.slice(0, 8)}`;
    expect(await refused()).toContain(
      `service.api: nothing to roll back: it ${serving}, and no earlier one is retained\n`,
    );
    scenario.emulator.store.failNextDeployment(id, "npm ERR! missing");
    scenario.write("rnv.yaml", shop("two"));
    expect((await scenario.run("apply", ...approve)).code).toBe(7);
    const failed = "nothing to roll back: deployment [0-9a-f]{8} failed: .*npm ERR! missing";
    expect(await refused()).toMatch(new RegExp(`${failed}; it still ${serving}\n`));
  });
});

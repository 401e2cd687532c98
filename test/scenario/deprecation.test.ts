import { openScenario } from "../support/cli";

/** RFC 9745 and RFC 8594. */
describe("a platform that announces the end of a part of its API", () => {
  it("is reported once a run, with the date and the page, and changes nothing else", async () => {
    const scenario = await openScenario();
    scenario.write("rnv.yaml", "services: { docs: { kind: static, deploy: { when: never } } }\n");
    const quiet = await scenario.run("plan");
    scenario.emulator.store.setCondition("deprecated", true);
    const told = await scenario.run("plan");
    expect(told).toMatchObject({ code: 0, stdout: quiet.stdout });
    expect(quiet.stderr).toBe("");
    expect(told.stderr.match(/warning\[api\.deprecated\]/g)).toHaveLength(1);
    expect(told.stderr).toContain("It ends on 2027-01-01.");
    expect(told.stderr).toContain("https://docs.example.com/api/v2");
  });
});

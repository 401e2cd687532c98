import { eachScenario } from "../support/cli";

const docs = "services: { docs: { kind: static, deploy: { when: never } } }\n";
const both = `${docs.replace(" }\n", ", more: { kind: static, deploy: { when: never } } }\n")}`;
const row =
  /^\d {2}serial \d+, \d+ records?, \S+ k?B, written 20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ by \S.* {2}\S+\/\.rnv\/state\.json\.backup\.\d$/;

describe("state backups", () => {
  const scenario = eachScenario();
  beforeEach(async () => {
    for (const text of [docs, both]) {
      await scenario.applied(text);
    }
    expect((await scenario.run("state", "rm", "service.more")).code).toBe(0);
  });

  it("are listed newest first with their time and verb, and restore says which of them it put back", async () => {
    const { code, stdout } = await scenario.run("state", "backups");
    const lines = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    for (const line of lines) expect(line).toMatch(row);
    expect(lines[0]).toMatch(/^1 .* 2 records, .* by apply /);
    const listed = JSON.parse((await scenario.run("state", "backups", "-json")).stdout);
    const times = listed.map((one: { written_at: string }) => Date.parse(one.written_at));
    expect(times).toEqual([...times].sort().reverse());
    expect(listed[0]).toMatchObject({
      number: 1,
      resources: 2,
      bytes: expect.any(Number),
      written_by: "apply",
    });

    const restored = await scenario.run("state", "restore", "1");
    expect(restored.stdout).toMatch(
      /^Restored \S+\/\.rnv\/state\.json\.backup\.1 \(serial \d+, 2 records, \S+ k?B, written 20\S+ \S+Z by apply\)\.\nThe state has serial \d+ now; what stood there is the newest backup\.\n$/,
    );
    expect((await scenario.run("state", "backups")).stdout).toMatch(/^1 .* state rm /);
    const none = await scenario.run("state", "backups", "-state", "other.json");
    expect(none.stderr).toBe("There are no backups here.\n");
    await scenario.isQuiet();
  });
});

import { rmSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { approve, oneScenario, printing, refusing } from "../support/cli";
import { textIn } from "../support/rows";

const viewerKey = "rnv_viewer";
const shop = ({ level = "info", more = "" } = {}) =>
  textIn(join(__dirname, "verify-values.yaml"), { level, more });
const env = { SHOP_TOKEN: "token-true" };

/** DESIGN section 4: "`--verify-values` reveal once (audited) and record equal values without a write". */
describe("--verify-values", () => {
  const scenario = oneScenario({
    apiKeys: [
      { key: embeddedApiKey, scope: "write", role: "owner" },
      { key: viewerKey, scope: "write", role: "viewer" },
    ],
  });
  const store = () => scenario.emulator.store;
  const rnv = (...args: string[]) => scenario.runWith({ env }, ...args);
  const reveals = () => scenario.requests().filter((request) => request.endsWith("/reveal"));
  const writes = () => scenario.requests().filter((request) => !request.endsWith("/reveal"));
  const loseState = () => rmSync(join(scenario.folder, ".rnv"), { recursive: true, force: true });
  const isQuiet = async () => {
    const { code, stdout } = await rnv("plan", "-detailed-exitcode");
    expect({ code, stdout }).toMatchObject(printing(0, "No changes."));
  };
  beforeAll(async () => {
    scenario.write("rnv.yaml", shop().replace(/ +THEIRS.*\n/, ""));
    expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
    store().addVariable(scenario.idOf(), "THEIRS", "their-value");
    scenario.write("rnv.yaml", shop());
    expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
  });
  beforeEach(() => {
    scenario.write("rnv.yaml", shop());
    scenario.forget();
  });

  it("plan shows what a lost state would take over, reveals each value once, and writes nothing", async () => {
    loseState();
    const { code, stdout } = await rnv("plan", "--adopt", "--verify-values");
    expect(code).toBe(0);
    expect(stdout).toContain("  > 5 variables will be imported\n");
    expect(stdout).not.toContain("updated in place");
    expect(stdout).not.toContain("deploys");
    expect(stdout).toContain(
      "3 values revealed for the comparison (the platform keeps an audit event of each): 3 as declared and not written.",
    );
    expect(stdout).toContain("0 to add, 0 to change, 0 to destroy.");
    expect(reveals()).toHaveLength(3);
    expect(writes()).toEqual([]);
    for (const format of [["--format", "markdown"], ["-json"]]) {
      const other = await rnv("plan", "--adopt", "--verify-values", ...format);
      expect(other.stdout).toMatch(/3 as declared and not written|"is_equal": true/);
    }
  });

  it("apply after a lost state rewrites and redeploys nothing that is equal", async () => {
    loseState();
    const before = ["LOG_LEVEL", "TOKEN", "HOST", "MADE", "THEIRS"].map((key) => [
      scenario.variable(key),
      scenario.valueOf(key),
    ]);
    const { code, stdout } = await rnv("apply", "--adopt", "--verify-values", ...approve);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(reveals()).toHaveLength(3);
    expect(writes()).toEqual([]);
    expect(
      ["LOG_LEVEL", "TOKEN", "HOST", "MADE", "THEIRS"].map((key) => [
        scenario.variable(key),
        scenario.valueOf(key),
      ]),
    ).toEqual(before);
    await isQuiet();
  });

  it("a recorded value is not revealed again", async () => {
    const { code, stdout } = await rnv("apply", "--verify-values", ...approve);
    expect({ code, stdout }).toMatchObject(printing(0, "No changes."));
    expect(stdout).toContain("No value had to be revealed.");
    expect(scenario.requests()).toEqual([]);
  });

  it("never reveals without the flag", async () => {
    loseState();
    expect(await rnv("plan", "--adopt")).toMatchObject({ code: 0 });
    await rnv("drift");
    await rnv("apply", ...approve);
    expect(reveals()).toEqual([]);
  });

  it("a saved plan keeps what was found out: applied, it reveals nothing again", async () => {
    loseState();
    expect(await rnv("plan", "--adopt", "--verify-values", "-out", "p.rnvplan")).toMatchObject({ code: 0 });
    expect(scenario.read("p.rnvplan")).not.toContain("token-true");
    expect(reveals()).toHaveLength(3);
    scenario.forget();
    expect(await rnv("apply", "p.rnvplan")).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    await isQuiet();
  });

  it("writes what is different as usual, with one deployment, and says how many", async () => {
    loseState();
    store().editVariable(scenario.variable("TOKEN")?.id ?? "", { value: "theirs" });
    scenario.forget();
    const { code, stdout } = await rnv("apply", "--adopt", "--verify-values", ...approve);
    expect({ code, stdout }).toMatchObject(printing(0, "2 as declared and not written, 1 different."));
    expect(stdout).not.toMatch(/theirs|token-true/);
    expect(writes().map((request) => request.split("/").at(-2))).toEqual(["variables", expect.any(String)]);
    expect(writes()[1]).toMatch(/\/deploys$/);
    expect(scenario.valueOf("TOKEN")).toBe("token-true");
    await isQuiet();
  });

  it("an edit that the dashboard made already is recorded, and so is a value that was touched and put back", async () => {
    store().editVariable(scenario.variable("LOG_LEVEL")?.id ?? "", { value: "debug" });
    store().editVariable(scenario.variable("TOKEN")?.id ?? "", { value: "token-true" });
    scenario.write("rnv.yaml", shop({ level: "debug" }));
    const usual = await rnv("plan", "-detailed-exitcode");
    expect(usual.code).toBe(2);
    const { code, stdout } = await rnv("apply", "--verify-values", ...approve, "-json");
    expect(code).toBe(0);
    expect(stdout).toContain('"type":"revealed"');
    expect(stdout).toMatch(/"count":2,"equal":2/);
    expect(writes()).toEqual([]);
    await isQuiet();
    expect(await rnv("drift", "--verify-values")).toMatchObject({ code: 0 });
  });

  it("is an error that names the variable where the key may not reveal", async () => {
    loseState();
    scenario.fail(refusing("POST", /\/reveal$/));
    const { code, stderr } = await rnv("apply", "--adopt", "--verify-values", ...approve);
    scenario.fail();
    expect(code).toBe(1);
    expect(stderr).toMatch(/error\[api\.forbidden\]: variable\.shop\.api\.\w+: cannot reveal the variable/);
    expect(stderr).toContain("--verify-values");
    expect(writes()).toEqual([]);
  });
});

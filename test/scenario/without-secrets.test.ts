import { rmSync } from "node:fs";
import { join } from "node:path";
import { approve, failing, oneScenario, printing } from "../support/cli";
import { textIn } from "../support/rows";

const stateKey = "ab".repeat(32);
const env = { RNV_STATE_KEY: stateKey, SHOP_TOKEN: "token-one", SHOP_HOST: "db.example" };
const bare = { RNV_STATE_KEY: stateKey };

const shop = ({ level = "info", more = "", branch = "main" } = {}) =>
  textIn(join(__dirname, "without-secrets.yaml"), { branch, level, more });

/** DESIGN section 4, "Without secrets". */
describe("without the secrets of production", () => {
  const scenario = oneScenario();
  /** Takes away what only the machine that applies has. */
  const hideSources = () => {
    for (const file of ["certificate.pem", "command.js"])
      rmSync(join(scenario.folder, file), { force: true });
  };
  const putSources = () => {
    scenario.write("certificate.pem", "certificate-one");
    scenario.write(
      "command.js",
      'require("node:fs").writeFileSync("command-ran", ""); console.log("password-one");',
    );
  };
  const ranCommand = () => scenario.files().some(({ path }) => path.endsWith("/command-ran"));
  beforeAll(async () => {
    scenario.write("rnv.yaml", shop());
    putSources();
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
  });
  beforeEach(() => {
    scenario.write("rnv.yaml", shop());
    hideSources();
    rmSync(join(scenario.folder, "command-ran"), { force: true });
    scenario.forget();
  });

  describe("drift", () => {
    it("needs no value of any variable and no key of fingerprints", async () => {
      const { code, stdout, stderr } = await scenario.run("drift", "-json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({ has_drift: false, pending: [], unchecked: [] });
    });

    it("runs no command and reads no source that is there", async () => {
      putSources();
      scenario.write("certificate.pem", "another certificate");
      const { code } = await scenario.runWith({ env: { SHOP_TOKEN: "another" } }, "drift");
      expect(code).toBe(0);
      expect(ranCommand()).toBe(false);
    });

    it("sees a value that was changed outside by its time, and what is declared and not applied", async () => {
      scenario.emulator.store.editVariable(scenario.variable("TOKEN")?.id ?? "", { value: "theirs" });
      scenario.write("rnv.yaml", shop({ level: "debug" }));
      const changed = await scenario.run("drift", "-json");
      expect(changed.code).toBe(2);
      expect(JSON.parse(changed.stdout).drifted).toEqual([
        expect.objectContaining({ address: "variable.shop.api.TOKEN" }),
      ]);
      const keyed = await scenario.runWith({ env: bare }, "drift", "-json");
      const pending = JSON.parse(keyed.stdout).pending.map((one: { address: string }) => one.address);
      expect(pending).toContain("variable.shop.api.LOG_LEVEL");
      putSources();
      scenario.write("rnv.yaml", shop());
      expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    });

    it("says that it needs the key where it compares values", async () => {
      const { code, stderr } = await scenario.run("drift", "--verify-values");
      expect({ code, stderr }).toMatchObject(failing(1, "state.key_missing"));
      expect(scenario.requests()).toEqual([]);
      expect(await scenario.runWith({ env: bare }, "drift", "--verify-values")).toMatchObject({ code: 0 });
    });
  });

  describe("plan --no-secrets", () => {
    const unchecked = (stdout: string): Record<string, string> =>
      Object.fromEntries(
        JSON.parse(stdout).unchecked.map((one: { address: string; reason: string }) => [
          one.address.replace("variable.shop.api.", ""),
          one.reason,
        ]),
      );

    it("names and counts what is not checked, in every format", async () => {
      const text = await scenario.runWith({ env: bare }, "plan", "--no-secrets", "-detailed-exitcode");
      expect(text.code).toBe(0);
      expect(text.stdout).toContain(
        "This run cannot read 4 values. Apply reads each, and applies what is new or changed:",
      );
      expect(text.stdout).toMatch(
        /variable\.shop\.api\.TOKEN +the environment variable SHOP_TOKEN is not set/,
      );
      expect(text.stdout).toContain("No changes. Your infrastructure matches the configuration.");
      const markdown = await scenario.runWith(
        { env: bare },
        ...(["plan", "-no-secrets", "--format", "markdown"] as const),
      );
      expect(markdown.stdout).toContain("cannot read 4 values");
      expect(markdown.stdout).toContain("`variable.shop.api.PASSWORD`: the command");
      const json = await scenario.runWith({ env: bare }, "plan", "--no-secrets", "-json");
      expect(Object.keys(unchecked(json.stdout)).sort()).toEqual([
        "CERTIFICATE",
        "DATABASE",
        "PASSWORD",
        "TOKEN",
      ]);
      expect(scenario.requests()).toEqual([]);
    });

    it("uses the sources that are there", async () => {
      putSources();
      const some = { ...env, SHOP_TOKEN: "token-two", SHOP_HOST: "" };
      const { code, stdout } = await scenario.runWith({ env: some }, "plan", "--no-secrets", "-json");
      expect(code).toBe(0);
      // An empty one is what GitHub makes of a secret that a job is not given.
      expect(unchecked(stdout)).toEqual({ DATABASE: "the environment variable SHOP_HOST is not set" });
      const { resource_changes: changes } = JSON.parse(stdout);
      const updated = changes.filter((one: { change: { actions: string[] } }) =>
        one.change.actions.includes("update"),
      );
      expect(updated.map((one: { address: string }) => one.address)).toContain("variable.shop.api.TOKEN");
    });

    it("compares nothing without the key of fingerprints, and says so", async () => {
      scenario.write("rnv.yaml", shop({ level: "debug" }));
      const { code, stdout } = await scenario.run("plan", "--no-secrets", "-json");
      expect(code).toBe(0);
      expect(unchecked(stdout)).toMatchObject({
        LOG_LEVEL: "the key of fingerprints is not here (RNV_STATE_KEY)",
        TOKEN: "the environment variable SHOP_TOKEN is not set",
      });
      expect(unchecked(stdout)).not.toHaveProperty("MADE");
    });

    it("is asked for: without it a missing source is an error", async () => {
      const { code, stderr } = await scenario.runWith({ env: bare }, "plan");
      expect({ code, stderr }).toMatchObject(failing(1, "the environment variable SHOP_TOKEN is not set"));
    });

    it("makes a saved plan that a machine with the secrets applies, with what is new in it", async () => {
      const text = '"at ${service.shop.two.internalHost}"';
      const more = `          NEW: { fromEnv: SHOP_NEW }\n      two: { kind: web, deploy: { when: never }, variables: { A: ${text} } }`;
      scenario.write("rnv.yaml", shop({ branch: "next", more }));
      const saved = await scenario.run("plan", "--no-secrets", "-out", "p.rnvplan");
      expect({ code: saved.code, stdout: saved.stdout }).toMatchObject(
        printing(0, "variable.shop.api.NEW will be created"),
      );
      putSources();
      const withNew = { ...env, SHOP_NEW: "new-one" };
      expect(await scenario.runWith({ env: withNew }, "apply", "p.rnvplan")).toMatchObject({ code: 0 });
      expect(scenario.valueOf("NEW", "api")).toBe("new-one");
      const quiet = await scenario.runWith({ env: withNew }, "plan", "-detailed-exitcode");
      expect(quiet.code).toBe(0);
    });

    it("makes a saved plan that is stale where a value that was not compared has changed", async () => {
      scenario.write("rnv.yaml", shop({ branch: "main", more: "          NEW: { fromEnv: SHOP_NEW }" }));
      expect(
        await scenario.runWith({ env: bare }, "plan", "--no-secrets", "-out", "p.rnvplan"),
      ).toMatchObject({ code: 0 });
      putSources();
      const rotated = { ...env, SHOP_TOKEN: "token-two", SHOP_NEW: "new-one" };
      scenario.forget();
      const { code, stderr } = await scenario.runWith({ env: rotated }, "apply", "p.rnvplan");
      expect({ code, stderr }).toMatchObject(failing(5, "variable.shop.api.TOKEN would change now"));
      expect(scenario.requests()).toEqual([]);
    });
  });

  it("destroy needs no value and no key either", async () => {
    const planned = await scenario.run("plan", "-destroy");
    expect(planned).toMatchObject({ code: 0 });
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
    expect(scenario.emulator.store.services()).toEqual([]);
    expect(ranCommand()).toBe(false);
  });
});

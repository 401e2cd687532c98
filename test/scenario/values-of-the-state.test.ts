import { rmSync } from "node:fs";
import { join } from "node:path";
import { approve, oneScenario, printing } from "../support/cli";
import { textIn } from "../support/rows";

const value = "tr0ub4dor&3-staple";
const short = "k3y7";
const key = { RNV_STATE_KEY: "c".repeat(64) };

const manifest = textIn(join(__dirname, "values-of-the-state.yaml"));

/** The manifest and the value are elsewhere: on a laptop, in a job of a dashboard. */
describe("a value that the run does not have, in a text of the service", () => {
  const at = oneScenario();
  let deployment = "";
  let neighbour = "";
  beforeAll(async () => {
    at.write("rnv.yaml", manifest);
    const env = { ...key, TOKEN: value, PIN: short };
    expect(await at.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    at.write("rnv.yaml", "projects: {}\n");
    const { store } = at.emulator;
    const [api, other] = ["api", "other"].map((name) => store.deployments(at.idOf(name))[0]?.id ?? "");
    deployment = api ?? "";
    store.editDeployment(deployment, {
      error: `login failed: TOKEN=${value} (pin "${short}"), postgres://u:${value}@db/x; main is fine`,
      commitMessage: `use <token>${value}</token> {"message":"bad '${value}'"} ?token=${value}&x=1`,
      branch: value,
    });
    neighbour = other ?? "";
  });

  const verbs = [
    ["status", "service.shop.api"],
    ["status", "-json"],
    ["deployments", "service.shop.api"],
    ["deployments", "service.shop.api", "-json"],
    ["restart", "service.shop.api", "-json"],
  ];
  const shown = async (env: Record<string, string>) => {
    const texts: string[] = [];
    for (const verb of verbs) {
      const { stdout, stderr } = await at.runWith({ env }, ...verb);
      texts.push(`${stdout}${stderr}`);
    }
    return texts;
  };

  it("is masked by its fingerprint, and the rest of the text stays", async () => {
    for (const text of await shown(key)) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(short);
    }
    const { stdout } = await at.runWith({ env: key }, "deployments", "service.shop.api", "-json");
    expect(stdout).toContain(
      'login failed: TOKEN=(sensitive) (pin \\"(sensitive)\\"), postgres://u:(sensitive)@db/x',
    );
    expect(stdout).toContain("main is fine");
    for (const move of [["api", "web"] as const, ["web", "api"] as const]) {
      const [from, to] = move.map((name) => `service.shop.${name}`) as [string, string];
      expect(await at.run("state", "mv", from, to)).toMatchObject({ code: 0 });
      expect((await at.runWith({ env: key }, "deployments", to)).stdout).not.toContain(value);
    }
  });

  const aboutNeighbour = async (env: Record<string, string>): Promise<string> => {
    const error = `cannot reach api: TOKEN=${value} (pin "${short}")`;
    at.emulator.store.editDeployment(neighbour, { error });
    at.emulator.store.failNextDeployment("*", error);
    let seen = "";
    for (const verb of [
      ["status", "-json"],
      ["deployments", "service.shop.other"],
      ["deployments", "service.shop.other", "-json"],
      ["deploy", "service.shop.other"],
    ]) {
      const { stdout, stderr } = await at.runWith({ env }, ...verb);
      seen += `${stdout}${stderr}`;
    }
    return seen;
  };

  it("is masked in a text about a neighbour", async () => {
    const seen = await aboutNeighbour(key);
    expect(seen).not.toContain(value);
    expect(seen).not.toContain(short);
    expect(seen.split("cannot reach api: TOKEN=(sensitive)").length).toBeGreaterThan(4);
  });

  it("is hidden with its text where the key is missing", async () => {
    rmSync(join(at.folder, ".rnv", "state.key"), { force: true });
    for (const text of await shown({})) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(short);
    }
    const { stdout } = await at.run("deployments", "service.shop.api", "-json");
    expect(stdout).toContain('"error": "(hidden: RNV_STATE_KEY is not set)"');
    const other = await aboutNeighbour({});
    expect(other).not.toContain(value);
    expect(other).toContain('"error": "(hidden: RNV_STATE_KEY is not set)"');
    // A branch that is declared is no value.
    at.emulator.store.editDeployment(deployment, { branch: "main" });
    const declared = await at.run("deployments", "service.shop.api", "-json");
    expect(declared.stdout).toContain('"branch": "main"');
    at.write("rnv.yaml", manifest);
    const drift = await at.run("drift");
    expect(drift).toMatchObject(printing(0, "No drift"));
  });
});

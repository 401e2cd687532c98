import { join } from "node:path";
import { applyKilledAfterPatch, approve, eachScenario } from "../support/cli";
import { textIn } from "../support/rows";

interface Shop {
  readonly project?: string;
  readonly configuration?: string;
  readonly archived?: boolean;
}

const shop = ({ project = "", configuration = "", archived = false }: Shop = {}) =>
  textIn(join(__dirname, "redeploys.yaml"), { project, archived, configuration });

describe("a change of an applied service", () => {
  const scenario = eachScenario();
  const deployments = () => scenario.deployments(scenario.idOf()).length;
  const apply = async (text: string): Promise<string[]> => {
    scenario.write("rnv.yaml", text);
    scenario.forget();
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return scenario.sent.map(
      ({ method, path }) => `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")}`,
    );
  };
  beforeEach(async () => {
    await apply(shop());
    expect(deployments()).toBe(1);
  });

  it("deploys nothing where nothing that runs reads the field", async () => {
    const quiet = shop({
      configuration:
        "description: Shop API, notifications: none, autoDeploy: commit, previewMode: manual, previewExpiryHours: 24, backupRetentionDays: 14",
    });
    scenario.write("rnv.yaml", quiet);
    const planned = await scenario.run("plan");
    expect(planned.stdout).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
    expect(planned.stdout).not.toContain("deployment.shop.api");
    expect(await apply(quiet)).toEqual(["PATCH /workspaces/ID/services/ID"]);
    expect(deployments()).toBe(1);
    await scenario.isQuiet();
    // Taken out again they go back to their defaults, which is no reason either.
    expect(await apply(shop())).toEqual(["PATCH /workspaces/ID/services/ID"]);
    await scenario.isQuiet();
  });

  it("deploys once where one of several fields needs it", async () => {
    expect(await apply(shop({ configuration: "description: new, branch: release" }))).toEqual([
      "PATCH /workspaces/ID/services/ID",
      "POST /workspaces/ID/services/ID/deploys",
    ]);
    await scenario.isQuiet();
  });

  it("is deployed where it needs that, also after a kill once the service took it", async () => {
    const changed = shop({ configuration: "description: new, branch: release" });
    scenario.write("rnv.yaml", changed);
    await applyKilledAfterPatch(scenario);
    expect(scenario.service()?.configuration.branch).toBe("release");
    expect(await apply(changed)).toEqual(["POST /workspaces/ID/services/ID/deploys"]);
    await scenario.isQuiet();
  });

  it("deploys nothing when it is archived and restored, and what was edited in between then", async () => {
    // "Runtime is not suspended", "No deployment and no resume of infrastructure" (interface, "States and transitions").
    expect(await apply(shop({ archived: true }))).toEqual(["POST /workspaces/ID/services/ID/archive"]);
    expect(await apply(shop())).toEqual(["POST /workspaces/ID/services/ID/restore"]);
    expect(deployments()).toBe(1);
    await apply(shop({ archived: true, configuration: "branch: release" }));
    expect(deployments()).toBe(1);
    expect(await apply(shop({ configuration: "branch: release" }))).toEqual([
      "POST /workspaces/ID/services/ID/restore",
      "POST /workspaces/ID/services/ID/deploys",
    ]);
    await scenario.isQuiet();
  });
});

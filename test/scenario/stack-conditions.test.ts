import { join } from "node:path";
import { App, type TerraformResourceLifecycle, TerraformStack, TerraformVariable } from "cdktf";
import { DataRnvCatalog, Project, RnvProvider } from "../../src/cdktf/cdktf";
import { approve, oneScenario } from "../support/cli";

/** What a program asks of its service, its project and the catalog. */
interface Asked {
  readonly service?: TerraformResourceLifecycle;
  readonly data?: TerraformResourceLifecycle;
  readonly validation?: { readonly condition: string; readonly error_message: string };
}

function synthesizeInto(folder: string, { service, data, validation }: Asked): void {
  const app = new App({ outdir: join(folder, "cdktf.out") });
  const stack = new TerraformStack(app, "shop");
  new RnvProvider(stack, "rnv");
  const replicas = new TerraformVariable(stack, "replicas", { type: "number", default: 2 });
  if (validation) replicas.addOverride("validation", [validation]);
  new DataRnvCatalog(stack, "catalog", { ...(data && { lifecycle: data }) });
  const shop = new Project(stack, "shop");
  shop.addService("api", {
    kind: "web",
    configuration: { repository: "https://git.example.com/shop/api", replicas: replicas.numberValue },
    ...(service && { lifecycle: service }),
  });
  app.synth();
}

describe("conditions of a stack", () => {
  const scenario = oneScenario();
  const rnv = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    scenario.runWith({ env }, args[0] as string, "-f", "cdktf.out", ...args.slice(1));
  const services = () => scenario.emulator.store.services().map(({ name }) => name);

  it("that are known stop the plan, with their message and their place, as results that a machine reads", async () => {
    synthesizeInto(scenario.folder, {
      service: {
        precondition: [
          {
            condition: "${var.replicas >= 3}",
            errorMessage: "production has ${3} replicas, found ${var.replicas}",
          },
          { condition: "${length(data.rnv_catalog.catalog.regions) > 0}", errorMessage: "no region" },
        ],
        postcondition: [{ condition: "${self.configuration.replicas < 9}", errorMessage: "too many" }],
      },
      data: {
        postcondition: [
          { condition: '${contains(self.service_types, "abacus")}', errorMessage: "no abacus" },
        ],
      },
    });
    const { code, stdout, stderr } = await rnv({}, "apply", ...approve);
    expect({ code, services: services() }).toEqual({ code: 4, services: [] });
    expect(stderr).toContain("precondition: production has 3 replicas, found 2");
    expect(stderr).toContain("shop/shop/api (rnv_service.");
    expect(stderr).toContain("data.rnv_catalog.catalog): postcondition: no abacus");
    expect(stderr).toMatch(/guard\.condition[\s\S]*cdk\.tf\.json:\d+/);
    expect(stdout).not.toContain("Apply complete");
    const json = JSON.parse((await rnv({}, "plan", "--json")).stdout);
    expect(
      json.checks.map(({ policy, status }: Record<string, string>) => `${policy} ${status}`).sort(),
    ).toEqual(["postcondition failed", "postcondition passed", "precondition failed", "precondition passed"]);
    expect((await rnv({ TF_VAR_replicas: "9" }, "plan")).stderr).toContain("postcondition: too many");
  });

  it("of variables are judged when the stack is read", async () => {
    synthesizeInto(scenario.folder, {
      validation: { condition: "${var.replicas < 5}", error_message: "at most four, not ${var.replicas}" },
    });
    expect((await rnv({}, "validate")).code).toBe(0);
    const refused = await rnv({ TF_VAR_replicas: "7" }, "validate");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("shop: var.replicas: at most four, not 7");
  });

  it("that only apply can tell keep a change from being made, or fail it once it is made", async () => {
    const project = "rnv_project.shop";
    const told = { errorMessage: "the id ${rnv_project.shop.id} is odd" };
    synthesizeInto(scenario.folder, {
      service: { precondition: [{ condition: `\${${project}.id == ""}`, ...told }] },
    });
    const before = await rnv({}, "apply", ...approve);
    const id = scenario.emulator.store.projects()[0]?.id;
    expect({ code: before.code, services: services() }).toEqual({ code: 3, services: [] });
    expect(before.stderr).toContain(`precondition: the id ${id} is odd`);
    expect(before.stderr).toContain("apply.condition_failed");

    const after = { condition: '${self.id == ""}', errorMessage: "it has an id" };
    synthesizeInto(scenario.folder, { service: { postcondition: [after] } });
    const made = await rnv({}, "apply", ...approve);
    expect({ code: made.code, services: services() }).toEqual({ code: 7, services: ["api"] });
    expect(made.stderr).toContain("postcondition: it has an id");
    const again = await rnv({}, "plan");
    expect(again.code).toBe(4);
    expect(again.stderr).toContain("postcondition: it has an id");

    synthesizeInto(scenario.folder, {
      service: { postcondition: [{ ...after, condition: '${self.id != ""}' }] },
    });
    expect((await rnv({}, "apply", ...approve)).code).toBe(0);
    const quiet = await rnv({}, "plan", "--detailed-exitcode");
    expect({ code: quiet.code, text: quiet.stdout }).toEqual({
      code: 0,
      text: expect.stringContaining("1 passed"),
    });
    synthesizeInto(scenario.folder, { service: { postcondition: [after] } });
    expect((await rnv({}, "destroy", ...approve)).code).toBe(0);
    expect(services()).toEqual([]);
  });
});

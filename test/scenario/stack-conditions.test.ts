import { join } from "node:path";
import { App, type TerraformResourceLifecycle, TerraformStack, TerraformVariable } from "cdktf";
import { DataRnvCatalog, Project, RnvProvider } from "../../src/cdktf/cdktf";
import { oneScenario } from "../support/cli";

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

  it("are an error for a resource or a data source, which names the construct and Terraform", async () => {
    const condition = { condition: "${var.replicas >= 3}", errorMessage: "production has 3 replicas" };
    synthesizeInto(scenario.folder, {
      service: { precondition: [condition], postcondition: [condition] },
      data: { postcondition: [condition] },
    });
    const { code, stderr } = await rnv({}, "plan");
    expect(code).toBe(1);
    expect(stderr).toContain("lifecycle.precondition is not supported by rnv");
    expect(stderr).toContain("/catalog: lifecycle.postcondition is not supported by rnv");
    expect(stderr).toContain("]: shop/shop/api: lifecycle.precondition");
    expect(stderr).toContain("run the stack with Terraform");
  });

  it("are judged for variables when the stack is read", async () => {
    synthesizeInto(scenario.folder, {
      validation: { condition: "${var.replicas < 5}", error_message: "at most four, not ${var.replicas}" },
    });
    expect((await rnv({}, "validate")).code).toBe(0);
    const refused = await rnv({ TF_VAR_replicas: "7" }, "validate");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("shop: var.replicas: at most four, not 7");
  });
});

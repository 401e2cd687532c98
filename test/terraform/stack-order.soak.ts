import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformStack, Testing } from "cdktn";
import {
  Deployment,
  fromEnv,
  Project,
  RnvProvider,
  Service,
  Variable,
} from "../../src/cdktf/generated/cdktn";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const configuration = (name: string) => ({ repository: `https://git.example.com/shop/${name}` });

/** Constructs in the worst order: what has to come last is declared first. */
function shop(services: readonly string[], level: string): string {
  const stack = new TerraformStack(Testing.app(), "shop");
  new RnvProvider(stack, "rnv");
  const project = new Project(stack, "shop");
  project.addLayout();
  for (const name of services) {
    const service = new Service(stack, name, {
      kind: "web",
      projectId: project.id,
      configuration: configuration(name),
    });
    if (name === "api") new Deployment(stack, "a-deploy", { service });
    else service.deployOnChange();
    new Variable(stack, `${name}-level`, { service, key: "LEVEL", value: level });
  }
  return Testing.synth(stack);
}

describeTerraform("a stack of constructs under Terraform", () => {
  const world = new TerraformFolder();
  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  /** What one apply wrote, after which nothing is left to do. */
  async function applied(stack: string): Promise<string[]> {
    writeFileSync(join(world.folder, "w", "cdk.tf.json"), stack);
    world.emulator.resetLog();
    await world.apply();
    await world.expectNoChanges();
    return world.writes();
  }

  it("needs one apply: every service has its place, and no deployment is before its variables", async () => {
    const writes = await applied(shop(["api", "worker"], "info"));
    expect(writes.indexOf("PATCH /canvas")).toBeGreaterThan(writes.lastIndexOf("POST /services"));
    const services = world.emulator.store.services();
    expect(services).toHaveLength(2);
    for (const { id } of services) {
      const variable = writes.indexOf(`POST /services/${id}/variables`);
      expect(variable).toBeGreaterThan(-1);
      expect(writes.indexOf(`POST /services/${id}/deploys`)).toBeGreaterThan(variable);
    }
  }, 60_000);

  it("needs one apply for another service and another value too", async () => {
    const writes = await applied(shop(["api", "worker", "front"], "debug"));
    expect(writes.indexOf("PATCH /canvas")).toBeGreaterThan(writes.indexOf("POST /services"));
    // One for each: every service has a variable of the new value.
    expect(writes.filter((one) => one.endsWith("/deploys"))).toHaveLength(3);
  }, 60_000);

  it("deploys for what a deployment brings, and for nothing else: as rnv itself", async () => {
    const small = (fields: Record<string, unknown> | undefined) => {
      const stack = new TerraformStack(Testing.app(), "shop");
      new RnvProvider(stack, "rnv");
      const project = new Project(stack, "shop");
      project
        .addService("api", { kind: "web", configuration: { ...configuration("api"), ...fields } })
        .deployOnChange();
      return Testing.synth(stack);
    };
    const deploysOf = async (fields: Record<string, unknown>) =>
      (await applied(small(fields))).filter((one) => one.endsWith("/deploys")).length;
    await world.run("destroy -auto-approve");
    await applied(small({}));
    expect(await deploysOf({ description: "Shop API", autoDeploy: "commit" })).toBe(0);
    expect(await deploysOf({ description: "Shop API", autoDeploy: "commit", branch: "release" })).toBe(1);
    expect(await deploysOf({ branch: "release" })).toBe(0);
  }, 60_000);

  it("sends a secret once for each value, and keeps it in no file", async () => {
    const stack = new TerraformStack(Testing.app(), "shop");
    new RnvProvider(stack, "rnv");
    const api = new Project(stack, "shop").addService("api", {
      kind: "web",
      configuration: configuration("api"),
    });
    api.addVariable("TOKEN", fromEnv("SHOP_TOKEN"));
    const text = Testing.synth(stack);
    const stored = () => {
      const [service] = world.emulator.store.services();
      const [variable] = world.emulator.store
        .variables(service?.id ?? "")
        .filter(({ key }) => key === "TOKEN");
      return world.emulator.store.variableValue(variable?.id ?? "");
    };
    for (const token of ["first-token-of-the-shop", "second-token-of-the-shop"]) {
      world.environment.TF_VAR_env_SHOP_TOKEN = token;
      expect((await applied(text)).filter((one) => one.includes("/variables"))).toHaveLength(1);
      expect(stored()).toBe(token);
      expect(readFileSync(join(world.folder, "w", "terraform.tfstate"), "utf8")).not.toContain(token);
    }
  }, 60_000);
});

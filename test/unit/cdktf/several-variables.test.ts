import { Construct } from "constructs";
import * as onCdktf from "../../../src/cdktf/cdktf";
import { createWorkbench, type Workbench } from "../../support/workbench";
import { onBoth } from "./both-libraries";
import { synthesizeStack } from "./synthesize";

describe.each(onBoth)("several variables of a service on %s", (_name, { library, constructs }) => {
  const { fromEnv, generate, Project, RnvProvider, Variables } = constructs;

  function written(values: onCdktf.VariablesProps["values"], change = (_made: onCdktf.Variables) => {}) {
    const app = library.Testing.app();
    const stack = new library.TerraformStack(app, "shop");
    new RnvProvider(stack, "rnv");
    const api = new Project(stack, "shop").addService("api", { kind: "web" });
    change(api.addVariables(values));
    return JSON.parse(library.Testing.synth(stack));
  }

  it("are one map, applied before the deployment, which follows their times", () => {
    const { resource } = written({ LEVEL: "info", PORT: "80" });
    expect(resource.rnv_variables.shop__api).toEqual({
      service_id: "${rnv_service.shop__api.id}",
      values: { LEVEL: "info", PORT: "80" },
    });
    expect(resource.rnv_deployment.shop__api).toMatchObject({
      depends_on: ["rnv_variables.shop__api"],
      triggers: {
        config: "${rnv_service.shop__api.revision}",
        "variable LEVEL": "${rnv_variables.shop__api.revision}",
      },
    });
  });

  it("are write-only where they are sources; the provider makes up what is generated", () => {
    const length = 32;
    const { resource, variable } = written({
      LEVEL: "info",
      TOKEN: fromEnv("TOKEN"),
      A: generate({ length }),
      B: generate({ length }),
    });
    const { values, values_wo, values_wo_version, generate: made } = resource.rnv_variables.shop__api;
    expect(made).toEqual({ A: { length }, B: { length } });
    expect(values).toEqual({ LEVEL: "info" });
    expect(values_wo).toEqual({ TOKEN: "${var.env_TOKEN}" });
    expect(values_wo_version).toContain("${var.env_TOKEN}");
    expect(Object.keys(variable)).toEqual(["env_TOKEN"]);
  });

  it("have the same version wherever their construct stands, and another version in another service", () => {
    const versions = (scopeId: string, name: string): readonly string[] => {
      const stack = new library.TerraformStack(library.Testing.app(), "shop");
      new RnvProvider(stack, "rnv");
      const scope = new Construct(stack, scopeId);
      const api = new Project(scope, "p", { name: "shop" }).addService("s", { kind: "web", name });
      api.addVariable("TOKEN", fromEnv("TOKEN"));
      api.addVariables({ A: fromEnv("A") });
      const { resource } = JSON.parse(library.Testing.synth(stack));
      const blocks = [...Object.values(resource.rnv_variable), ...Object.values(resource.rnv_variables)];
      return (blocks as { value_wo_version?: string; values_wo_version?: string }[]).map(
        (one) => one.value_wo_version ?? one.values_wo_version ?? "",
      );
    };
    const before = versions("eu", "api");
    expect(before).toEqual([
      expect.stringContaining('"shop/api/TOKEN ${var.env_TOKEN}"'),
      expect.stringContaining('"shop/api ${var.env_A}"'),
    ]);
    expect(versions("us", "api")).toEqual(before);
    expect(versions("eu", "worker")).not.toEqual(before);
  });

  it("are set again; an unused source is not declared", () => {
    const { resource, variable } = written({ TOKEN: fromEnv("TOKEN") }, (made) => {
      expect(made).toBeInstanceOf(Variables);
      made.values = { ...made.valuesInput, TOKEN: "text" };
    });
    expect(resource.rnv_variables.shop__api.values).toEqual({ TOKEN: "text" });
    expect(variable).toBeUndefined();
  });
});

describe("several variables of a service in a run", () => {
  const stack = { files: ["cdktf.out"] };
  let one: Workbench;
  beforeEach(() => {
    one = createWorkbench({ environment: { SHOP_TOKEN: "canary-token" } });
  });

  const declare = (define: (api: onCdktf.Service) => void): void =>
    synthesizeStack(one.folder, "shop", (made) => {
      const configuration = { repository: "https://git.example.com/shop" };
      const shop = new onCdktf.Project(made, "shop", { name: "Shop" });
      define(shop.addService("api", { kind: "web", configuration }));
    });

  it("are each a variable of its own, as in a manifest", async () => {
    declare((api) =>
      api.addVariables({ LEVEL: "info", TOKEN: onCdktf.fromEnv("SHOP_TOKEN"), URL: `${api.url}/v1` }),
    );
    const applied = await one.apply(stack);
    expect(applied.diagnostics).toEqual([]);
    const { plan } = await one.plan(stack);
    expect(plan?.changes.map(({ address, action }) => `${action} ${address}`)).toEqual([
      "no-op deployment.shop.api",
      "no-op project.shop",
      "no-op service.shop.api",
      "no-op variable.shop.api.LEVEL",
      "no-op variable.shop.api.TOKEN",
      "no-op variable.shop.api.URL",
    ]);
    const [api] = one.emulator.store.services();
    expect(one.emulator.store.deployments(api?.id ?? "")).toHaveLength(1);

    // One that is declared twice is an error; one that is declared otherwise is no change.
    declare((made) => {
      made.addVariable("LEVEL", "info");
      made.addVariables({ TOKEN: onCdktf.fromEnv("SHOP_TOKEN"), URL: `${made.url}/v1` });
    });
    expect(await one.acting(stack)).toEqual([]);
    declare((made) => {
      made.addVariable("LEVEL", "info");
      made.addVariables({}).addOverride("values.LEVEL", "debug");
    });
    expect((await one.plan(stack)).diagnostics.map(({ code }) => code)).toEqual(["stack.duplicate"]);
  });
});

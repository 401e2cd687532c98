import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import * as onCdktf from "../../../src/cdktf/cdktf";
import * as onCdktn from "../../../src/cdktf/cdktn";
import { createWorkbench, type Workbench } from "../../support/workbench";
import { synthesizeInto } from "./synthesize";

describe.each([
  ["cdktf", cdktf, onCdktf],
  ["cdktn", cdktn as unknown as typeof cdktf, onCdktn as unknown as typeof onCdktf],
] as const)("several variables of a service on %s", (_name, library, constructs) => {
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
      triggers: { shop__api__variables: "${jsonencode(rnv_variables.shop__api.updated_at)}" },
    });
  });

  it("are taken over where the program, or what looks at it later, says so", () => {
    const adopt = (change: (made: onCdktf.Variables) => void): unknown =>
      written({ LEVEL: "info" }, change).resource.rnv_variables.shop__api.adopt;
    expect(adopt(() => {})).toBeUndefined();
    expect(
      adopt((made) => {
        expect(made.adoptInput).toBeUndefined();
        made.adopt = true;
        expect(made.adoptInput).toBe(true);
      }),
    ).toBe(true);
    expect(
      adopt((made) => {
        made.adopt = true;
        made.resetAdopt();
      }),
    ).toBeUndefined();
  });

  it("are write-only where one of them is a source; each source is a variable of its own", () => {
    const length = 32;
    const { resource, variable } = written({
      LEVEL: "info",
      TOKEN: fromEnv("TOKEN"),
      A: generate({ length }),
      B: generate({ length }),
    });
    const { values, values_wo, values_wo_version } = resource.rnv_variables.shop__api;
    expect(values).toBeUndefined();
    expect(values_wo).toMatchObject({ LEVEL: "info", TOKEN: "${var.env_TOKEN}" });
    expect(new Set(Object.values(values_wo)).size).toBe(4);
    expect(values_wo_version).toContain("${var.env_TOKEN}");
    expect(Object.keys(variable)).toHaveLength(3);
  });

  it("are set anew; a source that nothing needs is declared no longer", () => {
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
  afterEach(() => one.remove());

  const declare = (define: (api: onCdktf.Service) => void): void =>
    synthesizeInto(one.folder, (app) => {
      const made = new cdktf.TerraformStack(app, "shop");
      new onCdktf.RnvProvider(made, "rnv");
      const configuration = { repository: "https://git.example.com/shop" };
      define(new onCdktf.Project(made, "shop", { name: "Shop" }).addService("api", {
        kind: "web",
        configuration,
      }));
      return made;
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
    expect((await one.plan(stack)).plan?.changes.every(({ action }) => action === "no-op")).toBe(true);
    declare((made) => {
      made.addVariable("LEVEL", "info");
      made.addVariables({ LEVEL: "debug" });
    });
    expect((await one.plan(stack)).diagnostics.map(({ code }) => code)).toEqual(["stack.duplicate"]);
  });

  it("that are an expression as a whole are refused with what to write", async () => {
    declare((api) => new onCdktf.Variables(api, "more", { values: {} }).addOverride("values", "${var.all}"));
    const { diagnostics } = await one.plan(stack);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: "stack.unsupported",
        summary: expect.stringContaining(
          "shop/shop/api/more (rnv_variables.shop__api__more): a map of variables whose names",
        ),
      }),
    );
  });
});

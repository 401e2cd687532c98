import type * as cdktf from "cdktf";
import type { IConstruct } from "constructs";
import type * as onCdktf from "../../../src/cdktf/cdktf";
import { onShare } from "./both-libraries";

type Blocks = Record<string, Record<string, Record<string, unknown>>>;

describe.each(onShare)("the fields of the constructs on %s", (_name, on) => {
  const { library, constructs } = on;
  const { DataRnvService, Project, RnvProvider, Service, Variable, fromEnv } = constructs;

  function written(define: (stack: cdktf.TerraformStack) => void): {
    resource: Blocks;
    data: Blocks;
    variable?: Blocks;
    import?: unknown;
    provider: { rnv: readonly Record<string, unknown>[] };
  } {
    const app = library.Testing.app();
    const stack = new library.TerraformStack(app, "shop");
    new RnvProvider(stack, "rnv");
    define(stack);
    return JSON.parse(library.Testing.synth(stack));
  }

  it("hold no number that JSON cannot hold: it would reset the field", () => {
    const stack = new library.TerraformStack(library.Testing.app(), "shop");
    const web = (configuration: object) => new Service(stack, "api", { kind: "web", configuration });
    expect(() => web({ port: Number("x") })).toThrow("port of configuration of rnv_service shop/api is NaN");
    const job = new Service(stack, "job", { kind: "worker" });
    expect(() => {
      job.configuration.replicas = Number.POSITIVE_INFINITY;
    }).toThrow("is Infinity");
  });

  it("are references where they are read, and what the program gave as Input", () => {
    const { resource } = written((stack) => {
      const shop = new Project(stack, "shop", { name: "Shop" });
      const api = shop.addService("api", {
        kind: "web",
        configuration: { replicas: 2, ignorePaths: ["docs"], backupEnabled: false },
      });
      expect([shop.nameInput, api.nameInput, api.kindInput]).toEqual(["Shop", "api", "web"]);
      expect(api.configuration.replicasInput).toBe(2);
      expect(api.configuration.portInput).toBeUndefined();
      expect(api.configurationInput).toEqual({ replicas: 2, ignorePaths: ["docs"], backupEnabled: false });
      expect(api.timeoutsInput).toBeUndefined();
      expect(api.projectIdInput).toBe(shop.id);
      new Service(stack, "copy", {
        kind: api.kind,
        name: `${shop.name}-copy`,
        configuration: {
          replicas: api.configuration.replicas,
          ignorePaths: api.configuration.ignorePaths,
          backupEnabled: api.configuration.backupEnabled,
        },
      });
      new library.TerraformOutput(stack, "all", { value: api.configuration });
    });
    expect(resource.rnv_service?.copy).toMatchObject({
      kind: "${rnv_service.shop__api.kind}",
      name: "${rnv_project.shop.name}-copy",
      configuration: {
        replicas: "${rnv_service.shop__api.configuration.replicas}",
        ignore_paths: "${rnv_service.shop__api.configuration.ignore_paths}",
        backup_enabled: "${rnv_service.shop__api.configuration.backup_enabled}",
      },
    });
  });

  it("are set, put and reset by an aspect, before they are written", () => {
    const { resource, variable = {} } = written((stack) => {
      const shop = new Project(stack, "shop", { name: "Shop", description: "Online", color: "#fff" });
      const api = shop.addService("api", { kind: "web", configuration: { replicas: 1, branch: "dev" } });
      const worker = shop.addService("worker", { kind: "web", configuration: { replicas: 3 } });
      const token = api.addVariable("TOKEN", fromEnv("OLD_TOKEN"));
      new Variable(api, "LEVEL", { value: "info" });
      const other = new Project(stack, "other");
      other.addLayout();
      library.Aspects.of(stack).add({
        visit(node: IConstruct) {
          if (node instanceof Service) {
            if ((node.configuration.replicasInput ?? 1) < 2) node.configuration.replicas = 2;
            node.configuration.resetBranch();
          }
          if (node === shop) {
            shop.name = "Store";
            shop.resetDescription();
            shop.putTimeouts({ create: "5m" });
          }
          if (node === worker) {
            worker.putConfiguration({ port: 9000 });
            worker.resetName();
            worker.projectId = other.id;
          }
          if (node === token) token.value = fromEnv("NEW_TOKEN");
          if (node instanceof Variable && node.keyInput === "LEVEL") node.value = "debug";
        },
      });
    });
    expect(resource.rnv_project?.shop).toMatchObject({
      name: "Store",
      color: "#fff",
      timeouts: { create: "5m" },
    });
    expect(resource.rnv_project?.shop).not.toHaveProperty("description");
    expect(resource.rnv_service?.shop__api?.configuration).toEqual({ replicas: 2 });
    expect(resource.rnv_service?.shop__worker).toMatchObject({
      name: "worker",
      project_id: "${rnv_project.other.id}",
      configuration: { port: 9000 },
    });
    // The order that Terraform is told follows the parent that was set.
    expect(resource.rnv_canvas_layout?.other).toMatchObject({ depends_on: ["rnv_service.shop__worker"] });
    expect(resource.rnv_variable?.shop__api__LEVEL).toMatchObject({ value: "debug" });
    expect(resource.rnv_variable?.shop__api__TOKEN).toMatchObject({ value_wo: "${var.env_NEW_TOKEN}" });
    // An unused source has no variable.
    expect(Object.keys(variable)).toEqual(["env_NEW_TOKEN"]);
  });

  it("are not written where they are undefined, whatever their kind", () => {
    const { resource } = written((stack) => {
      const none = { configuration: undefined, timeouts: undefined };
      new Project(stack, "shop", { description: undefined }).addService("api", { kind: "web", ...none });
    });
    expect(resource.rnv_project?.shop).not.toHaveProperty("description");
    expect(resource.rnv_service?.shop__api).not.toHaveProperty("configuration");
  });

  it("are what a data source shows, and its query is read and set", () => {
    const { data, resource } = written((stack) => {
      const theirs = new DataRnvService(stack, "theirs", { name: "api", dependsOn: [] });
      expect([theirs.nameInput, theirs.idInput]).toEqual(["api", undefined]);
      theirs.name = "web";
      theirs.projectId = "p1";
      new Service(stack, "mine", { kind: theirs.kind, configuration: { port: theirs.configuration.port } });
    });
    expect(data.rnv_service?.theirs).toMatchObject({ name: "web", project_id: "p1" });
    expect(resource.rnv_service?.mine).toMatchObject({
      kind: "${data.rnv_service.theirs.kind}",
      configuration: { port: "${data.rnv_service.theirs.configuration.port}" },
    });
  });

  it("are all that the provider takes; a key that is given by its source is a sensitive variable", () => {
    const app = library.Testing.app();
    const stack = new library.TerraformStack(app, "shop");
    const provider = new RnvProvider(stack, "rnv", {
      baseUrl: "https://rnv.example.com/api/v1",
      workspaceId: "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f",
      apiKey: fromEnv("RNV_API_KEY"),
      maxConcurrency: 8,
      deletionProtection: true,
      acceptMissing: false,
      alias: "eu",
    });
    provider.maxConcurrency = 4;
    provider.resetAcceptMissing();
    expect([provider.baseUrlInput, provider.alias]).toEqual(["https://rnv.example.com/api/v1", "eu"]);
    const { provider: made, variable } = JSON.parse(library.Testing.synth(stack));
    expect(made.rnv[0]).toEqual({
      base_url: "https://rnv.example.com/api/v1",
      workspace_id: "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f",
      api_key: "${var.env_RNV_API_KEY}",
      max_concurrency: 4,
      deletion_protection: true,
      alias: "eu",
    });
    expect(variable.env_RNV_API_KEY).toMatchObject({ sensitive: true });
    const wrong = { baseURL: "x" } as unknown as onCdktf.RnvProviderProps;
    expect(() => new RnvProvider(stack, "two", wrong)).toThrow('has no field "baseURL"');
  });
});

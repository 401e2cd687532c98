import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import { Construct } from "constructs";
import { onShare } from "./both-libraries";

type Resources = Record<string, Record<string, Record<string, unknown>>>;

/** Programs as users write them: each is synthesized, or refused with what to write. */
describe.each(onShare)("programs on %s", (_name, { library, constructs }) => {
  const {
    CanvasLayout,
    DataRnvProject,
    Deployment,
    fromEnv,
    generate,
    Project,
    RnvProvider,
    Service,
    Variable,
    Variables,
  } = constructs;
  const { Fn, TerraformCount, TerraformIterator, TerraformVariable } = library;

  let stack: cdktf.TerraformStack;
  beforeEach(() => {
    stack = new library.TerraformStack(library.Testing.app(), "shop");
    new RnvProvider(stack, "rnv");
  });
  const written = (): Resources => JSON.parse(library.Testing.synth(stack)).resource;

  describe("a token in place of a map", () => {
    const settings = () => new TerraformVariable(stack, "settings", { type: "map(string)" });

    it("is refused by addVariables, the constructor and the setter of values", () => {
      const services = ["a", "b", "c", "d", "e"].map((id) => new Service(stack, id, { kind: "web" }));
      const all = settings();
      const maps = [Fn.merge([{ A: "1" }, { B: "2" }]), all.value, all.stringValue, all.listValue];
      for (const map of [...maps, library.Token.asStringMap(all.value)])
        expect(() => services.pop()?.addVariables(map)).toThrow(
          "/variables is a token, and its names must be known. " +
            "Write { NAME: value }, where each value may be a token",
        );
      const made = new Variables(new Service(stack, "api", { kind: "web" }), "more", { values: { A: "1" } });
      expect(() => {
        made.values = all.value;
      }).toThrow("values of rnv_variables shop/api/more is a token");
    });

    it("is refused as configuration and timeouts, also that of another construct", () => {
      const { value } = settings();
      const api = new Service(stack, "api", { kind: "web" });
      for (const [id, configuration] of Object.entries({ b: value, c: api.configuration as never }))
        expect(() => new Service(stack, id, { kind: "web", configuration })).toThrow(
          `configuration of rnv_service shop/${id} is a token`,
        );
      expect(() => api.putConfiguration(value)).toThrow("configuration of rnv_service shop/api is a token");
      expect(() => ({ ...api.configuration, replicas: 2 })).toThrow(
        "the configuration of shop/api is a reference, and its fields cannot be spread. " +
          "Write { ...configurationInput, … } with what the program gave",
      );
      expect(() => new Project(stack, "p", { timeouts: value })).toThrow("timeouts of rnv_project shop/p is");
    });
  });

  describe("a name in the stack", () => {
    it("is free again when its construct is removed or has another name", () => {
      const project = new Project(stack, "shop");
      const first = project.addService("api", { kind: "web" });
      const second = new Service(stack, "shop__api", { kind: "web" });
      second.overrideLogicalId("other");
      expect(Object.keys(written().rnv_service ?? {})).toEqual(["other", "shop__api"]);
      project.node.tryRemoveChild(first.node.id);
      second.overrideLogicalId("shop__api");
      expect(Object.keys(written().rnv_service ?? {})).toEqual(["shop__api"]);
    });

    it("on the platform belongs to one resource of a place", () => {
      const project = new Project(stack, "shop");
      for (const id of ["a", "b"]) project.addService(id, { kind: "web", name: "api" });
      new Service(stack, "c", { kind: "web", name: "api" });
      expect(written).toThrow(
        'shop/shop/a and shop/shop/b are both the service "api" in one place. Give one of them another name',
      );
      project.node.tryRemoveChild("b");
      expect(Object.keys(written().rnv_service ?? {})).toEqual(["c", "shop__a"]);
    });

    it("on the platform belongs to one resource of a workspace, whatever its provider is", () => {
      new Service(stack, "c", { kind: "web", name: "api" });
      const other = new RnvProvider(stack, "eu", { alias: "eu", maxConcurrency: 4 });
      new Service(stack, "d", { kind: "web", name: "api", provider: other });
      expect(written).toThrow('shop/c and shop/d are both the service "api" in one place');
      other.workspaceId = "6f1c0000-0000-4000-8000-000000000002";
      expect(Object.keys(written().rnv_service ?? {})).toEqual(["c", "d"]);
      const [own] = stack.node.children.filter((one) => one instanceof RnvProvider);
      Object.assign(own as object, { workspaceId: other.workspaceId });
      expect(written).toThrow('are both the service "api" in one place');
    });

    it("belongs to one part of a service or a project", () => {
      const project = new Project(stack, "shop");
      const api = project.addService("api", { kind: "web" });
      api.addVariable("A", "1");
      api.addVariables({ A: "2", B: "3" });
      expect(written).toThrow(
        'shop/shop/api/A and shop/shop/api/variables are both the variable "A" of shop/shop/api. Remove one of them',
      );
      api.node.tryRemoveChild("A");
      expect(written().rnv_variables).toMatchObject({ shop__api: { values: { A: "2", B: "3" } } });
      const [first] = ["first", "second"].map((id) => new Deployment(stack, id, { service: api }));
      expect(written).toThrow("shop/first and shop/second are both the deployment of shop/shop/api");
      stack.node.tryRemoveChild(`${first?.node.id}`);
      project.addLayout();
      new CanvasLayout(stack, "layout", { project, positions: "auto" });
      expect(written).toThrow("shop/shop/layout and shop/layout are both the layout of shop/shop");
    });

    it("belongs to one data source too", () => {
      for (const id of ["a", "b"])
        new DataRnvProject(stack, id, { name: "Theirs" }).overrideLogicalId("theirs");
      expect(written).toThrow("shop/a and shop/b are both data.rnv_project.theirs");
    });

    it("is that of its deployment, its variables and all references where it is overridden", () => {
      const team = new Construct(stack, "team");
      const api = new Service(team, "api", { kind: "web", configuration: { port: 8080 } });
      const url = `${api.url}/v1`;
      api.addVariable("TOKEN", fromEnv("TOKEN"));
      api.overrideLogicalId("front");
      const worker = new Service(stack, "worker", { kind: "worker" });
      worker.addVariable("API", url);
      worker.addVariable("HOST", Fn.join(":", [api.internalHost, Fn.tostring(api.configuration.port)]));
      const { rnv_deployment, rnv_service, rnv_variable } = written();
      expect(Object.keys(rnv_service ?? {})).toEqual(["front", "worker"]);
      expect(rnv_deployment?.front).toMatchObject({
        service_id: "${rnv_service.front.id}",
        depends_on: ["rnv_variable.front__TOKEN"],
        triggers: { config: "${rnv_service.front.revision}" },
      });
      expect(rnv_variable).toMatchObject({
        front__TOKEN: { service_id: "${rnv_service.front.id}" },
        worker__API: { value: "${rnv_service.front.url}/v1" },
        worker__HOST: {
          value:
            '${join(":", [rnv_service.front.internal_host, tostring(rnv_service.front.configuration.port)])}',
        },
      });
    });
  });

  describe("the value of a variable", () => {
    it("is a reference wherever it is used, and its text only in its own block", () => {
      const api = new Service(stack, "api", { kind: "web" });
      const token = api.addVariable("TOKEN", "plain-secret-123");
      api.addVariable("COPY", token.value);
      api.addVariable("URL", `https://user:${token.value}@example.com`);
      api.addVariables({ UPPER: Fn.upper(token.value) });
      api.configuration.startCommand = `run ${token.value}`;
      new library.TerraformOutput(stack, "tok", { value: token.value });
      const text = JSON.stringify(JSON.parse(library.Testing.synth(stack)));
      expect(text.split("plain-secret-123")).toHaveLength(2);
      const { resource, output } = JSON.parse(text);
      expect(output.tok.value).toBe("${rnv_variable.api__TOKEN.value}");
      expect(resource.rnv_service.api.configuration.start_command).toBe(
        "run ${rnv_variable.api__TOKEN.value}",
      );
      expect(resource.rnv_variables.api.values).toEqual({ UPPER: "${upper(rnv_variable.api__TOKEN.value)}" });
      expect(resource.rnv_variable).toMatchObject({
        api__TOKEN: { value: "plain-secret-123" },
        api__COPY: { value: "${rnv_variable.api__TOKEN.value}" },
        api__URL: { value: "https://user:${rnv_variable.api__TOKEN.value}@example.com" },
      });
    });

    it("is refused where it is a secret, is made up or is set elsewhere", () => {
      const api = new Service(stack, "api", { kind: "web" });
      const token = api.addVariable("TOKEN", fromEnv("TOKEN"));
      expect(() => token.value).toThrow(
        "the value of rnv_variable shop/api/TOKEN cannot be read: it is a secret. Give the other field the same source",
      );
      for (const [key, value] of [
        ["MADE", generate({ length: 32 })],
        ["KEPT", { preserve: true }],
      ] as const)
        expect(() => api.addVariable(key, value).value).toThrow("it is known to the platform alone");
    });

    it("is refused at synthesis where it becomes a secret after it was read", () => {
      const api = new Service(stack, "api", { kind: "web" });
      const level = api.addVariable("LEVEL", "info");
      api.addVariable("COPY", level.value);
      level.value = fromEnv("LEVEL");
      expect(written).toThrow("the value of rnv_variable shop/api/LEVEL cannot be read");
    });
  });

  describe("a field of another construct", () => {
    const synthesized = (): void => {
      stack.prepareStack();
      library.Aspects.of(stack).add({
        visit: (node) => {
          if (node instanceof Service && node.nameInput === "later") node.configuration.port = 80;
        },
      });
      library.Testing.synth(stack, true);
    };

    it("is refused where only an aspect refers to it", () => {
      const { configuration } = new Service(stack, "api", { kind: "web" });
      const worker = new Service(stack, "worker", { kind: "worker" });
      const aspect = { visit: () => worker.putConfiguration({ port: configuration.port }) };
      library.Aspects.of(stack).add(aspect);
      expect(synthesized).toThrow("shop/api does not declare: its value is not known while planning");
      expect(synthesized).toThrow("declare it there: configuration: { port: … }");
    });
  });

  describe("count and forEach", () => {
    it.each([
      ["Variable", { key: "A", value: "1" }],
      ["Variables", { values: { A: "1" } }],
    ] as const)("are refused with a loop on a %s of a deployed service", (kind, props) => {
      const api = new Service(stack, "api", { kind: "web" });
      const forEach = TerraformIterator.fromList(["a"]);
      new (constructs[kind] as typeof Variable)(api, "each", { ...props, forEach } as never);
      expect(written).toThrow(
        "shop/api/each has forEach, and shop/api/deploy is triggered by one instance. Write a loop in the program: " +
          "for (const [key, value] of Object.entries(values)) service.addVariable(key, value)",
      );
    });

    const several = (): Record<string, object> => ({
      count: { count: TerraformCount.of(2) },
      forEach: { forEach: TerraformIterator.fromList(["a", "b"]) },
    });

    it.each(["count", "forEach"])("are refused on a service (%s) with what belongs to it", (key) => {
      new Service(stack, "api", { kind: "web", ...several()[key] });
      expect(written).toThrow(`shop/api has ${key}, and shop/api/deploy belongs to one instance of it.`);
    });
  });

  describe("the provider", () => {
    it("has one configuration without an alias, and a single configuration of each alias", () => {
      new RnvProvider(stack, "second");
      expect(written).toThrow(
        "shop/rnv and shop/second are both the provider rnv without an alias. Give one of them another alias",
      );
      stack.node.tryRemoveChild("second");
      for (const id of ["eu", "europe"]) new RnvProvider(stack, id, { alias: "eu" });
      expect(written).toThrow('shop/eu and shop/europe are both the provider rnv with the alias "eu"');
      stack.node.tryRemoveChild("europe");
      expect(written).not.toThrow();
    });
  });

  it("are one program where they load two copies of the package", () => {
    let other = constructs;
    jest.isolateModules(() => {
      jest.doMock("cdktf", () => cdktf);
      jest.doMock("cdktn", () => cdktn);
      other = require(
        library === cdktf ? "../../../src/cdktf/cdktf" : "../../../src/cdktf/generated/cdktn",
      ) as typeof constructs;
    });
    expect(other.Service).not.toBe(Service);
    const shop = new Project(stack, "shop");
    const api = new other.Service(shop, "api", { kind: "web" });
    api.addVariable("TOKEN", fromEnv("TOKEN"));
    new Variable(api, "OTHER", { value: other.fromEnv("TOKEN") });
    shop.addLayout();
    constructs.confirmRemoved(stack, "service.shop.a");
    other.confirmRemoved(stack, "service.shop.b");
    const text = JSON.parse(library.Testing.synth(stack));
    expect(text.resource).toMatchObject({
      rnv_service: { shop__api: { project_id: "${rnv_project.shop.id}" } },
      rnv_variable: {
        shop__api__TOKEN: { value_wo: "${var.env_TOKEN}" },
        shop__api__OTHER: { value_wo: "${var.env_TOKEN}", service_id: "${rnv_service.shop__api.id}" },
      },
      rnv_canvas_layout: { shop: { depends_on: ["rnv_service.shop__api"] } },
    });
    expect(text.resource.rnv_deployment.shop__api.depends_on).toHaveLength(2);
    expect(text.removed).toHaveLength(2);
  });
});

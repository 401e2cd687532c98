import { TerraformOutput, TerraformStack, Testing } from "cdktf";
import { Construct } from "constructs";
import {
  Deployment,
  fromEnv,
  generate,
  Project,
  RnvProvider,
  Service,
  Variable,
} from "../../../src/cdktf/cdktf";
import { resourceTypes } from "../../../src/resources";

const newStack = (): TerraformStack => {
  const stack = new TerraformStack(Testing.app(), "shop");
  new RnvProvider(stack, "rnv");
  return stack;
};

const resources = (stack: TerraformStack): Record<string, Record<string, Record<string, unknown>>> =>
  JSON.parse(Testing.synth(stack)).resource;

describe("the constructs", () => {
  it("have a token for every computed attribute but those that move by themselves", () => {
    const stack = newStack();
    const project = new Project(stack, "shop");
    const service = project.addService("api", { kind: "web" });
    const constructs: Record<string, object> = {
      project,
      service,
      variable: service.addVariable("A", "a"),
      deployment: service.deployOnChange(),
      layout: project.addLayout(),
    };
    for (const { type, computed } of resourceTypes)
      for (const [name, { movesByItself }] of Object.entries(computed)) {
        if (movesByItself) {
          // Terraform's resources do not have it: a program that read it would fail there alone.
          expect([type, name, name in (constructs[type] as object)]).toEqual([type, name, false]);
          continue;
        }
        const token = (constructs[type] as Record<string, unknown>)[name];
        const kinds: Record<string, string> = {
          string: "string",
          number: "number",
          json: "object",
          boolean: "object",
        };
        expect([type, name, typeof token]).toEqual([type, name, kinds[computed[name]?.valueType ?? ""]]);
        new TerraformOutput(stack, `${type}-${name}`, { value: token });
      }
    const { output } = JSON.parse(Testing.synth(stack)) as { output: Record<string, { value: string }> };
    expect(output["service-internalHost"]?.value).toBe("${rnv_service.shop__api.internal_host}");
    expect(output["layout-revision"]?.value).toBe("${rnv_canvas_layout.shop.revision}");
  });

  it("refuse a field that the type does not have, and say which was meant", () => {
    const stack = newStack();
    const wrong = { kind: "web", configuration: { runtmie: "node" } };
    // @ts-expect-error The field is misspelt.
    expect(() => new Service(stack, "api", wrong)).toThrow('has no field "runtmie": did you mean "runtime"?');
    expect(() => new Service(stack, "b", { ...wrong, configuration: {}, knd: 1 } as never)).toThrow(
      'no field "knd"',
    );
  });

  it("take the nearest parent above, whatever constructs lie between", () => {
    const stack = newStack();
    const module = new Construct(new Project(stack, "shop"), "backend");
    const service = new Service(module, "api", { kind: "web" });
    new Variable(new Construct(service, "settings"), "LEVEL", { value: "info" });
    const { rnv_service, rnv_variable } = resources(stack);
    expect(Object.values(rnv_service ?? {})).toMatchObject([{ project_id: "${rnv_project.shop.id}" }]);
    const [name] = Object.keys(rnv_service ?? {});
    expect(Object.values(rnv_variable ?? {})).toMatchObject([{ service_id: `\${rnv_service.${name}.id}` }]);
  });

  it("deploy a service when it changes, as a manifest does, unless the program says otherwise", () => {
    const stack = newStack();
    const project = new Project(stack, "shop");
    const configuration = { repository: "https://git.example.com/shop" };
    const add = (id: string, deploy?: ConstructorParameters<typeof Service>[2]["deploy"]) =>
      project.addService(id, { kind: "web", configuration, ...(deploy && { deploy }) });
    add("plain");
    add("timed", { when: "always", timeout: "5m" });
    add("quiet", { when: "never" });
    add("asked", { timeout: "5m" }).deployOnChange({ timeout: "9m" });
    new Deployment(stack, "own", { service: add("other"), when: "always" });
    expect(resources(stack).rnv_deployment).toMatchObject({
      shop__plain: { service_id: "${rnv_service.shop__plain.id}", triggers: expect.anything() },
      shop__timed: { when: "always", timeout: "5m" },
      shop__quiet: { when: "never" },
      shop__asked: { timeout: "9m" },
      own: { service_id: "${rnv_service.shop__other.id}", when: "always" },
    });
    expect(Object.keys(resources(stack).rnv_deployment ?? {})).toHaveLength(5);
  });

  it("name members of a construct of one's own after the library's name for it", () => {
    const stack = newStack();
    const module = new Construct(stack, "backend");
    const project = new Project(module, "shop", { name: "Shop" });
    project.addService("api", { kind: "web" });
    const named = new Project(module, "other");
    named.overrideLogicalId("fixed");
    named.addService("api", { kind: "web" });
    const names = Object.keys(resources(stack).rnv_service ?? {});
    expect(names).toEqual([expect.stringMatching(/^backend_shop_[0-9A-F]{8}__api$/), "fixed__api"]);
  });

  it("share one variable for one source; the provider generates values and has no variable for them", () => {
    const stack = newStack();
    const service = new Service(stack, "api", { kind: "web" });
    for (const key of ["A", "B"]) service.addVariable(key, fromEnv("TOKEN"));
    for (const key of ["C", "D"]) service.addVariable(key, generate({ length: 32 }));
    stack.addOverride("variable.env_TOKEN.default", "of the program");
    const { variable, resource } = JSON.parse(Testing.synth(stack));
    expect(Object.keys(variable)).toEqual(["env_TOKEN"]);
    expect(variable.env_TOKEN).toMatchObject({ sensitive: true, default: "of the program" });
    expect(resource.rnv_variable.api__C).toEqual({
      ...{ key: "C", service_id: "${rnv_service.api.id}" },
      generate: { length: 32 },
    });
  });

  it("do not let a secret source stand inside text", () => {
    expect(() => `postgres://${fromEnv("PASSWORD")}@db`).toThrow(
      "a secret source is not allowed inside text",
    );
  });
});

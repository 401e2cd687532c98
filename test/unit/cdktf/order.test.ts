import type * as cdktf from "cdktf";
import { onShare } from "./both-libraries";

type Resources = Record<string, Record<string, Record<string, unknown>>>;
type Define = (stack: cdktf.TerraformStack, app: cdktf.App) => void;

describe.each(onShare)("the order that a stack on %s tells Terraform", (_name, on) => {
  const { library } = on;
  const { Deployment, Project, RnvProvider, Service, Variable } = on.constructs;

  /** The resources as they are written by `app.synth()`: prepared first, which resolves everything once before. */
  function written(define: Define): Resources {
    const app = library.Testing.app();
    const stack = new library.TerraformStack(app, "shop");
    new RnvProvider(stack, "rnv");
    define(stack, app);
    for (const one of app.node.children) if (library.TerraformStack.isStack(one)) one.prepareStack();
    return JSON.parse(library.Testing.synth(stack)).resource;
  }

  it("puts a layout after the services of its project, whoever declares them, and no others", () => {
    const { rnv_canvas_layout } = written((stack) => {
      const shop = new Project(stack, "shop");
      shop.addLayout();
      shop.addService("api", { kind: "web" });
      new Service(stack, "worker", { kind: "worker", projectId: shop.id });
      new Project(stack, "other").addService("api", { kind: "web" });
      new Service(stack, "alone", { kind: "web" });
    });
    expect(rnv_canvas_layout?.shop).toMatchObject({
      depends_on: ["rnv_service.shop__api", "rnv_service.worker"],
      triggers: {
        "service api": "${rnv_service.shop__api.id}",
        "service worker": "${rnv_service.worker.id}",
      },
    });
  });

  it("runs a layout again for another service only where every service is given a place", () => {
    const { rnv_canvas_layout } = written((stack) => {
      const shop = new Project(stack, "shop");
      shop.addService("api", { kind: "web" });
      shop.addLayout({ positions: { api: { x: 1, y: 2 } } });
      new Project(stack, "empty").addLayout();
    });
    expect(rnv_canvas_layout?.shop).toMatchObject({ depends_on: ["rnv_service.shop__api"] });
    for (const layout of Object.values(rnv_canvas_layout ?? {}))
      expect(layout).not.toHaveProperty("triggers");
    expect(rnv_canvas_layout?.empty).not.toHaveProperty("depends_on");
  });

  it("puts a deployment after the variables of its service and what it was told to wait for", () => {
    const { rnv_deployment } = written((stack) => {
      const api = new Service(stack, "api", { kind: "web" });
      const worker = new Service(stack, "worker", { kind: "worker" });
      new Deployment(stack, "deploy", { service: api, dependsOn: [worker] });
      new Variable(stack, "level", { service: api, key: "LEVEL", value: "info" });
      new Variable(stack, "region", { serviceId: api.id, key: "REGION", value: "eu" });
      worker.addVariable("LEVEL", "info");
      worker.deployOnChange();
    });
    expect(rnv_deployment?.deploy?.depends_on).toEqual([
      "rnv_service.worker",
      "rnv_variable.level",
      "rnv_variable.region",
    ]);
    expect(rnv_deployment?.deploy).toMatchObject({
      triggers: { config: "${rnv_service.api.revision}", "variable LEVEL": "${rnv_variable.level.revision}" },
    });
    expect(rnv_deployment?.worker).toMatchObject({
      depends_on: ["rnv_variable.worker__LEVEL"],
      triggers: { "variable LEVEL": "${rnv_variable.worker__LEVEL.revision}" },
    });
  });

  it("moves what belongs to a service that is moved to another construct", () => {
    const app = library.Testing.app();
    const stack = new library.TerraformStack(app, "shop");
    new RnvProvider(stack, "rnv");
    const [before, after] = ["before", "after"].map(
      (id) => new Service(stack, id, { kind: "web", name: "api" }),
    );
    for (const service of [before, after]) service?.addVariable("LEVEL", "info");
    before?.addVariable("OLD", "1");
    before?.moveTo("api");
    after?.addMoveTarget("api");
    const { moved, resource } = JSON.parse(library.Testing.synth(stack));
    expect(moved).toEqual([
      { from: "rnv_service.before", to: "rnv_service.after" },
      { from: "rnv_deployment.before", to: "rnv_deployment.after" },
      { from: "rnv_variable.before__LEVEL", to: "rnv_variable.after__LEVEL" },
    ]);
    expect(resource).toMatchObject({ rnv_deployment: { after: {} }, rnv_variable: { after__LEVEL: {} } });
    expect(Object.keys(resource.rnv_variable)).toEqual(["after__LEVEL"]);
  });
});

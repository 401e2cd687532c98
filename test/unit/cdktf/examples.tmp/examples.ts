import { TerraformOutput, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { CanvasLayout, DataRnvCanvas, DataRnvCatalog, DataRnvDeployment, DataRnvDeployments, DataRnvProject, DataRnvProjects, DataRnvService, DataRnvServices, DataRnvVariables, Deployment, Project, RnvProvider, Service, Variable, Variables, confirmRemoved, fromCommand, fromEnv, fromFile, generate } from "../../../../src/cdktf/cdktf";
export const used = [TerraformOutput, CanvasLayout, DataRnvCanvas, DataRnvCatalog, DataRnvDeployment, DataRnvDeployments, DataRnvProject, DataRnvProjects, DataRnvService, DataRnvServices, DataRnvVariables, Deployment, Project, RnvProvider, Service, Variable, Variables, confirmRemoved, fromCommand, fromEnv, fromFile, generate];

export class ExampleOfconfirmRemoved extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    confirmRemoved(this, "service.shop.worker", "service.shop.old-site");

  }
}

export class ExampleOffromEnv extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
api.addVariable("TOKEN", fromEnv("SHOP_TOKEN"));

  }
}

export class ExampleOffromFile extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
api.addVariable("LICENSE", fromFile("secrets/license.txt"));

  }
}

export class ExampleOffromCommand extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
api.addVariable("KEY", fromCommand({ env: ["VAULT_ADDR"] }, "vault", "read", "-field=key", "secret/shop"));

  }
}

export class ExampleOfgenerate extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
api.addVariable("SESSION_KEY", generate({ length: 32 }));

  }
}

export class ExampleOfRnvProvider extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    
    new RnvProvider(this, "rnv");

  }
}

export class ExampleOfProject extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const shop = new Project(this, "shop", { name: "Shop" });
shop.addService("api", { kind: "web" });

  }
}

export class ExampleOfService extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", {
  kind: "web",
  configuration: { repository: "https://git.example.com/shop/api", runtime: "node" },
});
api.addVariable("LOG_LEVEL", "info");

  }
}

export class ExampleOfVariable extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
new Variable(api, "TOKEN", { value: fromEnv("TOKEN") });

  }
}

export class ExampleOfVariables extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
new Variables(api, "common", { values: { LOG_LEVEL: "info", TOKEN: fromEnv("TOKEN") } });

  }
}

export class ExampleOfDeployment extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
new Deployment(this, "release", { service: api, timeout: "20m" });

  }
}

export class ExampleOfCanvasLayout extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const shop = new Project(this, "shop");
shop.addService("api", { kind: "web" });
new CanvasLayout(this, "layout", { project: shop, positions: { api: { x: 0, y: 0 } } });

  }
}

export class ExampleOfDataRnvCatalog extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const catalog = new DataRnvCatalog(this, "catalog");
new TerraformOutput(this, "runtimes", { value: catalog.runtimes });

  }
}

export class ExampleOfDataRnvProject extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const platform = new DataRnvProject(this, "platform", { name: "Platform" });
new Service(this, "api", { kind: "web", projectId: platform.id });

  }
}

export class ExampleOfDataRnvService extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const platform = new DataRnvProject(this, "platform", { name: "Platform" });
const auth = new DataRnvService(this, "auth", { name: "auth", projectId: platform.id });
const api = new Service(this, "api", { kind: "web" });
api.addVariable("AUTH_URL", auth.url);

  }
}

export class ExampleOfDataRnvProjects extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const all = new DataRnvProjects(this, "all");
new TerraformOutput(this, "projects", { value: all.projects });

  }
}

export class ExampleOfDataRnvServices extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const shop = new Project(this, "shop");
const all = new DataRnvServices(this, "all", { projectId: shop.id });
new TerraformOutput(this, "services", { value: all.services });

  }
}

export class ExampleOfDataRnvDeployment extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
const serving = new DataRnvDeployment(this, "serving", { serviceId: api.id });
new TerraformOutput(this, "commit", { value: serving.commitSha });

  }
}

export class ExampleOfDataRnvDeployments extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
const past = new DataRnvDeployments(this, "past", { serviceId: api.id, limit: 5 });
new TerraformOutput(this, "deployments", { value: past.items });

  }
}

export class ExampleOfDataRnvVariables extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const api = new Service(this, "api", { kind: "web" });
const known = new DataRnvVariables(this, "known", { serviceId: api.id });
new TerraformOutput(this, "keys", { value: known.keys });

  }
}

export class ExampleOfDataRnvCanvas extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "provider");
    const shop = new Project(this, "shop");
const canvas = new DataRnvCanvas(this, "canvas", { projectId: shop.id });
new TerraformOutput(this, "layout", { value: canvas.layout });

  }
}

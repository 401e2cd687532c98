import { type App, TerraformOutput, TerraformStack, TerraformVariable } from "cdktf";
import { fromEnv, generate, Project, RnvProvider, Service } from "../../../src/cdktf/cdktf";

const deployed = (service: Service, timeout?: string): void => {
  service.deployOnChange(timeout === undefined ? {} : { timeout });
};

/** examples/quickstart/rnv.yaml as a stack. */
export function quickstart(app: App): TerraformStack {
  const stack = new TerraformStack(app, "quickstart");
  new RnvProvider(stack, "rnv");
  const shop = new Project(stack, "shop", { name: "Shop", description: "Online shop" });
  const api = shop.addService("api", {
    kind: "web",
    configuration: {
      repository: "https://git.example.com/shop/api",
      runtime: "node",
      startCommand: "node server.js",
      healthCheckPath: "/healthz",
    },
  });
  const worker = shop.addService("worker", {
    kind: "worker",
    configuration: {
      repository: "https://git.example.com/shop/worker",
      runtime: "python",
      startCommand: "python worker.py",
    },
  });
  api.addVariable("LOG_LEVEL", "info");
  api.addVariable("SESSION_KEY", generate({ length: 32 }));
  api.addVariable("WORKER_HOST", worker.internalHost);
  const docs = new Service(stack, "docs", {
    kind: "static",
    configuration: { repository: "https://git.example.com/shop/docs", publishDirectory: "build" },
  });
  for (const service of [api, worker, docs]) deployed(service);
  new TerraformOutput(stack, "apiUrl", { value: api.url });
  return stack;
}

/** What examples/gitops/stages/production.yaml changes. */
export interface Overlay {
  readonly configuration: object;
  readonly logLevel: string;
}

export const production: Overlay = {
  configuration: { replicas: 3 },
  logLevel: "warn",
};

/** examples/gitops/rnv.yaml as a stack; an overlay is an argument. */
export function gitops(
  app: App,
  { configuration, logLevel }: Overlay = { configuration: {}, logLevel: "info" },
) {
  const stack = new TerraformStack(app, "gitops");
  new RnvProvider(stack, "rnv");
  const region = new TerraformVariable(stack, "region", { type: "string" });
  const shop = new Project(stack, "shop", {
    name: "Shop",
    description: "Online shop, managed from this repository",
    lifecycle: { preventDestroy: true },
  });
  const api = shop.addService("api", {
    kind: "web",
    configuration: {
      repository: "https://git.example.com/shop/api",
      branch: "main",
      runtime: "node",
      startCommand: "node server.js",
      healthCheckPath: "/healthz",
      plan: "starter",
      ...configuration,
    },
    lifecycle: { preventDestroy: true, ignoreChanges: ["configuration.replicas"] },
  });
  const worker = shop.addService("worker", {
    kind: "worker",
    configuration: {
      repository: "https://git.example.com/shop/worker",
      runtime: "python",
      startCommand: "python worker.py",
    },
  });
  api.addVariable("LOG_LEVEL", logLevel);
  api.addVariable("REGION", region.stringValue);
  api.addVariable("DATABASE_URL", fromEnv("SHOP_DATABASE_URL"));
  api.addVariable("WORKER_HOST", worker.internalHost);
  worker.addVariable("QUEUE_TOKEN", fromEnv("SHOP_QUEUE_TOKEN"));
  deployed(api);
  deployed(worker, "20m");
  new TerraformOutput(stack, "apiUrl", { value: api.url });
  return stack;
}

/** examples/drift-cron/rnv.yaml as a stack. */
export function driftCron(app: App): TerraformStack {
  const stack = new TerraformStack(app, "drift-cron");
  new RnvProvider(stack, "rnv");
  const shop = new Project(stack, "shop", { name: "Shop" });
  const api = shop.addService("api", {
    kind: "web",
    configuration: {
      repository: "https://git.example.com/shop/api",
      runtime: "node",
      startCommand: "node server.js",
      minReplicas: 1,
    },
    lifecycle: { ignoreChanges: ["configuration.min_replicas"] },
  });
  api.addVariable("LOG_LEVEL", "info");
  deployed(api);
  return stack;
}

/** examples/testing/rnv.yaml as a stack. */
export function testing(app: App): TerraformStack {
  const stack = new TerraformStack(app, "testing");
  new RnvProvider(stack, "rnv");
  const shop = new Project(stack, "shop", { name: "shop" });
  const api = shop.addService("api", {
    kind: "web",
    configuration: { repository: "https://git.example.com/shop/api", healthCheckPath: "/healthz" },
  });
  const worker = shop.addService("worker", {
    kind: "worker",
    configuration: { repository: "https://git.example.com/shop/worker" },
  });
  api.addVariable("WORKER_HOST", worker.internalHost);
  for (const service of [api, worker]) deployed(service);
  return stack;
}

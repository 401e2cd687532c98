import {
  Annotations,
  type App,
  Fn,
  TerraformOutput,
  TerraformResource,
  TerraformStack,
  TerraformVariable,
} from "cdktf";
import { Construct } from "constructs";
import {
  fromEnv,
  generate,
  Project,
  RnvProvider,
  type Secret,
  Service,
  type ServiceConfig,
} from "../../src/cdktf/cdktf";

// Programs in the style of those that teams write: each adds its stacks to an app.

const repository = "https://git.example.com/shop/shop";

/** A whole environment: what serves requests, what works behind it, a database, a job and a canvas layout. */
export function wholeEnvironment(app: App): void {
  const stack = new TerraformStack(app, "environment");
  new RnvProvider(stack, "rnv");
  const level = new TerraformVariable(stack, "log_level", { type: "string", default: "info" });
  const shop = new Project(stack, "shop", { name: "Shop", description: "Online shop", color: "#2f6fed" });
  const database = shop.addService("db", {
    kind: "postgres",
    configuration: { databaseName: "shop", backupRetentionDays: 14 },
    lifecycle: { preventDestroy: true },
  });
  const token = fromEnv("QUEUE_TOKEN");
  const worker = shop.addService("worker", {
    kind: "worker",
    configuration: { repository, startCommand: "node worker.js", replicas: 2, port: 9000 },
    dependsOn: [database],
  });
  const logLevel = worker.addVariable("LOG_LEVEL", level.value);
  worker.addVariable("QUEUE_TOKEN", token);
  const api = shop.addService("api", {
    kind: "web",
    configuration: {
      repository,
      branch: "main",
      healthCheckPath: "/healthz",
      ipAllowList: ["10.0.0.0/8", "192.168.0.0/16"],
    },
    lifecycle: { ignoreChanges: ["configuration.replicas"] },
    timeouts: { create: "20m" },
  });
  api.addVariables({
    LOG_LEVEL: logLevel.value,
    QUEUE_TOKEN: token,
    DATABASE_URL: `postgres://shop@${database.internalHost}:5432/shop`,
    WORKER_URL: `http://${worker.internalHost}:${worker.configuration.port}`,
  });
  api.addVariable("SESSION_KEY", generate({ length: 32 }));
  shop.addService("nightly", {
    kind: "cron",
    configuration: { repository, startCommand: "node nightly.js", schedule: "0 3 * * *", timezone: "UTC" },
  });
  shop.addService("site", { kind: "static", configuration: { repository, publishDirectory: "build" } });
  shop.addLayout();
  new TerraformOutput(stack, "url", { value: api.url });
}

/** A monorepo: every folder is a service, with what all have in common and what is its own. */
export function monorepo(app: App): void {
  const stack = new TerraformStack(app, "monorepo");
  new RnvProvider(stack, "rnv");
  const mono = new Project(stack, "mono");
  const common = { LOG_LEVEL: "info", REGION: "eu", TOKEN: fromEnv("QUEUE_TOKEN") };
  const folders: Record<string, { kind: "web" | "worker"; own?: Record<string, string> }> = {
    accounts: { kind: "web", own: { LOG_LEVEL: "debug" } },
    billing: { kind: "web" },
    mailer: { kind: "worker", own: { SENDER: "shop@example.com" } },
  };
  const services = Object.entries(folders).map(([folder, { kind, own }]) => {
    const service = mono.addService(folder, {
      kind,
      configuration: {
        repository,
        rootDirectory: `services/${folder}`,
        includePaths: [`services/${folder}`, "packages"],
        ignorePaths: ["**/*.md"],
      },
    });
    service.addVariables({ ...common, ...own });
    return [folder, service] as const;
  });
  const [first, ...others] = services;
  for (const [folder, service] of others)
    first?.[1].addVariable(`${folder.toUpperCase()}_HOST`, service.internalHost);
  new TerraformOutput(stack, "hosts", {
    value: Object.fromEntries(services.map(([folder, { internalHost }]) => [folder, internalHost])),
  });
}

/** A record of another provider beside the service: `terraform_data` is in every Terraform. */
export function recordBesideHosting(app: App): void {
  const stack = new TerraformStack(app, "dns");
  new RnvProvider(stack, "rnv");
  const site = new Service(stack, "site", { kind: "static", configuration: { repository } });
  const record = new TerraformResource(stack, "record", { terraformResourceType: "terraform_data" });
  record.addOverride("input", { name: "www", type: "CNAME", value: site.url });
}

/** The hosting in a stack for rnv; the record of its address in another one, which is left to Terraform. */
export function recordAndHosting(app: App): void {
  const hosting = new TerraformStack(app, "hosting");
  new RnvProvider(hosting, "rnv");
  const site = new Service(hosting, "site", {
    kind: "static",
    configuration: { repository, publishDirectory: "build" },
  });
  const dns = new TerraformStack(app, "dns");
  const record = new TerraformResource(dns, "record", { terraformResourceType: "terraform_data" });
  record.addOverride("input", { name: "www", type: "CNAME", value: site.url });
}

/** The shared part of an environment: made for every environment, as its services are. */
export class BaseStack extends TerraformStack {
  readonly shop: Project;
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "rnv");
    this.shop = new Project(this, "shop", { name: `${id} shop` });
    new TerraformOutput(this, "id", { value: this.shop.id });
  }
}

/** The services of an environment, which refer to the project of the shared part. */
export class ServicesStack extends TerraformStack {
  constructor(scope: Construct, id: string, { shop }: BaseStack, branch = "main") {
    super(scope, id);
    new RnvProvider(this, "rnv");
    const configuration = { repository: "https://git.example.com/shop/api", branch };
    const api = new Service(this, "api", { kind: "web", project: shop, configuration });
    api.addVariable("PROJECT", shop.id);
    new TerraformOutput(this, "id", { value: api.id });
  }
}

export interface TeamServiceProps {
  readonly team: string;
  readonly project?: Project;
  readonly configuration?: ServiceConfig["configuration"];
  readonly variables?: Readonly<Record<string, string | Secret>>;
}

/** A construct of an internal library: it has its own copy of the constructs where a workspace has two. */
export const teamService = (constructs: { readonly Service: typeof Service }) =>
  class TeamService extends Construct {
    readonly service: Service;

    constructor(scope: Construct, id: string, { team, project, configuration, variables }: TeamServiceProps) {
      super(scope, id);
      if (configuration?.healthCheckPath === undefined) Annotations.of(this).addInfo("no health check");
      this.service = new constructs.Service(this, "service", {
        kind: "web",
        name: id,
        ...(project !== undefined && { project }),
        configuration: { repository: `https://git.example.com/${team}/${id}`, ...configuration },
      });
      this.service.overrideLogicalId(`${team}__${id}`);
      this.service.addVariables({ TEAM: team, ...variables });
    }
  };

/** A program that uses an internal library of constructs. */
export function internalLibrary(app: App, TeamService = teamService({ Service })): void {
  const stack = new TerraformStack(app, "library");
  new RnvProvider(stack, "rnv");
  const project = new Project(stack, "search", { name: "Search" });
  const { service: index } = new TeamService(project, "index", { team: "search" });
  new TeamService(project, "query", {
    team: "search",
    configuration: { healthCheckPath: "/healthz", autoDeploy: "off" },
    variables: { INDEX_URL: index.url, TOKEN: fromEnv("QUEUE_TOKEN") },
  });
}

/** One class for development, staging and production, and a platform that they share. */
export function threeEnvironments(app: App): void {
  const platform = new TerraformStack(app, "platform");
  new RnvProvider(platform, "rnv");
  const cache = new Service(platform, "cache", { kind: "redis" });

  class Environment extends TerraformStack {
    constructor(id: string, replicas: number) {
      super(app, id);
      new RnvProvider(this, "rnv");
      const shop = new Project(this, "shop", { name: `Shop ${id}` });
      const api = shop.addService("api", { kind: "web", configuration: { repository, replicas } });
      api.addVariables({ CACHE_URL: `redis://${cache.internalHost}:6379`, STAGE: id });
      if (id !== "production") api.onRemove = "delete";
      else api.lifecycle = { preventDestroy: true };
      new TerraformOutput(this, "url", { value: api.url });
    }
  }
  for (const [id, replicas] of Object.entries({ development: 1, staging: 1, production: 3 }))
    new Environment(id, replicas);
}

/** Fields of one resource in another: a number, a list, names, a group, the value of a variable. */
export function fieldsOfOthers(app: App): void {
  const stack = new TerraformStack(app, "fields");
  new RnvProvider(stack, "rnv");
  const shop = new Project(stack, "shop", { name: "Shop" });
  const api = shop.addService("api", {
    kind: "web",
    name: `${shop.name}-api`,
    configuration: { repository, replicas: 2, ignorePaths: ["docs", "test"] },
  });
  const { replicas, ignorePaths } = api.configuration;
  const worker = shop.addService("worker", {
    kind: "worker",
    configuration: { repository, replicas, ignorePaths },
  });
  const level = api.addVariable("LEVEL", "info");
  worker.addVariables({ LEVEL: level.value, API: `${api.name} of ${shop.name}`, COUNT: `${replicas}` });
  worker.addVariable("CONFIGURATION", Fn.jsonencode(api.configuration));
  for (const service of [api, worker]) service.addVariable("TOKEN", fromEnv("QUEUE_TOKEN"));
  new TerraformOutput(stack, "configuration", { value: api.configuration });
}

/** A service that is archived, with what it keeps. */
export const archivedService =
  (level: string, archived = true) =>
  (app: App): void => {
    const stack = new TerraformStack(app, "archive");
    new RnvProvider(stack, "rnv");
    const shop = new Project(stack, "shop", { name: "Shop" });
    const old = shop.addService("old", { kind: "web", archived, configuration: { repository } });
    old.addVariable("LEVEL", level);
  };

/** A service that is deployed as `deploy` says, with variables. */
export const deployedService =
  (deploy: ServiceConfig["deploy"], variables: Readonly<Record<string, string>>) =>
  (app: App): void => {
    const stack = new TerraformStack(app, "deployed");
    new RnvProvider(stack, "rnv");
    const api = new Service(stack, "api", {
      kind: "web",
      configuration: { repository },
      ...(deploy && { deploy }),
    });
    for (const [key, value] of Object.entries(variables)) api.addVariable(key, value);
  };

/** A map of variables of which one is a secret. */
export const textBesideSecret =
  (level: string) =>
  (app: App): void => {
    const stack = new TerraformStack(app, "texts");
    new RnvProvider(stack, "rnv");
    const api = new Service(stack, "api", { kind: "web", configuration: { repository } });
    api.addVariables({ LEVEL: level, TOKEN: fromEnv("QUEUE_TOKEN"), KEY: generate({ length: 32 }) });
  };

/** One class in two workspaces, which a stack names by two providers: the same names are other resources. */
export const twoWorkspaces =
  (baseUrl: string) =>
  (app: App): void => {
    const stack = new TerraformStack(app, "workspaces");
    new RnvProvider(stack, "rnv");
    const provider = new RnvProvider(stack, "eu", { alias: "eu", baseUrl });
    for (const [id, given] of Object.entries({ shop: {}, europe: { provider } })) {
      const project = new Project(stack, id, { name: "Shop", ...given });
      project.addService("api", { kind: "web", configuration: { repository }, ...given, deploy: given });
    }
  };

/** Programs that compile and that no plan accepts, with what rnv says. */
export const mistakes: Readonly<Record<string, { define: (project: Project) => void; says: string }>> = {
  "a field that the program does not declare": {
    define(project) {
      const { configuration } = project.addService("api", { kind: "web" });
      project.addService("worker", { kind: "worker", configuration: { replicas: configuration.replicas } });
    },
    says: "declare it there: configuration: { replicas: … }",
  },
};

export const mistaken =
  (define: (project: Project) => void) =>
  (app: App): void => {
    const stack = new TerraformStack(app, "mistake");
    new RnvProvider(stack, "rnv");
    define(new Project(stack, "shop"));
  };

/** A change of the services of a program. */
export type Edit = (services: readonly Service[]) => void;

/** The services of an app that take variables. */
export const servicesIn = (app: App): readonly Service[] =>
  app.node.findAll().filter((one): one is Service => one instanceof Service && one.kindInput !== "postgres");

export const unchanged: Edit = () => {};

export const changed: Edit = (services) => {
  for (const service of services) service.addVariable("CHANGED", "yes");
};

/** Gives the first service another logical name, and says which one it had. */
export const renamed: Edit = (services) => {
  changed(services);
  const [service] = services;
  const before = service?.friendlyUniqueId;
  service?.overrideLogicalId(`${before}-new`);
  service?.moveFromId(`rnv_service.${before}`);
};

/** Gives it the name that it had at first. */
export const renamedBack: Edit = (services) => {
  changed(services);
  const [service] = services;
  service?.moveFromId(`rnv_service.${service.friendlyUniqueId}-new`);
};

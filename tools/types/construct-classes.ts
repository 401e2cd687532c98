import { type Listing, listings } from "../../src/model/listing-schemas";

/** A construct class as it is typed. */
interface ConstructClass {
  readonly name: string;
  readonly doc: string;
  /** The documentation of its props. */
  readonly propsDoc: string;
  /** The class of the library that it extends. */
  readonly base: "TerraformProvider" | "TerraformResource" | "TerraformDataSource";
  /** The interfaces that its props have. */
  readonly given: readonly string[];
  /** The interfaces that its instances have. */
  readonly members: readonly string[];
  /** Its props have a member that must be given. */
  readonly isNeeded?: boolean;
}

/** Sources of the examples by the name of the class. */
const examples: Readonly<Record<string, readonly string[]>> = {
  RnvProvider: ['new RnvProvider(this, "rnv");'],
  Project: [
    'const shop = new Project(this, "shop", { name: "Shop" });',
    'shop.addService("api", { kind: "web" });',
  ],
  Service: [
    'const api = new Service(this, "api", {',
    '  kind: "web",',
    '  configuration: { repository: "https://git.example.com/shop/api", runtime: "node" },',
    "});",
    'api.addVariable("LOG_LEVEL", "info");',
  ],
  Variable: [
    'const api = new Service(this, "api", { kind: "web" });',
    'new Variable(api, "TOKEN", { value: fromEnv("TOKEN") });',
  ],
  Variables: [
    'const api = new Service(this, "api", { kind: "web" });',
    'new Variables(api, "common", { values: { LOG_LEVEL: "info", TOKEN: fromEnv("TOKEN") } });',
  ],
  Deployment: [
    'const api = new Service(this, "api", { kind: "web" });',
    'new Deployment(this, "release", { service: api, timeout: "20m" });',
  ],
  CanvasLayout: [
    'const shop = new Project(this, "shop");',
    'shop.addService("api", { kind: "web" });',
    'new CanvasLayout(this, "layout", { project: shop, positions: { api: { x: 0, y: 0 } } });',
  ],
  DataRnvCatalog: [
    'const catalog = new DataRnvCatalog(this, "catalog");',
    'new TerraformOutput(this, "runtimes", { value: catalog.runtimes });',
  ],
  DataRnvProject: [
    'const platform = new DataRnvProject(this, "platform", { name: "Platform" });',
    'new Service(this, "api", { kind: "web", projectId: platform.id });',
  ],
  DataRnvService: [
    'const platform = new DataRnvProject(this, "platform", { name: "Platform" });',
    'const auth = new DataRnvService(this, "auth", { name: "auth", projectId: platform.id });',
    'const api = new Service(this, "api", { kind: "web" });',
    'api.addVariable("AUTH_URL", auth.url);',
  ],
  DataRnvProjects: [
    'const all = new DataRnvProjects(this, "all");',
    'new TerraformOutput(this, "projects", { value: all.projects });',
  ],
  DataRnvServices: [
    'const shop = new Project(this, "shop");',
    'const all = new DataRnvServices(this, "all", { projectId: shop.id });',
    'new TerraformOutput(this, "services", { value: all.services });',
  ],
  DataRnvDeployment: [
    'const api = new Service(this, "api", { kind: "web" });',
    'const serving = new DataRnvDeployment(this, "serving", { serviceId: api.id });',
    'new TerraformOutput(this, "commit", { value: serving.commitSha });',
  ],
  DataRnvDeployments: [
    'const api = new Service(this, "api", { kind: "web" });',
    'const past = new DataRnvDeployments(this, "past", { serviceId: api.id, limit: 5 });',
    'new TerraformOutput(this, "deployments", { value: past.items });',
  ],
  DataRnvVariables: [
    'const api = new Service(this, "api", { kind: "web" });',
    'const known = new DataRnvVariables(this, "known", { serviceId: api.id });',
    'new TerraformOutput(this, "keys", { value: known.keys });',
  ],
  DataRnvCanvas: [
    'const shop = new Project(this, "shop");',
    'const canvas = new DataRnvCanvas(this, "canvas", { projectId: shop.id });',
    'new TerraformOutput(this, "layout", { value: canvas.layout });',
  ],
};

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The listings; the catalog has interfaces of its own. */
export const listingsBesideCatalog = Object.entries(listings).filter(([name]) => name !== "rnv_catalog");

/** The name that the interfaces of a listing begin with. A deployment is a resource as well. */
export function listingName(terraformName: string): string {
  const plain = capitalized(terraformName.slice("rnv_".length));
  return listings[`${terraformName}s`] === undefined ? plain : `One${plain}`;
}

const provider: ConstructClass = {
  name: "RnvProvider",
  doc: "Address of the service, and how to reach it.",
  propsDoc:
    "Settings of the provider. rnv itself reads its environment, and refuses a stack that is meant for another workspace.",
  base: "TerraformProvider",
  given: ["props.ProviderFields"],
  members: ["props.ProviderProperties"],
};

/** A class of resources; `fields` begins the names of its interfaces in `props.ts`. */
function resource(
  name: string,
  doc: string,
  { fields = name, plural = `a ${name.toLowerCase()}`, isNeeded = false, hasPaths = true } = {},
): ConstructClass {
  const path = hasPaths ? `<props.${fields}Path>` : "";
  return {
    name,
    doc,
    propsDoc: `Props of ${plural}.`,
    base: "TerraformResource",
    given: [`props.${fields}Fields`, `ResourceArguments${path}`, ...(propsOf[name] ?? [])],
    members: [`props.${fields}Properties`, ...(methodsOf[name] ?? [])],
    isNeeded,
  };
}

const propsOf: Readonly<Record<string, readonly string[]>> = { Service: ["Deployed<DeploymentProps>"] };
const methodsOf: Readonly<Record<string, readonly string[]>> = {
  Project: ["ProjectMethods<ServiceProps, Service, CanvasLayoutProps, CanvasLayout>"],
  Service: ["ServiceMethods<Variable, Variables, DeploymentProps, Deployment>"],
};

const resources: readonly ConstructClass[] = [
  resource("Project", "A project groups services."),
  resource("Service", 'A service is built and served. `project.addService("api", …)` makes one as well.', {
    isNeeded: true,
  }),
  resource(
    "Variable",
    'An encrypted variable of one service. `service.addVariable("TOKEN", …)` makes one as well.',
    { isNeeded: true },
  ),
  resource(
    "Variables",
    "Several variables of one service. `service.addVariables({ … })` makes them as well.",
    { plural: "several variables", isNeeded: true, hasPaths: false },
  ),
  resource(
    "Deployment",
    "Deploys its service, after the service and its variables. `service.deployOnChange({ … })` makes one as well.",
  ),
  resource(
    "CanvasLayout",
    "The shared layout of a project's canvas. `project.addLayout()` makes one as well.",
    { fields: "Layout", plural: "a layout" },
  ),
];

const dataSource = (
  name: string,
  doc: string,
  shown: string,
  { query, isNeeded = false }: { readonly query?: string; readonly isNeeded?: boolean } = {},
): ConstructClass => ({
  name: `DataRnv${name}`,
  doc,
  propsDoc: `Props of the data source rnv_${name.toLowerCase()}.`,
  base: "TerraformDataSource",
  given: [...(query === undefined ? [] : [`props.${query}`]), "DataSourceArguments"],
  members: [`props.${shown}`],
  isNeeded,
});

function listed([terraformName, { doc, query }]: [string, Listing]): ConstructClass {
  const name = listingName(terraformName);
  return dataSource(capitalized(terraformName.slice("rnv_".length)), doc, `${name}Listed`, {
    ...(Object.keys(query).length > 0 && { query: `${name}Query` }),
    isNeeded: Object.values(query).some(({ isNeeded }) => isNeeded === true),
  });
}

const made = "that another stack, a manifest or a person made.";
const dataSources: readonly ConstructClass[] = [
  dataSource("Catalog", "The plans, regions, runtimes and defaults of the service.", "CatalogReadings"),
  dataSource("Project", `A project ${made}`, "ProjectReadings", { query: "ProjectLookup" }),
  dataSource("Service", `A service ${made}`, "ServiceReadings", { query: "ServiceLookup" }),
  ...listingsBesideCatalog.map(listed),
];

/** The source of the classes of constructs on a library: `cdktf` or `cdktn`. */
export function constructClasses(library: string): string {
  const classes = [provider, ...resources, ...dataSources];
  return [
    header(library),
    ...classes.map((one) => typesOf(library, one)),
    "/** The names that bindings of the library have for the same. */\nexport type {",
    ...classes.map(({ name }) => `  ${name}Props as ${name}Config,`),
    "};\n",
  ].join("\n");
}

function typesOf(library: string, one: ConstructClass): string {
  const { name, doc, propsDoc, base, given, members, isNeeded = false } = one;
  const example = (examples[name] ?? []).map((line) => ` * ${line}\n`).join("");
  const statics = base === "TerraformResource" ? " & ResourceStatics" : "";
  return `/** ${propsDoc} */
export interface ${name}Props extends ${given.join(", ")} {}

/**
 * ${doc}
 * @example
${example} */
export const ${name} = made.${name} as unknown as ClassOf<
  typeof ${library}.${base}${statics},
  [props${isNeeded ? "" : "?"}: ${name}Props],
  ${name}
>;

/** ${doc} */
export interface ${name} extends ${[`${library}.${base}`, ...members].join(", ")} {}
`;
}

const header = (
  library: string,
): string => `// Written by the build from the resource types and the data sources.
import * as ${library} from "${library}";
import type { Construct } from "constructs";
import type { ClassOf, Deployed, ProjectMethods, ServiceMethods } from "../constructs";
import { defineConstructs } from "../define-constructs";
import type * as props from "./props";

const made = defineConstructs(${library});

/** Arguments of every data source that the library understands. */
export interface DataSourceArguments {
  /** Resources to apply before it is read. */
  readonly dependsOn?: ${library}.ITerraformDependable[];
  /** The configuration of the provider to read it with; for Terraform only where it has an alias. */
  readonly provider?: ${library}.TerraformProvider;
  /** Conditions that are checked; for Terraform only. */
  readonly lifecycle?: ${library}.TerraformResourceLifecycle;
  /** Number of instances; for Terraform only: in a program of rnv, write a loop. */
  readonly count?: number | ${library}.TerraformCount;
  /** Items with an instance each; for Terraform only: in a program of rnv, write a loop. */
  readonly forEach?: ${library}.ITerraformIterator;
}

/** The \`lifecycle\` of a resource: \`preventDestroy\` and \`ignoreChanges\`; the rest of it is for Terraform only. */
export interface ResourceLifecycle<Path extends string = string>
  extends Omit<${library}.TerraformResourceLifecycle, "ignoreChanges"> {
  /** Paths of fields that someone else sets, such as \`configuration.replicas\`; \`all\` stands for every field. */
  readonly ignoreChanges?: "all" | (Path | (string & {}))[];
}

/** Arguments of every resource that the library understands, and how long to wait for it. */
export interface ResourceArguments<Path extends string = string>
  extends Omit<DataSourceArguments, "dependsOn" | "lifecycle"> {
  /** Resources to apply first, besides those that it refers to. */
  readonly dependsOn?: ${library}.ITerraformDependable[];
  /** \`preventDestroy\` and \`ignoreChanges\`; the rest of it is for Terraform only. */
  readonly lifecycle?: ResourceLifecycle<Path>;
  /** How long to wait for the service. */
  readonly timeouts?: props.Timeouts;
}

/** What every class of resources has. */
interface ResourceStatics {
  /** Makes an import of what exists, for \`terraform plan -generate-config-out\`. \`rnv\` takes \`importFrom\` of a declared construct. */
  generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
    provider?: ${library}.TerraformProvider,
  ): ${library}.ImportableResource;
}
`;

/** Descriptions of the catalog's fields. */
const catalogDocs: Readonly<Record<string, string>> = {
  capabilities: "Features of the service that are available now.",
  plans: "Plans of services, with monthly prices in USD and NGN.",
  databasePlans: "Plans of databases.",
  defaults: "Default of each configuration field.",
  regions: "Available regions.",
  runtimes: "Available runtimes.",
  serviceTypes: "Kinds of services.",
  pricesAreEstimates: "True if prices are estimates.",
};

/** The interfaces that the lookups need besides those of the resource types. */
export const lookupInterfaces = (): string => `/** A project is looked up by its ID or its name. */
export interface ProjectLookup {
  /** ID of the project. */
  readonly id?: string;
  /** Its name; no other project may have it. */
  readonly name?: string;
}

/** A service is looked up by its ID, or by its name in its project. */
export interface ServiceLookup {
  /** ID of the service. */
  readonly id?: string;
  /** Its name in its project. */
  readonly name?: string;
  /** ID of its project; without it, a service outside of every project. */
  readonly projectId?: string;
}

/** The catalog as tokens. */
export interface CatalogReadings {
${Object.entries(catalogDocs)
  .map(([name, doc]) => {
    const type = name === "runtimes" ? "string[]" : "Resolvable";
    return `  /** ${doc} */\n  readonly ${name}: ${type};`;
  })
  .join("\n")}
}
`;

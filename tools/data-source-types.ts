import { catalogFields } from "../src/model/catalog";
import { type Listing, listings } from "../src/model/listings";

/** A data source as its class is typed. */
interface DataSource {
  /** Its name without prefix: `Projects`. */
  readonly name: string;
  readonly doc: string;
  /** Statements that a constructor of a stack may hold. */
  readonly example: string;
  /** The interfaces of `props.ts` that its query and its attributes have. */
  readonly query?: string;
  readonly shown: string;
  /** Its query has a field that must be given. */
  readonly isNeeded?: boolean;
}

/** Sources of the examples by the name of the class. */
const examples: Readonly<Record<string, readonly string[]>> = {
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

/** The name that the interfaces of a listing begin with. A deployment is a resource as well. */
export function listingName(terraformName: string): string {
  const plain = capitalized(terraformName.slice("rnv_".length));
  return listings[`${terraformName}s`] === undefined ? plain : `One${plain}`;
}

const lookups: readonly Omit<DataSource, "example">[] = [
  {
    name: "Catalog",
    doc: "The plans, regions, runtimes and defaults of the service.",
    shown: "CatalogReadings",
  },
  {
    name: "Project",
    doc: "A project that another stack, a manifest or a person made.",
    query: "ProjectLookup",
    shown: "ProjectReadings",
  },
  {
    name: "Service",
    doc: "A service that another stack, a manifest or a person made.",
    query: "ServiceLookup",
    shown: "ServiceReadings",
  },
];

const listed = ([terraformName, { doc, query }]: [string, Listing]): Omit<DataSource, "example"> => {
  const name = listingName(terraformName);
  return {
    name: capitalized(terraformName.slice("rnv_".length)),
    doc,
    ...(Object.keys(query).length > 0 && { query: `${name}Query` }),
    shown: `${name}Listed`,
    isNeeded: Object.values(query).some(({ isNeeded }) => isNeeded === true),
  };
};

const sources: readonly DataSource[] = [...lookups, ...Object.entries(listings).map(listed)].map((one) => ({
  ...one,
  example: (examples[`DataRnv${one.name}`] ?? []).map((line) => ` * ${line}\n`).join(""),
}));

/** The source of the classes of data sources on a library: `cdktf` or `cdktn`. */
export function dataSourceTypes(library: string): string {
  const imported = [...new Set(sources.flatMap(({ query, shown }) => [query ?? shown, shown]))].sort();
  return [
    header(library, imported),
    ...sources.map((source) => typesOf(library, source)),
    "/** The names that bindings of the library have for the same. */\nexport type {",
    ...sources.map(({ name }) => `  DataRnv${name}Props as DataRnv${name}Config,`),
    "};\n",
  ].join("\n");
}

function typesOf(library: string, { name, doc, example, query, shown, isNeeded }: DataSource): string {
  const own = `DataRnv${name}`;
  const given = `[props${isNeeded ? "" : "?"}: ${own}Props]`;
  const props = [...(query === undefined ? [] : [query]), "DataSourceArguments"].join(", ");
  return `/** Props of the data source rnv_${name.toLowerCase()}. */
export interface ${own}Props extends ${props} {}

/**
 * ${doc}
 * @example
${example} */
export const ${own} = made.${own} as unknown as DataSourceClass<${given}, ${own}>;

/** ${doc} */
export interface ${own} extends ${library}.TerraformDataSource, ${shown} {}
`;
}

const header = (
  library: string,
  imported: readonly string[],
): string => `// Written by the build from the data sources.
import * as ${library} from "${library}";
import type { ClassOf } from "../constructs";
import { dataSources } from "../data-constructs";
import type {
${imported.map((name) => `  ${name},`).join("\n")}
} from "./props";

const made = dataSources(${library}) as Readonly<Record<string, object>>;

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

/** A class of data sources. */
type DataSourceClass<Given extends unknown[], Instance> = ClassOf<typeof ${library}.TerraformDataSource, Given, Instance>;
`;

/** Fields of the catalog: what each holds. */
const catalogDocs: Readonly<Record<(typeof catalogFields)[number], string>> = {
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
${catalogFields
  .map((name) => {
    const type = name === "runtimes" ? "string[]" : "Resolvable";
    return `  /** ${catalogDocs[name]} */\n  readonly ${name}: ${type};`;
  })
  .join("\n")}
}
`;

import * as cdktf from "cdktf";
import type { Construct } from "constructs";
import type {
  CatalogReadings,
  InProject,
  Kept,
  KeptMembers,
  OfService,
  ProjectLookup,
  ResourceMembers,
  ServiceLookup,
  VariablesAttributes,
  VariablesFields,
  VariablesProperties,
  VariableValue,
} from "./constructs";
import { defineConstructs } from "./define-constructs";
import type {
  CanvasListed,
  CanvasQuery,
  DeploymentAttributes,
  DeploymentFields,
  DeploymentProperties,
  DeploymentsListed,
  DeploymentsQuery,
  LayoutAttributes,
  LayoutFields,
  LayoutProperties,
  OneDeploymentListed,
  OneDeploymentQuery,
  ProjectAttributes,
  ProjectFields,
  ProjectProperties,
  ProjectReadings,
  ProjectsListed,
  ProviderFields,
  ProviderProperties,
  ServiceAttributes,
  ServiceFields,
  ServiceProperties,
  ServiceReadings,
  ServicesListed,
  ServicesQuery,
  Timeouts,
  VariableAttributes,
  VariableFields,
  VariableProperties,
  VariablesListed,
  VariablesQuery,
} from "./generated/props";

// The build writes `generated/cdktn.ts` from this file, with the name of the other library.
const made = defineConstructs(cdktf);

/** Arguments of every data source that the library understands. */
export interface DataSourceArguments {
  /** What has to be applied before it is read. */
  readonly dependsOn?: cdktf.ITerraformDependable[];
  /** The configuration of the provider to read it with; for Terraform only where it has an alias. */
  readonly provider?: cdktf.TerraformProvider;
  /** Conditions that are checked; for Terraform only. */
  readonly lifecycle?: cdktf.TerraformResourceLifecycle;
  /** How many of it; for Terraform only: in a program of rnv, write a loop. */
  readonly count?: number | cdktf.TerraformCount;
  /** One of it for each item; for Terraform only: in a program of rnv, write a loop. */
  readonly forEach?: cdktf.ITerraformIterator;
}

/** Arguments of every resource that the library understands, and how long to wait for it. */
export interface ResourceArguments extends Omit<DataSourceArguments, "dependsOn" | "lifecycle"> {
  /** What has to be applied first, besides what it refers to. */
  readonly dependsOn?: cdktf.ITerraformDependable[];
  /** `preventDestroy` and `ignoreChanges`; the rest of it is for Terraform only. */
  readonly lifecycle?: cdktf.TerraformResourceLifecycle;
  /** How long to wait for the service. */
  readonly timeouts?: Timeouts;
}

/** What every class of resources has. */
interface ResourceStatics extends Omit<typeof cdktf.TerraformResource, "prototype"> {
  /** The name of its type in Terraform. */
  readonly tfResourceType: string;
  /** Makes an import of what exists, for `terraform plan -generate-config-out`. `rnv` takes `importFrom` of a declared construct. */
  generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
    provider?: cdktf.TerraformProvider,
  ): cdktf.ImportableResource;
}

/** A class of resources. */
interface ResourceClass<Props, Instance> extends ResourceStatics {
  new (scope: Construct, id: string, props: Props): Instance;
}

/** A class of resources whose props may be left out. */
interface OptionalResourceClass<Props, Instance> extends ResourceStatics {
  new (scope: Construct, id: string, props?: Props): Instance;
}

/** What every class of data sources has. */
interface DataSourceStatics extends Omit<typeof cdktf.TerraformDataSource, "prototype"> {
  /** The name of its type in Terraform. */
  readonly tfResourceType: string;
}

/** A class of data sources. */
interface DataSourceClass<Props, Instance> extends DataSourceStatics {
  new (scope: Construct, id: string, props?: Props): Instance;
}

/** A class of data sources that have to be asked with something. */
interface NeededDataSourceClass<Props, Instance> extends DataSourceStatics {
  new (scope: Construct, id: string, props: Props): Instance;
}

/** The class of stacks with methods of rnv. */
interface StackClass extends Omit<typeof cdktf.TerraformStack, "prototype"> {
  new (scope: Construct, id: string): RnvStack;
}

/** A stack of the library with methods of rnv: `class Shop extends RnvStack`. Any other stack works as well. */
export const RnvStack = made.RnvStack as unknown as StackClass;

/** A stack with methods of rnv. */
export interface RnvStack extends cdktf.TerraformStack {
  /**
   * Confirms in git that resources may be deleted that the stack declares no longer, each by its address:
   * `stack.confirmRemoved("service.shop.worker")`. It is what the function `confirmRemoved` does for any stack.
   */
  confirmRemoved(...addresses: readonly string[]): void;
}

/** The class of the provider. */
interface ProviderClass extends Omit<typeof cdktf.TerraformProvider, "prototype"> {
  new (scope: Construct, id: string, props?: RnvProviderProps): RnvProvider;
  /** The name of the provider in Terraform. */
  readonly tfResourceType: string;
}

/** Settings of the provider. rnv itself reads its environment, and refuses a stack that is meant for another workspace. */
export interface RnvProviderProps extends ProviderFields {
  /** Its name where a stack has several; for Terraform only. */
  readonly alias?: string;
}

/** Where the service is, and how to reach it: `new RnvProvider(this, "rnv")`. */
export const RnvProvider = made.RnvProvider as unknown as ProviderClass;

/** The provider of a stack. */
export interface RnvProvider extends cdktf.TerraformProvider, ProviderProperties {
  /** Gives up its alias. */
  resetAlias(): void;
  /** What the program gave as `alias`. */
  readonly aliasInput: string | undefined;
}

/** Props of a project. */
export interface ProjectProps extends ProjectFields, Kept, ResourceArguments {}

/** A project groups services: `new Project(this, "shop", { name: "Shop" })`. */
export const Project = made.Project as unknown as OptionalResourceClass<ProjectProps, Project>;

/** A project of a stack. */
export interface Project extends cdktf.TerraformResource, ProjectAttributes, ProjectProperties, KeptMembers {
  /** A service in this project. */
  addService(id: string, props: Omit<ServiceProps, keyof InProject>): Service;
  /** The shared layout of its canvas: every service gets a position unless positions are given. */
  addLayout(props?: Omit<CanvasLayoutProps, keyof InProject>): CanvasLayout;
}

/** Props of a service. */
export interface ServiceProps extends ServiceFields, Kept, InProject, ResourceArguments {
  /** How it is deployed: once per run when something of it changed, unless said; `{ when: "never" }` leaves that to you. */
  readonly deploy?: Omit<DeploymentProps, keyof OfService>;
}

/** A service is built and served: `project.addService("api", { kind: "web", … })`, or `new Service(this, "api", { project, … })`. */
export const Service = made.Service as unknown as ResourceClass<ServiceProps, Service>;

/** A service of a stack. */
export interface Service extends cdktf.TerraformResource, ServiceAttributes, ServiceProperties, KeptMembers {
  /** A variable of this service: text (or a token), a secret source, or `{ preserve: true }`. */
  addVariable(key: string, value: VariableValue): Variable;
  /** Several variables of this service: text (or tokens), or secret sources, by name. */
  addVariables(values: VariablesFields["values"]): Variables;
  /** Deploys it once per run, after the service and its variables, when something of it changed. */
  deployOnChange(props?: Omit<DeploymentProps, keyof OfService | "when">): Deployment;
}

/** Props of a variable. */
export interface VariableProps extends VariableFields, OfService, ResourceArguments {}

/** An encrypted variable of one service: `service.addVariable("TOKEN", fromEnv("TOKEN"))`. */
export const Variable = made.Variable as unknown as ResourceClass<VariableProps, Variable>;

/** A variable of a stack. */
export interface Variable
  extends cdktf.TerraformResource,
    VariableAttributes,
    VariableProperties,
    ResourceMembers {}

/** Props of several variables. */
export interface VariablesProps extends VariablesFields, OfService, ResourceArguments {}

/** Several variables of one service: `service.addVariables({ LOG_LEVEL: "info", TOKEN: fromEnv("TOKEN") })`. */
export const Variables = made.Variables as unknown as ResourceClass<VariablesProps, Variables>;

/** Several variables of a stack. */
export interface Variables
  extends cdktf.TerraformResource,
    VariablesAttributes,
    VariablesProperties,
    Pick<VariableProperties, "timeouts" | "timeoutsInput" | "putTimeouts" | "resetTimeouts">,
    ResourceMembers {}

/** Props of a deployment. */
export interface DeploymentProps extends DeploymentFields, OfService, ResourceArguments {}

/** Deploys its service, after the service and its variables: `service.deployOnChange({ timeout: "20m" })`. */
export const Deployment = made.Deployment as unknown as OptionalResourceClass<DeploymentProps, Deployment>;

/** A deployment of a stack. */
export interface Deployment
  extends cdktf.TerraformResource,
    DeploymentAttributes,
    DeploymentProperties,
    ResourceMembers {}

/** Props of a layout. */
export interface CanvasLayoutProps extends LayoutFields, InProject, ResourceArguments {}

/** The shared layout of a project's canvas: `project.addLayout()`. */
export const CanvasLayout = made.CanvasLayout as unknown as OptionalResourceClass<
  CanvasLayoutProps,
  CanvasLayout
>;

/** A layout of a stack. */
export interface CanvasLayout
  extends cdktf.TerraformResource,
    LayoutAttributes,
    LayoutProperties,
    ResourceMembers {}

/** Props of the catalog: none but those of every data source. */
export interface DataRnvCatalogProps extends DataSourceArguments {}

/** Plans, regions, runtimes and defaults that the service offers. */
export const DataRnvCatalog = made.DataRnvCatalog as unknown as DataSourceClass<
  DataRnvCatalogProps,
  DataRnvCatalog
>;

/** The catalog in a stack. */
export interface DataRnvCatalog extends cdktf.TerraformDataSource, CatalogReadings {}

/** Props of a project that is looked up. */
export interface DataRnvProjectProps extends ProjectLookup, DataSourceArguments {}

/** A project that exists: `new DataRnvProject(this, "theirs", { name: "Theirs" })`. */
export const DataRnvProject = made.DataRnvProject as unknown as DataSourceClass<
  DataRnvProjectProps,
  DataRnvProject
>;

/** A project that a stack looks up. */
export interface DataRnvProject extends cdktf.TerraformDataSource, ProjectReadings {}

/** Props of a service that is looked up. */
export interface DataRnvServiceProps extends ServiceLookup, DataSourceArguments {}

/** A service that exists: `new DataRnvService(this, "api", { name: "api", projectId: theirs.id })`. */
export const DataRnvService = made.DataRnvService as unknown as DataSourceClass<
  DataRnvServiceProps,
  DataRnvService
>;

/** A service that a stack looks up. */
export interface DataRnvService extends cdktf.TerraformDataSource, ServiceReadings {}

/** Props of the data source projects. */
export interface DataRnvProjectsProps extends DataSourceArguments {}

/** Every project of the workspace. `new DataRnvProjects(this, "all")`. */
export const DataRnvProjects = made.DataRnvProjects as unknown as DataSourceClass<
  DataRnvProjectsProps,
  DataRnvProjects
>;

/** Every project of the workspace. */
export interface DataRnvProjects extends cdktf.TerraformDataSource, ProjectsListed {}

/** Props of the data source services. */
export interface DataRnvServicesProps extends ServicesQuery, DataSourceArguments {}

/** Services that exist: every active one of the workspace, or of one project or kind. `new DataRnvServices(this, "all", { projectId: shop.id })`. */
export const DataRnvServices = made.DataRnvServices as unknown as DataSourceClass<
  DataRnvServicesProps,
  DataRnvServices
>;

/** Services that exist: every active one of the workspace, or of one project or kind. */
export interface DataRnvServices extends cdktf.TerraformDataSource, ServicesListed {}

/** Props of the data source deployment. */
export interface DataRnvDeploymentProps extends OneDeploymentQuery, DataSourceArguments {}

/** One deployment of a service: that of an id, or the one that serves. `new DataRnvDeployment(this, "serving", { serviceId: api.id })`. */
export const DataRnvDeployment = made.DataRnvDeployment as unknown as NeededDataSourceClass<
  DataRnvDeploymentProps,
  DataRnvDeployment
>;

/** One deployment of a service: that of an id, or the one that serves. */
export interface DataRnvDeployment extends cdktf.TerraformDataSource, OneDeploymentListed {}

/** Props of the data source deployments. */
export interface DataRnvDeploymentsProps extends DeploymentsQuery, DataSourceArguments {}

/** The latest deployments of one service, newest first. `new DataRnvDeployments(this, "past", { serviceId: api.id })`. */
export const DataRnvDeployments = made.DataRnvDeployments as unknown as NeededDataSourceClass<
  DataRnvDeploymentsProps,
  DataRnvDeployments
>;

/** The latest deployments of one service, newest first. */
export interface DataRnvDeployments extends cdktf.TerraformDataSource, DeploymentsListed {}

/** Props of the data source variables. */
export interface DataRnvVariablesProps extends VariablesQuery, DataSourceArguments {}

/** The variables of one service: their names and times, never their values. `new DataRnvVariables(this, "known", { serviceId: api.id })`. */
export const DataRnvVariables = made.DataRnvVariables as unknown as NeededDataSourceClass<
  DataRnvVariablesProps,
  DataRnvVariables
>;

/** The variables of one service: their names and times, never their values. */
export interface DataRnvVariables extends cdktf.TerraformDataSource, VariablesListed {}

/** Props of the data source canvas. */
export interface DataRnvCanvasProps extends CanvasQuery, DataSourceArguments {}

/** Services, groups and references as the canvas shows them, with the saved layout. `new DataRnvCanvas(this, "canvas", { projectId: shop.id })`. */
export const DataRnvCanvas = made.DataRnvCanvas as unknown as DataSourceClass<
  DataRnvCanvasProps,
  DataRnvCanvas
>;

/** Services, groups and references as the canvas shows them, with the saved layout. */
export interface DataRnvCanvas extends cdktf.TerraformDataSource, CanvasListed {}

export { confirmRemoved } from "./confirm-removed";
export type {
  ServiceConfiguration,
  ServiceConfigurationOutputReference,
  Timeouts,
} from "./generated/props";
export { fromCommand, fromEnv, fromFile, generate, type SecretSource as Secret } from "./secrets";
/** The names that bindings of the library have for the same. */
export type {
  CanvasLayoutProps as CanvasLayoutConfig,
  DataRnvCanvasProps as DataRnvCanvasConfig,
  DataRnvCatalogProps as DataRnvCatalogConfig,
  DataRnvDeploymentProps as DataRnvDeploymentConfig,
  DataRnvDeploymentsProps as DataRnvDeploymentsConfig,
  DataRnvProjectProps as DataRnvProjectConfig,
  DataRnvProjectsProps as DataRnvProjectsConfig,
  DataRnvServiceProps as DataRnvServiceConfig,
  DataRnvServicesProps as DataRnvServicesConfig,
  DataRnvVariablesProps as DataRnvVariablesConfig,
  DeploymentProps as DeploymentConfig,
  ProjectProps as ProjectConfig,
  RnvProviderProps as RnvProviderConfig,
  ServiceProps as ServiceConfig,
  VariableProps as VariableConfig,
  VariablesProps as VariablesConfig,
};

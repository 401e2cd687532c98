import * as cdktf from "cdktf";
import type { Construct } from "constructs";
import type { ClassOf, InProject, OfService, VariableValue } from "./constructs";
import { defineConstructs } from "./define-constructs";
import type { DataSourceArguments } from "./generated/data-cdktf";
import type * as props from "./generated/props";

// The build writes `generated/cdktn.ts` from this file, with the name of the other library.
const made = defineConstructs(cdktf);

/** The `lifecycle` of a resource: `preventDestroy` and `ignoreChanges`; the rest of it is for Terraform only. */
export interface ResourceLifecycle<Path extends string = string>
  extends Omit<cdktf.TerraformResourceLifecycle, "ignoreChanges"> {
  /** Paths of fields that someone else sets, such as `configuration.replicas`; `all` stands for every field. */
  readonly ignoreChanges?: "all" | (Path | (string & {}))[];
}

/** Arguments of every resource that the library understands, and how long to wait for it. */
export interface ResourceArguments<Path extends string = string>
  extends Omit<DataSourceArguments, "dependsOn" | "lifecycle"> {
  /** Resources to apply first, besides those that it refers to. */
  readonly dependsOn?: cdktf.ITerraformDependable[];
  /** `preventDestroy` and `ignoreChanges`; the rest of it is for Terraform only. */
  readonly lifecycle?: ResourceLifecycle<Path>;
  /** How long to wait for the service. */
  readonly timeouts?: props.Timeouts;
}

/** What every class of resources has. */
interface ResourceStatics {
  /** Makes an import of what exists, for `terraform plan -generate-config-out`. `rnv` takes `importFrom` of a declared construct. */
  generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
    provider?: cdktf.TerraformProvider,
  ): cdktf.ImportableResource;
}

/** A class of resources. */
type ResourceClass<Given extends unknown[], Instance> = ClassOf<
  typeof cdktf.TerraformResource & ResourceStatics,
  Given,
  Instance
>;

/**
 * A stack of the library with methods of rnv. Any other stack works as well.
 * @example
 * class Shop extends RnvStack {}
 * const shop = new Shop(this.node.root, "shop");
 * new RnvProvider(shop, "rnv");
 * shop.confirmRemoved("service.shop.worker");
 */
export const RnvStack = made.RnvStack as unknown as Omit<typeof cdktf.TerraformStack, "prototype"> & {
  new (scope: Construct, id: string): RnvStack;
};

/** A stack with methods of rnv. */
export interface RnvStack extends cdktf.TerraformStack {
  /**
   * Confirms in git that resources may be deleted that the stack declares no longer, each by its address:
   * `stack.confirmRemoved("service.shop.worker")`. It is what the function `confirmRemoved` does for any stack.
   */
  confirmRemoved(...addresses: readonly string[]): void;
}

/** Settings of the provider. rnv itself reads its environment, and refuses a stack that is meant for another workspace. */
export interface RnvProviderProps extends props.ProviderFields {}

/**
 * Address of the service, and how to reach it.
 * @example
 * new RnvProvider(this, "rnv");
 */
export const RnvProvider = made.RnvProvider as unknown as ClassOf<
  typeof cdktf.TerraformProvider,
  [props?: RnvProviderProps],
  RnvProvider
>;

/** The provider of a stack. */
export interface RnvProvider extends cdktf.TerraformProvider, props.ProviderProperties {}

/** Props of a project. */
export interface ProjectProps extends props.ProjectFields, ResourceArguments<props.ProjectPath> {}

/**
 * A project groups services.
 * @example
 * const shop = new Project(this, "shop", { name: "Shop" });
 * shop.addService("api", { kind: "web" });
 */
export const Project = made.Project as unknown as ResourceClass<[props?: ProjectProps], Project>;

/** A project of a stack. */
export interface Project extends cdktf.TerraformResource, props.ProjectProperties {
  /** A service in this project. */
  addService(id: string, props: Omit<ServiceProps, keyof InProject>): Service;
  /** The shared layout of its canvas: every service gets a position unless positions are given. */
  addLayout(props?: Omit<CanvasLayoutProps, keyof InProject>): CanvasLayout;
}

/** Props of a service. */
export interface ServiceProps extends props.ServiceFields, ResourceArguments<props.ServicePath> {
  /** How it is deployed: once per run when something of it changed, unless said; `{ when: "never" }` leaves that to you. */
  readonly deploy?: Omit<DeploymentProps, keyof OfService>;
}

/**
 * A service is built and served. `project.addService("api", …)` makes one as well.
 * @example
 * const api = new Service(this, "api", {
 *   kind: "web",
 *   configuration: { repository: "https://git.example.com/shop/api", runtime: "node" },
 * });
 * api.addVariable("LOG_LEVEL", "info");
 */
export const Service = made.Service as unknown as ResourceClass<[props: ServiceProps], Service>;

/** A service of a stack. */
export interface Service extends cdktf.TerraformResource, props.ServiceProperties {
  /** A variable of this service: text (or a token), a secret source, or `{ preserve: true }`. */
  addVariable(key: string, value: VariableValue): Variable;
  /** Several variables of this service: text (or tokens), or secret sources, by name. */
  addVariables(values: props.VariablesFields["values"]): Variables;
  /** Deploys it once per run, after the service and its variables, when something of it changed. */
  deployOnChange(props?: Omit<DeploymentProps, keyof OfService | "when">): Deployment;
}

/** Props of a variable. */
export interface VariableProps extends props.VariableFields, ResourceArguments<props.VariablePath> {}

/**
 * An encrypted variable of one service. `service.addVariable("TOKEN", …)` makes one as well.
 * @example
 * const api = new Service(this, "api", { kind: "web" });
 * new Variable(api, "TOKEN", { value: fromEnv("TOKEN") });
 */
export const Variable = made.Variable as unknown as ResourceClass<[props: VariableProps], Variable>;

/** A variable of a stack. */
export interface Variable extends cdktf.TerraformResource, props.VariableProperties {}

/** Props of several variables. */
export interface VariablesProps extends props.VariablesFields, ResourceArguments {}

/**
 * Several variables of one service. `service.addVariables({ … })` makes them as well.
 * @example
 * const api = new Service(this, "api", { kind: "web" });
 * new Variables(api, "common", { values: { LOG_LEVEL: "info", TOKEN: fromEnv("TOKEN") } });
 */
export const Variables = made.Variables as unknown as ResourceClass<[props: VariablesProps], Variables>;

/** Several variables of a stack. */
export interface Variables extends cdktf.TerraformResource, props.VariablesProperties {}

/** Props of a deployment. */
export interface DeploymentProps extends props.DeploymentFields, ResourceArguments<props.DeploymentPath> {}

/**
 * Deploys its service, after the service and its variables. `service.deployOnChange({ … })` makes one as well.
 * @example
 * const api = new Service(this, "api", { kind: "web" });
 * new Deployment(this, "release", { service: api, timeout: "20m" });
 */
export const Deployment = made.Deployment as unknown as ResourceClass<[props?: DeploymentProps], Deployment>;

/** A deployment of a stack. */
export interface Deployment extends cdktf.TerraformResource, props.DeploymentProperties {}

/** Props of a layout. */
export interface CanvasLayoutProps extends props.LayoutFields, ResourceArguments<props.LayoutPath> {}

/**
 * The shared layout of a project's canvas. `project.addLayout()` makes one as well.
 * @example
 * const shop = new Project(this, "shop");
 * shop.addService("api", { kind: "web" });
 * new CanvasLayout(this, "layout", { project: shop, positions: { api: { x: 0, y: 0 } } });
 */
export const CanvasLayout = made.CanvasLayout as unknown as ResourceClass<
  [props?: CanvasLayoutProps],
  CanvasLayout
>;

/** A layout of a stack. */
export interface CanvasLayout extends cdktf.TerraformResource, props.LayoutProperties {}

export { confirmRemoved } from "./confirm-removed";
export type { VariableValue } from "./constructs";
export * from "./generated/data-cdktf";
export type {
  ServiceConfiguration,
  ServiceConfigurationOutputReference,
  Timeouts,
} from "./generated/props";
export { fromCommand, fromEnv, fromFile, generate, type SecretSource as Secret } from "./secrets";
/** The names that bindings of the library have for the same. */
export type {
  CanvasLayoutProps as CanvasLayoutConfig,
  DeploymentProps as DeploymentConfig,
  ProjectProps as ProjectConfig,
  RnvProviderProps as RnvProviderConfig,
  ServiceProps as ServiceConfig,
  VariableProps as VariableConfig,
  VariablesProps as VariablesConfig,
};

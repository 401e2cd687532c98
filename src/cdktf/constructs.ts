import type { Construct } from "constructs";
import type { DeploymentComputed } from "../resources/deployment";
import type { LayoutComputed } from "../resources/layout";
import type { ProjectComputed } from "../resources/project";
import type { ServiceComputed } from "../resources/service";
import type { VariableComputed } from "../resources/variable";
import type { Library, Resolvable } from "./library";
import type {
  CanvasLayoutProps,
  Computed,
  DataRnvProjectProps,
  DataRnvServiceProps,
  DeploymentProps,
  ProjectProps,
  RnvProviderProps,
  ServiceProps,
  VariableProps,
} from "./props";
import type { SecretSource } from "./secret-source";

interface Movable {
  /** Says under which address of a manifest rnv recorded it: `service.shop.api`. Terraform does not see it. */
  movedFrom(address: string): this;
}

/** What a project offers beyond its tokens. */
export interface ProjectMembers<L extends Library> extends Computed<ProjectComputed>, Movable {
  /** A service in this project. */
  addService(id: string, props: Omit<ServiceProps<L>, "project" | "projectId">): Service<L>;
  /** The shared layout of its canvas: every service gets a place unless places are given. */
  addLayout(props?: Omit<CanvasLayoutProps<L>, "project" | "projectId">): CanvasLayout<L>;
}

/** What a service offers beyond its tokens. */
export interface ServiceMembers<L extends Library> extends Computed<ServiceComputed>, Movable {
  /** A variable of this service: text (or a token), a secret source, or `{ preserve: true }`. */
  addVariable(key: string, value: VariableValue): Variable<L>;
  /** Deploys it once per run, after the service and its variables, when something of it changed. */
  deployOnChange(props?: Omit<DeploymentProps<L>, "service" | "serviceId" | "when">): Deployment<L>;
}

export type VariableValue = string | SecretSource | { readonly preserve: true };

type ResourceOf<L extends Library> = InstanceType<L["TerraformResource"]>;
type DataSourceOf<L extends Library> = InstanceType<L["TerraformDataSource"]>;

export type Project<L extends Library> = ResourceOf<L> & ProjectMembers<L>;
export type Service<L extends Library> = ResourceOf<L> & ServiceMembers<L>;
export type Variable<L extends Library> = ResourceOf<L> & Computed<VariableComputed> & Movable;
export type Deployment<L extends Library> = ResourceOf<L> & Computed<DeploymentComputed> & Movable;
export type CanvasLayout<L extends Library> = ResourceOf<L> & Computed<LayoutComputed> & Movable;
export type DataRnvProject<L extends Library> = DataSourceOf<L> & Computed<ProjectComputed>;
export type DataRnvService<L extends Library> = DataSourceOf<L> & Computed<ServiceComputed>;

/** The catalog as tokens. */
export interface CatalogMembers {
  readonly runtimes: string[];
  readonly capabilities: Resolvable;
  readonly plans: Resolvable;
  readonly databasePlans: Resolvable;
  readonly defaults: Resolvable;
  readonly regions: Resolvable;
  readonly serviceTypes: Resolvable;
  readonly pricesAreEstimates: Resolvable;
}

/** A class whose props are needed. */
export interface ConstructClass<Props, Instance> {
  new (scope: Construct, id: string, props: Props): Instance;
  readonly tfResourceType: string;
}

/** A class whose props may be left out. */
export interface OptionalConstructClass<Props, Instance> {
  new (scope: Construct, id: string, props?: Props): Instance;
  readonly tfResourceType: string;
}

/** The constructs of rnv on one library. */
export interface Constructs<L extends Library> {
  readonly RnvProvider: OptionalConstructClass<RnvProviderProps, InstanceType<L["TerraformProvider"]>>;
  readonly Project: OptionalConstructClass<ProjectProps<L>, Project<L>>;
  readonly Service: ConstructClass<ServiceProps<L>, Service<L>>;
  readonly Variable: ConstructClass<VariableProps<L>, Variable<L>>;
  readonly Deployment: OptionalConstructClass<DeploymentProps<L>, Deployment<L>>;
  readonly CanvasLayout: OptionalConstructClass<CanvasLayoutProps<L>, CanvasLayout<L>>;
  readonly DataRnvCatalog: OptionalConstructClass<Record<never, never>, DataSourceOf<L> & CatalogMembers>;
  readonly DataRnvProject: ConstructClass<DataRnvProjectProps, DataRnvProject<L>>;
  readonly DataRnvService: ConstructClass<DataRnvServiceProps, DataRnvService<L>>;
}

import type { Construct } from "constructs";
import type { catalogFields } from "../model/catalog";
import type { OnRemove } from "../model/desired";
import type {
  DeploymentAttributes,
  DeploymentFields,
  LayoutAttributes,
  LayoutFields,
  ProjectAttributes,
  ProjectFields,
  ProjectReadings,
  ServiceAttributes,
  ServiceFields,
  ServiceReadings,
  VariableAttributes,
  VariableFields,
} from "./props";
import type { Resolvable } from "./resolvable";
import type { SecretSource } from "./secrets";

/** The members of the libraries' constructs that the constructs of rnv use. */
interface TerraformElementLike extends Construct {
  get friendlyUniqueId(): string;
  get fqn(): string;
  overrideLogicalId(newLogicalId: string): void;
  resetOverrideLogicalId(): void;
  addOverride(path: string, value: unknown): void;
  toTerraform(): object;
}

export interface ReferableLike extends TerraformElementLike {
  readonly terraformResourceType: string;
  dependsOn?: string[];
  get terraformMetaArguments(): Readonly<Record<string, unknown>>;
  getStringAttribute(name: string): string;
  getNumberAttribute(name: string): number;
  getListAttribute(name: string): string[];
  interpolationForAttribute(name: string): Resolvable;
}

export interface VariableLike extends TerraformElementLike {
  readonly stringValue: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each library has configuration types of its own
type Constructor<Instance> = new (scope: Construct, id: string, config: any) => Instance;

// biome-ignore lint/suspicious/noExplicitAny: each library has classes of its own
type Constructing = new (...given: any[]) => object;

/** The part of cdktf or cdktn that the constructs of rnv use: both have the same classes with types of their own. */
export interface Library {
  readonly TerraformProvider: abstract new (
    ...config: ConstructorParameters<Constructor<never>>
  ) => TerraformElementLike;
  readonly TerraformResource: Constructor<ReferableLike>;
  readonly TerraformDataSource: Constructor<ReferableLike>;
  readonly TerraformVariable: Constructor<VariableLike>;
  readonly TerraformStack: { of(construct: Construct): Construct; isStack(construct: unknown): boolean };
  readonly Tokenization: {
    // biome-ignore lint/suspicious/noExplicitAny: any value, and the resolver of each library
    resolve(value: any, options: { scope: Construct; resolver: any; preparing: boolean }): any;
  };
  readonly DefaultTokenResolver: Constructing;
  readonly StringConcat: Constructing;
}

/** Arguments of every resource that the library understands: `dependsOn`, `lifecycle`, `provider` … */
type MetaArguments<L extends Library> = Omit<
  ConstructorParameters<L["TerraformResource"]>[2],
  "terraformResourceType" | "terraformGeneratorMetadata" | "provisioners" | "connection"
>;

/** A project or service by its id, such as its construct. */
export interface Identified {
  readonly id: string;
}

export interface Kept {
  /** The action for it when it is no longer declared; for rnv only. */
  readonly onRemove?: OnRemove;
}

export interface InProject {
  /** Its project: unless given, the nearest above it. A service without a project is ungrouped. */
  readonly project?: Identified;
  readonly projectId?: string;
}

export interface OfService {
  /** Its service; unless given, the nearest above it. */
  readonly service?: Identified;
  readonly serviceId?: string;
}

type ProjectProps<L extends Library> = ProjectFields & Kept & MetaArguments<L>;
type ServiceProps<L extends Library> = ServiceFields & {
  /** How it is deployed: once per run when something of it changed, unless said; `{ when: "never" }` leaves that to you. */
  readonly deploy?: Omit<DeploymentProps<L>, "service" | "serviceId">;
} & Kept &
  InProject &
  MetaArguments<L>;
type VariableProps<L extends Library> = VariableFields & OfService & MetaArguments<L>;
type DeploymentProps<L extends Library> = DeploymentFields & OfService & MetaArguments<L>;
type CanvasLayoutProps<L extends Library> = LayoutFields & InProject & MetaArguments<L>;

/** Where the provider of Terraform finds the service; rnv itself reads its environment. */
export interface RnvProviderProps {
  /** Ends in `/api/v1`. */
  readonly baseUrl?: string;
  readonly workspaceId?: string;
  readonly alias?: string;
}

export interface DataRnvProjectProps {
  readonly id?: string;
  readonly name?: string;
}

export interface DataRnvServiceProps extends DataRnvProjectProps {
  readonly projectId?: string;
}

export interface Movable {
  /** Names the address of a manifest under which rnv recorded it: `service.shop.api`. Terraform does not see it. */
  movedFrom(address: string): this;
}

/** Members of a project besides its tokens. */
export interface ProjectMembers<L extends Library> {
  /** A service in this project. */
  addService(id: string, props: Omit<ServiceProps<L>, "project" | "projectId">): ServiceOf<L>;
  /** The shared layout of its canvas: every service gets a position unless positions are given. */
  addLayout(props?: Omit<CanvasLayoutProps<L>, "project" | "projectId">): CanvasLayout<L>;
}

/** Members of a service besides its tokens. */
export interface ServiceMembers<L extends Library> {
  /** A variable of this service: text (or a token), a secret source, or `{ preserve: true }`. */
  addVariable(key: string, value: VariableValue): VariableOf<L>;
  /** Deploys it once per run, after the service and its variables, when something of it changed. */
  deployOnChange(props?: Omit<DeploymentProps<L>, "service" | "serviceId" | "when">): DeploymentOf<L>;
}

export type VariableValue = string | SecretSource | { readonly preserve: true };

type ResourceOf<L extends Library, Attributes> = InstanceType<L["TerraformResource"]> & Attributes & Movable;
type DataSourceOf<L extends Library> = InstanceType<L["TerraformDataSource"]>;

type ProjectOf<L extends Library> = ResourceOf<L, ProjectAttributes> & ProjectMembers<L>;
type ServiceOf<L extends Library> = ResourceOf<L, ServiceAttributes> & ServiceMembers<L>;
type VariableOf<L extends Library> = ResourceOf<L, VariableAttributes>;
type DeploymentOf<L extends Library> = ResourceOf<L, DeploymentAttributes>;
type CanvasLayout<L extends Library> = ResourceOf<L, LayoutAttributes>;

/** The catalog as tokens. */
type CatalogMembers = {
  readonly [Name in (typeof catalogFields)[number]]: Name extends "runtimes" ? string[] : Resolvable;
};

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
  readonly Project: OptionalConstructClass<ProjectProps<L>, ProjectOf<L>>;
  readonly Service: ConstructClass<ServiceProps<L>, ServiceOf<L>>;
  readonly Variable: ConstructClass<VariableProps<L>, VariableOf<L>>;
  readonly Deployment: OptionalConstructClass<DeploymentProps<L>, DeploymentOf<L>>;
  readonly CanvasLayout: OptionalConstructClass<CanvasLayoutProps<L>, CanvasLayout<L>>;
  readonly DataRnvCatalog: OptionalConstructClass<Record<never, never>, DataSourceOf<L> & CatalogMembers>;
  readonly DataRnvProject: ConstructClass<DataRnvProjectProps, DataSourceOf<L> & ProjectReadings>;
  readonly DataRnvService: ConstructClass<DataRnvServiceProps, DataSourceOf<L> & ServiceReadings>;
}

import type { OnRemove } from "../model/desired";
import type { ComputedRule } from "../model/resource-type";
import type { DeploymentBlock } from "../resources/deployment";
import type { LayoutBlock } from "../resources/layout";
import type { ProjectBlock } from "../resources/project";
import type { ServiceBlock } from "../resources/service";
import type { VariableBlock } from "../resources/variable";
import type { Library, Resolvable } from "./library";
import type { SecretSource } from "./secret-source";

/** A field as a program may give it: tokens of text, numbers and lists have these types themselves. */
type Given<Field> = Field extends boolean ? Field | Resolvable : Field;

/** The fields of a manifest block without `null`: what Terraform leaves out is at its default. */
type Fields<Block> = { readonly [Name in keyof Block]: Given<Exclude<Block[Name], null>> };

type Grouped<Block, Group extends keyof Block> = Omit<Fields<Block>, Group> & {
  readonly [Name in Group]?: Fields<NonNullable<Block[Name]>>;
};

/** Typed tokens for what the service decides. */
export type Computed<Rules extends Readonly<Record<string, ComputedRule>>> = {
  readonly [Name in keyof Rules]: Rules[Name]["valueType"] extends "string"
    ? string
    : Rules[Name]["valueType"] extends "number"
      ? number
      : Resolvable;
};

/** What every resource takes besides its own fields: `dependsOn`, `lifecycle`, `provider` … of the library. */
export type MetaArguments<L extends Library> = Omit<
  ConstructorParameters<L["TerraformResource"]>[2],
  "terraformResourceType" | "terraformGeneratorMetadata" | "provisioners" | "connection"
>;

/** Anything with the id of a project or service, such as its construct. */
export interface Identified {
  readonly id: string;
}

interface Kept {
  /** What becomes of it when it is no longer declared; for rnv only. */
  readonly onRemove?: OnRemove;
}

interface InProject {
  /** The project it lies in. A service without one is ungrouped. */
  readonly project?: Identified;
  readonly projectId?: string;
}

interface OfService {
  /** The service it belongs to; the scope when that is a service. */
  readonly service?: Identified;
  readonly serviceId?: string;
}

export type ProjectFields = Fields<ProjectBlock> & Kept;
export type ServiceFields = Grouped<ServiceBlock, "configuration"> & Kept;
export type VariableFields = Omit<Fields<VariableBlock>, "value"> & {
  readonly value?: string | SecretSource;
};
export type DeploymentFields = Fields<DeploymentBlock>;
export type LayoutFields = Fields<LayoutBlock>;

export type ProjectProps<L extends Library> = ProjectFields & MetaArguments<L>;
export type ServiceProps<L extends Library> = ServiceFields & InProject & MetaArguments<L>;
export type VariableProps<L extends Library> = VariableFields & OfService & MetaArguments<L>;
export type DeploymentProps<L extends Library> = DeploymentFields & OfService & MetaArguments<L>;
export type CanvasLayoutProps<L extends Library> = LayoutFields & InProject & MetaArguments<L>;

/** Where the provider of Terraform finds the service; rnv itself reads its environment. */
export interface RnvProviderProps {
  /** Ends in `/api/v1`. */
  readonly baseUrl?: string;
  readonly workspaceId?: string;
  readonly alias?: string;
}

/** Which project a data source reads. */
export interface DataRnvProjectProps {
  readonly id?: string;
  readonly name?: string;
}

/** Which service a data source reads. */
export interface DataRnvServiceProps {
  readonly id?: string;
  readonly name?: string;
  readonly projectId?: string;
}

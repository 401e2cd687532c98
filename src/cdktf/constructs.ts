import type { Construct } from "constructs";
import type { OnRemove } from "../model/desired";
import type { SecretSource } from "./secret-source";

/** A value that is known only when the stack is applied; both libraries write it alike. */
export interface Resolvable {
  /** Its position in the program. */
  readonly creationStack: string[];
  /** Returns the value, as the library writes it. */
  // biome-ignore lint/suspicious/noExplicitAny: the context is the library's own
  resolve(context: any): any;
  /** The value as text in a program: a token. */
  toString(): string;
}

/** A class with the statics of a class of the library, and a constructor with types of its own. */
export type ClassOf<Base, Given extends unknown[], Instance> = Omit<Base, "prototype"> & {
  /** The name of its type in Terraform. */
  readonly tfResourceType: string;
  new (scope: Construct, id: string, ...given: Given): Instance;
};

/** A project or service by its id, such as its construct. */
export interface Identified {
  /** Id, or the token of a construct's. */
  readonly id: string;
}

/** Fields that keep a project or a service. */
export interface Kept {
  /** The action for it when it is no longer declared; for rnv only. */
  readonly onRemove?: OnRemove;
}

/** Members of a resource in a project. */
export interface InProject {
  /** Its project: unless given, the nearest above it. A service without a project is ungrouped. */
  readonly project?: Identified;
  /** Id of its project. */
  readonly projectId?: string;
}

/** Members of a resource of a service. */
export interface OfService {
  /** Its service; unless given, the nearest above it. */
  readonly service?: Identified;
  /** Id of its service. */
  readonly serviceId?: string;
}

/** Members of every resource besides its fields and tokens. */
export interface ResourceMembers {
  /** Names the address of a manifest under which rnv recorded it: `service.shop.api`. Terraform does not see it. */
  movedFrom(address: string): this;
}

/** Members of a resource that has a life of its own. */
export interface KeptMembers extends ResourceMembers {
  /** The action for it when it is no longer declared; for rnv only. */
  onRemove: OnRemove | undefined;
}

/** Methods of a project; the classes are those of its library. */
export interface ProjectMethods<ServiceProps, Service, CanvasLayoutProps, CanvasLayout> {
  /** A service in this project. */
  addService(id: string, props: Omit<ServiceProps, keyof InProject>): Service;
  /** The shared layout of its canvas: every service gets a position unless positions are given. */
  addLayout(props?: Omit<CanvasLayoutProps, keyof InProject>): CanvasLayout;
}

/** The prop of a service besides its fields. */
export interface Deployed<DeploymentProps> {
  /** The deployment. Default: one per run when something of it changed; `{ when: "never" }` leaves that to you. */
  readonly deploy?: Omit<DeploymentProps, keyof OfService>;
}

/** Methods of a service; the classes are those of its library. */
export interface ServiceMethods<Variable, Variables, DeploymentProps, Deployment> {
  /** A variable of this service: text (or a token), a secret source, or `{ preserve: true }`. */
  addVariable(key: string, value: VariableValue): Variable;
  /** Several variables of this service: text (or tokens), or secret sources, by name. */
  addVariables(values: Readonly<Record<string, Exclude<VariableValue, Preserved>>>): Variables;
  /** Deploys it once per run, after the service and its variables, when something of it changed. */
  deployOnChange(props?: Omit<DeploymentProps, keyof OfService | "when">): Deployment;
}

/** A value of a variable: text (or a token), a secret source, or a value that is set elsewhere. */
export type VariableValue = string | Resolvable | SecretSource | Preserved;

/** A variable that exists at the service and whose value is not ours to set. */
interface Preserved {
  /** Always true. */
  readonly preserve: true;
}

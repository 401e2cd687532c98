import * as cdktf from "cdktf";
import { defineConstructs } from "./define-constructs";

export const {
  RnvProvider,
  Project,
  Service,
  Variable,
  Deployment,
  CanvasLayout,
  DataRnvCatalog,
  DataRnvProject,
  DataRnvService,
} = defineConstructs(cdktf);

export type RnvProvider = InstanceType<typeof RnvProvider>;
export type Project = InstanceType<typeof Project>;
export type Service = InstanceType<typeof Service>;
export type Variable = InstanceType<typeof Variable>;
export type Deployment = InstanceType<typeof Deployment>;
export type CanvasLayout = InstanceType<typeof CanvasLayout>;
export type DataRnvCatalog = InstanceType<typeof DataRnvCatalog>;
export type DataRnvProject = InstanceType<typeof DataRnvProject>;
export type DataRnvService = InstanceType<typeof DataRnvService>;

export type ProjectProps = ConstructorParameters<typeof Project>[2];
export type ServiceProps = ConstructorParameters<typeof Service>[2];
export type VariableProps = ConstructorParameters<typeof Variable>[2];
export type DeploymentProps = ConstructorParameters<typeof Deployment>[2];
export type CanvasLayoutProps = ConstructorParameters<typeof CanvasLayout>[2];

export { confirmRemoved } from "./confirm-removed";
export { fromCommand, fromEnv, fromFile, generate, type SecretSource as Secret } from "./secrets";
/** The names that bindings of the library have for the same. */
export type {
  CanvasLayoutProps as CanvasLayoutConfig,
  DeploymentProps as DeploymentConfig,
  ProjectProps as ProjectConfig,
  ServiceProps as ServiceConfig,
  VariableProps as VariableConfig,
};

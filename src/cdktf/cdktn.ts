import * as cdktn from "cdktn";
import { defineConstructs } from "./define-constructs";

const constructs = defineConstructs(cdktn);

export const RnvProvider = constructs.RnvProvider;
export const Project = constructs.Project;
export const Service = constructs.Service;
export const Variable = constructs.Variable;
export const Deployment = constructs.Deployment;
export const CanvasLayout = constructs.CanvasLayout;
export const DataRnvCatalog = constructs.DataRnvCatalog;
export const DataRnvProject = constructs.DataRnvProject;
export const DataRnvService = constructs.DataRnvService;

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

export { fromCommand, fromEnv, fromFile, generate, type SecretSource as Secret } from "./secret-source";

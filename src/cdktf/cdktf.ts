// The build writes `generated/cdktn.ts` from this file, with the name of the other library.

export { confirmRemoved } from "./confirm-removed";
export type { VariableValue } from "./constructs";
export * from "./generated/classes-cdktf";
export type {
  ServiceConfiguration,
  ServiceConfigurationOutputReference,
  Timeouts,
} from "./generated/props";
export { fromCommand, fromEnv, fromFile, generate, type SecretSource as Secret } from "./secret-source";

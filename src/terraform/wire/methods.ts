/** Name, request message and response message of every call of the provider service, protocol 6.8. */
export const providerMethods = {
  GetMetadata: ["Empty", "GetMetadataResponse"],
  GetProviderSchema: ["Empty", "GetProviderSchemaResponse"],
  ValidateProviderConfig: ["ConfigRequest", "ValidateProviderConfigResponse"],
  ConfigureProvider: ["ConfigureProviderRequest", "DiagnosticsResponse"],
  ValidateResourceConfig: ["TypedConfigRequest", "DiagnosticsResponse"],
  ValidateDataResourceConfig: ["TypedConfigRequest", "DiagnosticsResponse"],
  UpgradeResourceState: ["UpgradeResourceStateRequest", "UpgradeResourceStateResponse"],
  ReadResource: ["ReadResourceRequest", "ReadResourceResponse"],
  PlanResourceChange: ["PlanResourceChangeRequest", "PlanResourceChangeResponse"],
  ApplyResourceChange: ["ApplyResourceChangeRequest", "ApplyResourceChangeResponse"],
  ImportResourceState: ["ImportResourceStateRequest", "ImportResourceStateResponse"],
  MoveResourceState: ["MoveResourceStateRequest", "MoveResourceStateResponse"],
  ReadDataSource: ["TypedConfigRequest", "ReadDataSourceResponse"],
  GetFunctions: ["Empty", "GetFunctionsResponse"],
  CallFunction: ["CallFunctionRequest", "CallFunctionResponse"],
  ValidateEphemeralResourceConfig: ["TypedConfigRequest", "DiagnosticsResponse"],
  OpenEphemeralResource: ["TypedConfigRequest", "OpenEphemeralResourceResponse"],
  RenewEphemeralResource: ["HeldEphemeralRequest", "RenewEphemeralResourceResponse"],
  CloseEphemeralResource: ["HeldEphemeralRequest", "DiagnosticsResponse"],
  StopProvider: ["Empty", "StopProviderResponse"],
} as const;

export type ProviderMethod = keyof typeof providerMethods;

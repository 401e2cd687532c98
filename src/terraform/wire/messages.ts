import protobuf from "protobufjs/light";

/** `type number`: a field; `type* number`: repeated; `<type> number`: a map from string. */
type Fields = Readonly<Record<string, `${string} ${number}`>>;

const config = "DynamicValue";

/** Messages of plugin protocol 6.8. Only the numbers are on the wire; the names are ours. */
const messages: Readonly<Record<string, Fields>> = {
  Empty: {},
  DynamicValue: { msgpack: "bytes 1", json: "bytes 2" },
  Step: { attributeName: "string 1", elementKeyString: "string 2", elementKeyInt: "int64 3" },
  AttributePath: { steps: "Step* 1" },
  Diagnostic: { severity: "int32 1", summary: "string 2", detail: "string 3", attribute: "AttributePath 4" },
  RawState: { json: "bytes 1", flatmap: "<string> 2" },
  Schema: { version: "int64 1", block: "Block 2" },
  Block: {
    version: "int64 1",
    attributes: "Attribute* 2",
    blockTypes: "NestedBlock* 3",
    description: "string 4",
    descriptionKind: "int32 5",
  },
  Attribute: {
    name: "string 1",
    type: "bytes 2",
    description: "string 3",
    required: "bool 4",
    optional: "bool 5",
    computed: "bool 6",
    sensitive: "bool 7",
    descriptionKind: "int32 8",
    writeOnly: "bool 11",
  },
  NestedBlock: { typeName: "string 1", block: "Block 2", nesting: "int32 3" },
  ServerCapabilities: {
    planDestroy: "bool 1",
    getProviderSchemaOptional: "bool 2",
    moveResourceState: "bool 3",
  },
  ClientCapabilities: { deferralAllowed: "bool 1", writeOnlyAttributesAllowed: "bool 2" },
  FunctionError: { text: "string 1", functionArgument: "int64 2" },
  Timestamp: { seconds: "int64 1", nanos: "int32 2" },
  Parameter: {
    name: "string 1",
    type: "bytes 2",
    allowNullValue: "bool 3",
    allowUnknownValues: "bool 4",
    description: "string 5",
    descriptionKind: "int32 6",
  },
  Return: { type: "bytes 1" },
  Function: {
    parameters: "Parameter* 1",
    variadicParameter: "Parameter 2",
    return: "Return 3",
    summary: "string 4",
    description: "string 5",
    descriptionKind: "int32 6",
  },
  TypeName: { typeName: "string 1" },
  FunctionName: { name: "string 1" },
  GetMetadataResponse: {
    serverCapabilities: "ServerCapabilities 1",
    diagnostics: "Diagnostic* 2",
    dataSources: "TypeName* 3",
    resources: "TypeName* 4",
    functions: "FunctionName* 5",
    ephemeralResources: "TypeName* 6",
  },
  GetProviderSchemaResponse: {
    provider: "Schema 1",
    resourceSchemas: "<Schema> 2",
    dataSourceSchemas: "<Schema> 3",
    diagnostics: "Diagnostic* 4",
    serverCapabilities: "ServerCapabilities 6",
    functions: "<Function> 7",
    ephemeralResourceSchemas: "<Schema> 8",
  },
  ConfigRequest: { config: `${config} 1` },
  ValidateProviderConfigResponse: { diagnostics: "Diagnostic* 2" },
  ConfigureProviderRequest: {
    terraformVersion: "string 1",
    config: `${config} 2`,
    clientCapabilities: "ClientCapabilities 3",
  },
  DiagnosticsResponse: { diagnostics: "Diagnostic* 1" },
  TypedConfigRequest: {
    typeName: "string 1",
    config: `${config} 2`,
    clientCapabilities: "ClientCapabilities 3",
  },
  UpgradeResourceStateRequest: { typeName: "string 1", version: "int64 2", rawState: "RawState 3" },
  UpgradeResourceStateResponse: { upgradedState: `${config} 1`, diagnostics: "Diagnostic* 2" },
  ReadResourceRequest: {
    typeName: "string 1",
    currentState: `${config} 2`,
    private: "bytes 3",
    clientCapabilities: "ClientCapabilities 5",
  },
  ReadResourceResponse: { newState: `${config} 1`, diagnostics: "Diagnostic* 2", private: "bytes 3" },
  PlanResourceChangeRequest: {
    typeName: "string 1",
    priorState: `${config} 2`,
    proposedNewState: `${config} 3`,
    config: `${config} 4`,
    priorPrivate: "bytes 5",
    clientCapabilities: "ClientCapabilities 7",
  },
  PlanResourceChangeResponse: {
    plannedState: `${config} 1`,
    requiresReplace: "AttributePath* 2",
    plannedPrivate: "bytes 3",
    diagnostics: "Diagnostic* 4",
  },
  ApplyResourceChangeRequest: {
    typeName: "string 1",
    priorState: `${config} 2`,
    plannedState: `${config} 3`,
    config: `${config} 4`,
    plannedPrivate: "bytes 5",
  },
  ApplyResourceChangeResponse: { newState: `${config} 1`, private: "bytes 2", diagnostics: "Diagnostic* 3" },
  ImportResourceStateRequest: { typeName: "string 1", id: "string 2" },
  ImportedResource: { typeName: "string 1", state: `${config} 2`, private: "bytes 3" },
  ImportResourceStateResponse: { importedResources: "ImportedResource* 1", diagnostics: "Diagnostic* 2" },
  MoveResourceStateRequest: {
    sourceProviderAddress: "string 1",
    sourceTypeName: "string 2",
    sourceSchemaVersion: "int64 3",
    sourceState: "RawState 4",
    targetTypeName: "string 5",
    sourcePrivate: "bytes 6",
  },
  MoveResourceStateResponse: {
    targetState: `${config} 1`,
    diagnostics: "Diagnostic* 2",
    targetPrivate: "bytes 3",
  },
  ReadDataSourceResponse: { state: `${config} 1`, diagnostics: "Diagnostic* 2" },
  GetFunctionsResponse: { functions: "<Function> 1", diagnostics: "Diagnostic* 2" },
  CallFunctionRequest: { name: "string 1", arguments: `${config}* 2` },
  CallFunctionResponse: { result: `${config} 1`, error: "FunctionError 2" },
  OpenEphemeralResourceResponse: {
    diagnostics: "Diagnostic* 1",
    renewAt: "Timestamp 2",
    result: `${config} 3`,
    private: "bytes 4",
  },
  HeldEphemeralRequest: { typeName: "string 1", private: "bytes 2" },
  RenewEphemeralResourceResponse: {
    diagnostics: "Diagnostic* 1",
    renewAt: "Timestamp 2",
    private: "bytes 3",
  },
  StopProviderResponse: { error: "string 1" },
  StdioData: { channel: "int32 1", data: "bytes 2" },
  ConnInfo: { serviceId: "uint32 1", network: "string 2", address: "string 3" },
  HealthCheckRequest: { service: "string 1" },
  HealthCheckResponse: { status: "int32 1" },
};

let root: protobuf.Root | undefined;

/** The codec of one message; the descriptor is built with the first one. */
export function messageNamed(name: string): protobuf.Type {
  root ??= protobuf.Root.fromJSON({
    nested: Object.fromEntries(Object.entries(messages).map(([type, fields]) => [type, messageOf(fields)])),
  });
  return root.lookupType(name);
}

function messageOf(fields: Fields): protobuf.IType {
  const described = Object.entries(fields).map(([name, text]) => {
    const [type = "", number] = text.split(" ");
    const id = Number(number);
    if (type.startsWith("<")) return [name, { keyType: "string", type: type.slice(1, -1), id }];
    if (type.endsWith("*")) return [name, { rule: "repeated", type: type.slice(0, -1), id }];
    return [name, { type, id }];
  });
  return { fields: Object.fromEntries(described) };
}

import protobuf from "protobufjs/light";

/** `type number`: a field; `type* number`: repeated; `type? number`: its zero is sent; `<type> number`: a map from string. */
type MessageFields = Readonly<Record<string, `${string} ${number}`>>;

/**
 * Messages of plugin protocol 6.11 (`docs/plugin-protocol/tfplugin6.proto` of Terraform 1.16) with the fields that are
 * used: others are skipped on reading. Only the numbers are on the wire; the names are ours. An older core does not use
 * the newer messages:
 * - 6.9 (Terraform 1.12): identities;
 * - 6.10: list resources and actions;
 * - 6.11: private data of an earlier plan, generated configuration.
 */
const messages = {
  Empty: {},
  Value: { msgpack: "bytes 1" },
  Step: { attributeName: "string 1", elementKeyString: "string 2" },
  AttributePath: { steps: "Step* 1" },
  Diagnostic: { severity: "int32 1", summary: "string 2", detail: "string 3", attribute: "AttributePath 4" },
  Diagnostics: { diagnostics: "Diagnostic* 1" },
  RawState: { json: "bytes 1" },
  Schema: { version: "int64 1", block: "Block 2" },
  Block: {
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
    generateResourceConfig: "bool 4",
  },
  ClientCapabilities: { writeOnlyAttributesAllowed: "bool 2", storePlannedPrivate: "bool 3" },
  Function: {
    parameters: "Parameter* 1",
    return: "Return 3",
    summary: "string 4",
    description: "string 5",
    descriptionKind: "int32 6",
  },
  Parameter: {
    name: "string 1",
    type: "bytes 2",
    allowNullValue: "bool 3",
    description: "string 5",
    descriptionKind: "int32 6",
  },
  Return: { type: "bytes 1" },
  FunctionError: { text: "string 1", functionArgument: "int64? 2" },
  IdentitySchema: { version: "int64 1", attributes: "IdentityAttribute* 2" },
  IdentityAttribute: {
    name: "string 1",
    type: "bytes 2",
    requiredForImport: "bool 3",
    optionalForImport: "bool 4",
    description: "string 5",
  },
  Identity: { value: "Value 1" },
  ActionSchema: { schema: "Schema 1" },
  GetProviderSchemaResponse: {
    provider: "Schema 1",
    resourceSchemas: "<Schema> 2",
    dataSourceSchemas: "<Schema> 3",
    serverCapabilities: "ServerCapabilities 6",
    functions: "<Function> 7",
    ephemeralResourceSchemas: "<Schema> 8",
    listResourceSchemas: "<Schema> 9",
    actionSchemas: "<ActionSchema> 11",
  },
  GetResourceIdentitySchemasResponse: { identitySchemas: "<IdentitySchema> 1", diagnostics: "Diagnostic* 2" },
  UpgradeResourceIdentityResponse: { upgradedIdentity: "Identity 1", diagnostics: "Diagnostic* 2" },
  ConfigRequest: { config: "Value 1" },
  ValueResponse: { value: "Value 1", diagnostics: "Diagnostic* 2" },
  ConfigureProviderRequest: { terraformVersion: "string 1", config: "Value 2" },
  TypedConfigRequest: { typeName: "string 1", config: "Value 2", clientCapabilities: "ClientCapabilities 3" },
  UpgradeRequest: { typeName: "string 1", rawState: "RawState 3" },
  ReadResourceRequest: {
    typeName: "string 1",
    currentState: "Value 2",
    private: "bytes 3",
    currentIdentity: "Identity 6",
  },
  ReadResourceResponse: {
    newState: "Value 1",
    diagnostics: "Diagnostic* 2",
    private: "bytes 3",
    newIdentity: "Identity 5",
  },
  PlanResourceChangeRequest: {
    typeName: "string 1",
    priorState: "Value 2",
    config: "Value 4",
    priorPrivate: "bytes 5",
    priorIdentity: "Identity 8",
    plannedPrivate: "bytes 9",
  },
  GenerateResourceConfigRequest: { typeName: "string 1", state: "Value 2" },
  PlanResourceChangeResponse: {
    plannedState: "Value 1",
    requiresReplace: "AttributePath* 2",
    plannedPrivate: "bytes 3",
    diagnostics: "Diagnostic* 4",
    legacyTypeSystem: "bool 5",
    plannedIdentity: "Identity 7",
  },
  ApplyResourceChangeRequest: {
    typeName: "string 1",
    priorState: "Value 2",
    plannedState: "Value 3",
    config: "Value 4",
    plannedPrivate: "bytes 5",
    plannedIdentity: "Identity 7",
  },
  ApplyResourceChangeResponse: {
    newState: "Value 1",
    private: "bytes 2",
    diagnostics: "Diagnostic* 3",
    newIdentity: "Identity 5",
  },
  ImportResourceStateRequest: { typeName: "string 1", id: "string 2", identity: "Identity 4" },
  ImportedResource: { typeName: "string 1", state: "Value 2", private: "bytes 3", identity: "Identity 4" },
  ImportResourceStateResponse: { importedResources: "ImportedResource* 1", diagnostics: "Diagnostic* 2" },
  MoveResourceStateRequest: {
    sourceProviderAddress: "string 1",
    sourceTypeName: "string 2",
    targetTypeName: "string 5",
  },
  GetFunctionsResponse: { functions: "<Function> 1", diagnostics: "Diagnostic* 2" },
  CallFunctionRequest: { name: "string 1", arguments: "Value* 2" },
  CallFunctionResponse: { result: "Value 1", error: "FunctionError 2" },
  OpenEphemeralResourceResponse: { diagnostics: "Diagnostic* 1", value: "Value 3" },
  ListResourceRequest: {
    typeName: "string 1",
    config: "Value 2",
    includeResourceObject: "bool 3",
    limit: "int64 4",
  },
  ListResourceEvent: {
    identity: "Identity 1",
    displayName: "string 2",
    resourceObject: "Value 3",
    diagnostics: "Diagnostic* 4",
  },
  ActionEvent: { progress: "ActionProgress 1", completed: "Diagnostics 2" },
  ActionProgress: { message: "string 1" },
} as const satisfies Readonly<Record<string, MessageFields>>;

type Messages = typeof messages;
export type MessageName = keyof Messages;

interface Scalars {
  readonly string: string;
  readonly bytes: Uint8Array;
  readonly bool: boolean;
  readonly int32: number;
  readonly int64: number;
}

type TypeNamed<Name> = Name extends keyof Scalars
  ? Scalars[Name]
  : Name extends MessageName
    ? Message<Name>
    : never;

/** A field as `Fields` describes it. A message that is not there is null. */
type MessageField<Text> = Text extends `<${infer Name}> ${number}`
  ? Readonly<Record<string, TypeNamed<Name>>>
  : Text extends `${infer Name}* ${number}`
    ? readonly TypeNamed<Name>[]
    : Text extends `${infer Name}? ${number}`
      ? TypeNamed<Name>
      : Text extends `${infer Name} ${number}`
        ? TypeNamed<Name> | (Name extends MessageName ? null : never)
        : never;

/** A message to send: a missing field has the default of its type. */
export type Message<Name extends MessageName> = {
  readonly [Key in keyof Messages[Name]]?: MessageField<Messages[Name][Key]>;
};

type Received<Name extends MessageName> = {
  readonly [Key in keyof Messages[Name]]: MessageField<Messages[Name][Key]>;
};

let root: protobuf.Root | undefined;

/** The codec of one message; the descriptor is built with the first one. */
export function messageNamed(name: MessageName): protobuf.Type {
  root ??= protobuf.Root.fromJSON({
    nested: Object.fromEntries(Object.entries(messages).map(([type, fields]) => [type, messageOf(fields)])),
  });
  return root.lookupType(name);
}

const hasPresence = { features: { field_presence: "EXPLICIT" } };

function messageOf(fields: MessageFields): protobuf.IType {
  const described = Object.entries(fields).map(([name, text]) => {
    const [type = "", number] = text.split(" ");
    const id = Number(number);
    if (type.startsWith("<")) return [name, { keyType: "string", type: type.slice(1, -1), id }];
    if (type.endsWith("*")) return [name, { rule: "repeated", type: type.slice(0, -1), id }];
    if (type.endsWith("?")) return [name, { type: type.slice(0, -1), id, options: hasPresence }];
    return [name, { type, id }];
  });
  return { fields: Object.fromEntries(described) };
}

/** Name, request message and response message of every call of the provider service that has one answer. */
export const providerMethods = {
  GetProviderSchema: ["Empty", "GetProviderSchemaResponse"],
  ValidateProviderConfig: ["ConfigRequest", "ValueResponse"],
  ConfigureProvider: ["ConfigureProviderRequest", "Diagnostics"],
  ValidateResourceConfig: ["TypedConfigRequest", "Diagnostics"],
  ValidateDataResourceConfig: ["TypedConfigRequest", "Diagnostics"],
  GetResourceIdentitySchemas: ["Empty", "GetResourceIdentitySchemasResponse"],
  UpgradeResourceState: ["UpgradeRequest", "ValueResponse"],
  UpgradeResourceIdentity: ["UpgradeRequest", "UpgradeResourceIdentityResponse"],
  ReadResource: ["ReadResourceRequest", "ReadResourceResponse"],
  PlanResourceChange: ["PlanResourceChangeRequest", "PlanResourceChangeResponse"],
  ApplyResourceChange: ["ApplyResourceChangeRequest", "ApplyResourceChangeResponse"],
  ImportResourceState: ["ImportResourceStateRequest", "ImportResourceStateResponse"],
  MoveResourceState: ["MoveResourceStateRequest", "ValueResponse"],
  GenerateResourceConfig: ["GenerateResourceConfigRequest", "ValueResponse"],
  ReadDataSource: ["TypedConfigRequest", "ValueResponse"],
  GetFunctions: ["Empty", "GetFunctionsResponse"],
  CallFunction: ["CallFunctionRequest", "CallFunctionResponse"],
  ValidateEphemeralResourceConfig: ["TypedConfigRequest", "Diagnostics"],
  OpenEphemeralResource: ["TypedConfigRequest", "OpenEphemeralResourceResponse"],
  RenewEphemeralResource: ["Empty", "Diagnostics"],
  CloseEphemeralResource: ["Empty", "Diagnostics"],
  ValidateListResourceConfig: ["TypedConfigRequest", "Diagnostics"],
  ValidateActionConfig: ["TypedConfigRequest", "Diagnostics"],
  PlanAction: ["TypedConfigRequest", "Diagnostics"],
  StopProvider: ["Empty", "Empty"],
} as const satisfies Readonly<Record<string, readonly [MessageName, MessageName]>>;

/** Name, request message and event message of every call that is answered by a stream of events. */
export const streamingMethods = {
  ListResource: ["ListResourceRequest", "ListResourceEvent"],
  InvokeAction: ["TypedConfigRequest", "ActionEvent"],
} as const satisfies Readonly<Record<string, readonly [MessageName, MessageName]>>;

export type ProviderMethod = keyof typeof providerMethods;
export type StreamingMethod = keyof typeof streamingMethods;
type Methods = typeof providerMethods & typeof streamingMethods;
export type RequestOf<Method extends keyof Methods> = Received<Methods[Method][0]>;
export type ResponseOf<Method extends keyof Methods> = Message<Methods[Method][1]>;

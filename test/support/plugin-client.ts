import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { decode, Encoder } from "@msgpack/msgpack";
import protobuf from "protobufjs";
import { builtProvider } from "./built-provider";

/**
 * The part of plugin protocol 6.11 that a later Terraform than the binary here uses, written down from
 * `docs/plugin-protocol/tfplugin6.proto` and from nothing of ours: a wrong number in `src/terraform/protocol.ts` shows.
 */
const proto = `
syntax = "proto3";
package tfplugin6;
message DynamicValue { bytes msgpack = 1; bytes json = 2; }
message Step { string attribute_name = 1; string element_key_string = 2; int64 element_key_int = 3; }
message AttributePath { repeated Step steps = 1; }
message Diagnostic { int32 severity = 1; string summary = 2; string detail = 3; AttributePath attribute = 4; }
message RawState { bytes json = 1; }
message ClientCapabilities { bool deferral_allowed = 1; bool write_only_attributes_allowed = 2; }
message Empty {}
message IdentityAttribute { string name = 1; bytes type = 2; bool required_for_import = 3; bool optional_for_import = 4; string description = 5; }
message ResourceIdentitySchema { int64 version = 1; repeated IdentityAttribute identity_attributes = 2; }
message ResourceIdentityData { DynamicValue identity_data = 1; }
message Attribute { string name = 1; bytes type = 2; string description = 3; bool required = 4; bool optional = 5; bool computed = 6; bool sensitive = 7; bool write_only = 11; }
message NestedBlock { string type_name = 1; Block block = 2; int32 nesting = 3; }
message Block { int64 version = 1; repeated Attribute attributes = 2; repeated NestedBlock block_types = 3; string description = 4; }
message Schema { int64 version = 1; Block block = 2; }
message ActionSchema { Schema schema = 1; }
message ProviderSchema {
  Schema provider = 1; map<string, Schema> resource_schemas = 2; map<string, Schema> data_source_schemas = 3;
  ServerCapabilities server_capabilities = 6; map<string, Schema> list_resource_schemas = 9; map<string, ActionSchema> action_schemas = 11;
}
message IdentitySchemas { map<string, ResourceIdentitySchema> identity_schemas = 1; repeated Diagnostic diagnostics = 2; }
message UpgradeIdentityRequest { string type_name = 1; int64 version = 2; RawState raw_identity = 3; }
message UpgradeIdentityResponse { ResourceIdentityData upgraded_identity = 1; repeated Diagnostic diagnostics = 2; }
message ConfigureRequest { string terraform_version = 1; DynamicValue config = 2; ClientCapabilities client_capabilities = 3; }
message ConfigRequest { string type_name = 1; DynamicValue config = 2; ClientCapabilities client_capabilities = 3; }
message Diagnostics { repeated Diagnostic diagnostics = 1; }
message ReadRequest { string type_name = 1; DynamicValue current_state = 2; bytes private = 3; ResourceIdentityData current_identity = 6; }
message ReadResponse { DynamicValue new_state = 1; repeated Diagnostic diagnostics = 2; bytes private = 3; ResourceIdentityData new_identity = 5; }
message ReadDataResponse { DynamicValue state = 1; repeated Diagnostic diagnostics = 2; }
message PlanRequest {
  string type_name = 1; DynamicValue prior_state = 2; DynamicValue proposed_new_state = 3; DynamicValue config = 4;
  bytes prior_private = 5; ClientCapabilities client_capabilities = 7; ResourceIdentityData prior_identity = 8; bytes planned_private = 9;
}
message PlanResponse {
  DynamicValue planned_state = 1; repeated AttributePath requires_replace = 2; bytes planned_private = 3;
  repeated Diagnostic diagnostics = 4; ResourceIdentityData planned_identity = 7;
}
message ApplyRequest {
  string type_name = 1; DynamicValue prior_state = 2; DynamicValue planned_state = 3; DynamicValue config = 4;
  bytes planned_private = 5; ResourceIdentityData planned_identity = 7;
}
message ApplyResponse { DynamicValue new_state = 1; bytes private = 2; repeated Diagnostic diagnostics = 3; ResourceIdentityData new_identity = 5; }
message ImportRequest { string type_name = 1; string id = 2; ResourceIdentityData identity = 4; }
message ImportedResource { string type_name = 1; DynamicValue state = 2; bytes private = 3; ResourceIdentityData identity = 4; }
message ImportResponse { repeated ImportedResource imported_resources = 1; repeated Diagnostic diagnostics = 2; }
message MoveRequest { string source_provider_address = 1; string source_type_name = 2; string target_type_name = 5; }
message MoveResponse { DynamicValue target_state = 1; repeated Diagnostic diagnostics = 2; }
message ServerCapabilities { bool plan_destroy = 1; bool get_provider_schema_optional = 2; bool move_resource_state = 3; }
message GenerateRequest { string type_name = 1; DynamicValue state = 2; }
message GenerateResponse { DynamicValue config = 1; repeated Diagnostic diagnostics = 2; }
message ListRequest { string type_name = 1; DynamicValue config = 2; bool include_resource_object = 3; int64 limit = 4; }
message ListEvent { ResourceIdentityData identity = 1; string display_name = 2; optional DynamicValue resource_object = 3; repeated Diagnostic diagnostic = 4; }
message PlanActionRequest { string action_type = 1; DynamicValue config = 2; ClientCapabilities client_capabilities = 3; }
message Progress { string message = 1; }
message Completed { repeated Diagnostic diagnostics = 1; }
message ActionEvent { oneof type { Progress progress = 1; Completed completed = 2; } }
`;

const methods = {
  GetProviderSchema: ["Empty", "ProviderSchema"],
  GetResourceIdentitySchemas: ["Empty", "IdentitySchemas"],
  UpgradeResourceIdentity: ["UpgradeIdentityRequest", "UpgradeIdentityResponse"],
  ConfigureProvider: ["ConfigureRequest", "Diagnostics"],
  ValidateResourceConfig: ["ConfigRequest", "Diagnostics"],
  ReadResource: ["ReadRequest", "ReadResponse"],
  PlanResourceChange: ["PlanRequest", "PlanResponse"],
  ApplyResourceChange: ["ApplyRequest", "ApplyResponse"],
  ImportResourceState: ["ImportRequest", "ImportResponse"],
  MoveResourceState: ["MoveRequest", "MoveResponse"],
  GenerateResourceConfig: ["GenerateRequest", "GenerateResponse"],
  ReadDataSource: ["ConfigRequest", "ReadDataResponse"],
  ValidateListResourceConfig: ["ConfigRequest", "Diagnostics"],
  ListResource: ["ListRequest", "ListEvent"],
  ValidateActionConfig: ["ConfigRequest", "Diagnostics"],
  PlanAction: ["PlanActionRequest", "Diagnostics"],
  InvokeAction: ["PlanActionRequest", "ActionEvent"],
} as const;

type Method = keyof typeof methods;

/** Answers are read loosely, as the test that asks knows what is in them. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Answer = any;

const root = protobuf.parse(proto, { keepCase: true }).root;
const messageNamed = (name: string): protobuf.Type => root.lookupType(`tfplugin6.${name}`);

/** A value in the form of the protocol; every attribute must be in it. */
export const dynamic = (value: unknown): { msgpack: Uint8Array } => ({
  msgpack: new Encoder().encode(value),
});

/** The value in a message. */
export const plain = (message: { msgpack?: Uint8Array } | null | undefined): Answer =>
  message?.msgpack?.length ? decode(message.msgpack) : undefined;

export const identityData = (value: unknown) => ({ identity_data: dynamic(value) });
export const identityIn = (message: Answer): Answer => plain(message?.identity_data);

/** A client of the plugin protocol as a later Terraform speaks it. */
export class PluginClient {
  readonly #client: grpc.Client;

  constructor(
    socket: string,
    readonly child?: ChildProcess,
  ) {
    this.#client = new grpc.Client(`unix:${socket}`, grpc.credentials.createInsecure());
  }

  /** Starts the built provider, as Terraform does, without TLS. */
  static async start(cwd: string, environment: Readonly<Record<string, string>>): Promise<PluginClient> {
    const child = spawn(process.execPath, [join(builtProvider(), "terraform-provider-rnv")], {
      cwd,
      env: {
        PATH: process.env.PATH ?? "",
        TMPDIR: cwd,
        TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.pipe(process.stderr);
    const handshake = await new Promise<string>((resolve) =>
      child.stdout.once("data", (chunk) => resolve(`${chunk}`)),
    );
    return new PluginClient(handshake.split("|")[3] ?? "", child);
  }

  call(method: Method, request: object = {}): Promise<Answer> {
    const { path, serialize, deserialize } = wire(method);
    return new Promise((resolve, reject) =>
      this.#client.makeUnaryRequest(path, serialize, deserialize, request, (failure, answer) =>
        failure ? reject(failure) : resolve(answer),
      ),
    );
  }

  /** Returns all events of a call; `onEvent` sees each as it comes. */
  async events(
    method: Method,
    request: object,
    onEvent: (event: Answer) => void = () => {},
  ): Promise<Answer[]> {
    const { path, serialize, deserialize } = wire(method);
    const stream = this.#client.makeServerStreamRequest(path, serialize, deserialize, request);
    const events: Answer[] = [];
    for await (const event of stream) {
      events.push(event);
      onEvent(event);
    }
    return events;
  }

  /** Configures the provider from its environment. */
  configure = (): Promise<Answer> =>
    this.call("ConfigureProvider", {
      terraform_version: "1.14.0",
      config: dynamic(nothingOf(this.#provider)),
    });

  #provider: readonly string[] = [];

  /** Reads the schema, as every core does first. */
  async schema(): Promise<Answer> {
    const schema = await this.call("GetProviderSchema");
    this.#provider = schema.provider.block.attributes.map(({ name }: { name: string }) => name);
    return schema;
  }

  close(): void {
    this.#client.close();
    this.child?.kill();
  }
}

const nothingOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

function wire(method: Method) {
  const [request, response] = methods[method];
  return {
    path: `/tfplugin6.Provider/${method}`,
    serialize: (message: object) => Buffer.from(messageNamed(request).encode(message).finish()),
    deserialize: (bytes: Buffer): Answer =>
      messageNamed(response).toObject(messageNamed(response).decode(bytes), { longs: Number, arrays: true }),
  };
}

/** A whole value of a schema: what is given, and null for all else. */
export function wholeOf(schema: Answer, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { attributes, block_types: blocks } = schema.block;
  const nulls = nothingOf(attributes.map(({ name }: { name: string }) => name));
  for (const { type_name: name, block, nesting } of blocks)
    nulls[name] = nesting === 5 ? (wholeOf({ block }, {}) as never) : null;
  return { ...nulls, ...given };
}

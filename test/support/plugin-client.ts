import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { decode, Encoder } from "@msgpack/msgpack";
import protobuf from "protobufjs";
import { startProvider } from "./built-provider";

const proto = readFileSync(join(__dirname, "tfplugin6.proto"), "utf8");

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

  /** Starts the built provider, as Terraform does. */
  static async start(cwd: string, environment: Readonly<Record<string, string>>): Promise<PluginClient> {
    const own = { PATH: process.env.PATH ?? "", TMPDIR: cwd };
    const { child, socket } = await startProvider(cwd, { ...own, ...environment });
    return new PluginClient(socket, child);
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

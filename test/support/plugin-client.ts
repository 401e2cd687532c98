import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { decode, Encoder } from "@msgpack/msgpack";
import protobuf from "protobufjs";
import { startProvider } from "./built-provider";
import { settingsOf } from "./settings";

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
const encoded = (name: string, message: object): Buffer =>
  Buffer.from(messageNamed(name).encode(message).finish());

/** Returns the message of a name that bytes stand for. */
export const decoded = (name: string, bytes: Uint8Array): Answer =>
  messageNamed(name).toObject(messageNamed(name).decode(bytes), { longs: Number, arrays: true });

export const asIs = (bytes: Buffer): Buffer => bytes;
export const pathOf = (method: string): string => `/tfplugin6.Provider/${method}`;

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

  private constructor(
    socket: string,
    readonly child: ChildProcess,
  ) {
    this.#client = new grpc.Client(`unix:${socket}`, grpc.credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
    });
  }

  /** Starts the built provider, as Terraform does; with `fast-clock` its waits pass twenty times as fast. */
  static async start(cwd: string, baseUrl: string, clock?: "fast-clock"): Promise<PluginClient> {
    const environment = {
      ...{ PATH: process.env.PATH ?? "", TMPDIR: cwd, HOME: cwd },
      ...settingsOf(baseUrl),
    };
    const node = clock === undefined ? [] : ["--require", join(__dirname, `${clock}.cjs`)];
    const { child, socket } = await startProvider(cwd, environment, { node });
    return new PluginClient(socket, child);
  }

  /** Sends the bytes of a request, and returns those of its answer. */
  send(method: string, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) =>
      this.#client.makeUnaryRequest(pathOf(method), asIs, asIs, request, (failure, answer) =>
        failure || answer === undefined ? reject(failure) : resolve(answer),
      ),
    );
  }

  async call(method: Method, request: object = {}): Promise<Answer> {
    const [asked, answered] = methods[method];
    return decoded(answered, await this.send(method, encoded(asked, request)));
  }

  /** Returns all events of a call. */
  async events(method: Method, request: object): Promise<Answer[]> {
    const [asked, answered] = methods[method];
    const events: Answer[] = [];
    const bytes = encoded(asked, request);
    for await (const event of this.#client.makeServerStreamRequest(pathOf(method), asIs, asIs, bytes))
      events.push(decoded(answered, event));
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
    this.child.kill();
  }
}

const nothingOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

/** A whole value of a schema: what is given, and null for all else. */
export function wholeOf(schema: Answer, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { attributes, block_types: blocks } = schema.block;
  const nulls = nothingOf(attributes.map(({ name }: { name: string }) => name));
  for (const { type_name: name, block, nesting } of blocks)
    nulls[name] = nesting === 5 ? (wholeOf({ block }, {}) as never) : null;
  return { ...nulls, ...given };
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { type Certificate, selfSigned } from "./certificate";
import { type MessageName, messageNamed, type ProviderMethod, providerMethods } from "./protocol";

/** Answers one call; messages are plain objects in the forms of `protocol.ts`. */
export type CallHandler = (method: ProviderMethod, request: unknown) => Promise<object>;

export interface ServeOptions {
  /** PEM of the one certificate that may connect; undefined serves without TLS. */
  readonly clientCertificate: string | undefined;
  readonly answer: CallHandler;
  /** The client asked for the end, or is gone. */
  readonly onEnd: () => void;
}

export interface PluginServer {
  /** The one line that go-plugin waits for on stdout, without its line break. */
  readonly handshake: string;
  readonly path: string;
  readonly close: () => void;
}

/** Serves the plugin protocol on a unix socket of its own folder, by mutual TLS. */
export async function serve(options: ServeOptions): Promise<PluginServer> {
  const folder = mkdtempSync(join(tmpdir(), "rnv-"));
  const path = join(folder, "s");
  const own = options.clientCertificate === undefined ? undefined : selfSigned(Date.now());
  // Terraform's own limits hold; these are for what a schema or a plan may weigh.
  const server = new grpc.Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  addProvider(server, options.answer);
  addPluginServices(server, options.onEnd, own !== undefined);
  const close = (): void => {
    rmSync(folder, { recursive: true, force: true });
    server.forceShutdown();
  };
  try {
    await listen(server, path, credentialsOf(own, options.clientCertificate));
  } catch (failure) {
    close();
    throw failure;
  }
  const certificate = own?.der.toString("base64").replace(/=+$/, "") ?? "";
  return { handshake: `1|6|unix|${path}|grpc|${certificate}`, path, close };
}

function credentialsOf(own: Certificate | undefined, client: string | undefined): grpc.ServerCredentials {
  if (own === undefined || client === undefined) return grpc.ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.certificate) };
  return grpc.ServerCredentials.createSsl(Buffer.from(client), [pair], true);
}

const listen = (server: grpc.Server, path: string, credentials: grpc.ServerCredentials): Promise<void> =>
  new Promise((resolve, reject) =>
    server.bindAsync(`unix:${path}`, credentials, (failure) => (failure ? reject(failure) : resolve())),
  );

type RpcCall = grpc.MethodDefinition<object, object>;

// The codecs are looked up late: the handshake does not wait for them.
const encode = (name: MessageName) => (message: object) =>
  Buffer.from(messageNamed(name).encode(message).finish());
const decode = (name: MessageName) => (bytes: Buffer) => messageNamed(name).decode(bytes);

const methodOf = (
  path: string,
  request: MessageName,
  response: MessageName,
  streams: Partial<RpcCall> = {},
): RpcCall => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: encode(request),
  requestDeserialize: decode(request),
  responseSerialize: encode(response),
  responseDeserialize: decode(response),
  ...streams,
});

function addProvider(server: grpc.Server, answer: CallHandler): void {
  const definition: Record<string, RpcCall> = {};
  const handlers: grpc.UntypedServiceImplementation = {};
  for (const [name, [request, response]] of Object.entries(providerMethods)) {
    definition[name] = methodOf(`/tfplugin6.Provider/${name}`, request, response);
    handlers[name] = (call: { request: object }, done: grpc.sendUnaryData<object>) => {
      answer(name as ProviderMethod, call.request).then(
        (message) => done(null, message),
        (failure: unknown) => done({ code: grpc.status.INTERNAL, details: String(failure) }),
      );
    };
  }
  server.addService(definition, handlers);
}

/** Adds what go-plugin asks of every plugin: shutdown, the two streams, health. */
function addPluginServices(server: grpc.Server, onEnd: () => void, isOfOneClient: boolean): void {
  const out = { responseStream: true };
  const both = { requestStream: true, responseStream: true };
  server.addService(
    { Shutdown: methodOf("/plugin.GRPCController/Shutdown", "Empty", "Empty") },
    {
      Shutdown: (_call: unknown, done: grpc.sendUnaryData<object>) => {
        done(null, {});
        // After the answer has left.
        setImmediate(() => setTimeout(onEnd, 5));
      },
    },
  );
  server.addService(
    { StreamStdio: methodOf("/plugin.GRPCStdio/StreamStdio", "Empty", "Empty", out) },
    {
      // Held open, never written to: its end says that Terraform is gone. Without TLS others may attach after it.
      StreamStdio: (call: grpc.ServerWritableStream<object, object>) =>
        void (isOfOneClient && call.on("cancelled", onEnd)),
    },
  );
  server.addService(
    { StartStream: methodOf("/plugin.GRPCBroker/StartStream", "Empty", "Empty", both) },
    { StartStream: (call: grpc.ServerDuplexStream<object, object>) => void call.on("data", () => {}) },
  );
  server.addService(
    { Check: methodOf("/grpc.health.v1.Health/Check", "Empty", "HealthCheckResponse") },
    { Check: (_call: unknown, done: grpc.sendUnaryData<object>) => done(null, { status: 1 }) },
  );
}

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import { type Certificate, selfSigned } from "./certificate";
import {
  type MessageName,
  messageNamed,
  type ProviderMethod,
  providerMethods,
  type StreamingMethod,
  streamingMethods,
} from "./protocol";

/** Answers one call; messages are plain objects in the forms of `protocol.ts`. */
export type CallHandler = (method: ProviderMethod, request: unknown) => Promise<object>;

export interface EventSink<Event = object> {
  /** Resolves once the client takes more. */
  readonly send: (event: Event) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Answers one call with events; the stream ends when it resolves. */
export type StreamHandler = (method: StreamingMethod, request: unknown, events: EventSink) => Promise<void>;

interface ServeOptions {
  /** PEM of the only certificate that may connect; undefined serves without TLS. */
  readonly clientCertificate: string | undefined;
  readonly answer: CallHandler;
  readonly stream: StreamHandler;
  /** The client asked for the end, or is gone. */
  readonly onEnd: () => void;
  /** Listens on a port of localhost: there are no unix sockets. */
  readonly usesPort: boolean;
}

export interface PluginServer {
  /** The line that go-plugin waits for on stdout, without its line break. */
  readonly handshake: string;
  readonly close: () => void;
}

/** Serves the plugin protocol by mutual TLS, on a unix socket of its own folder or on a port of localhost. */
export async function serve(options: ServeOptions): Promise<PluginServer> {
  const own = options.clientCertificate === undefined ? undefined : selfSigned(Date.now());
  // Terraform's own limits hold; these allow large schemas and plans.
  const server = new grpc.Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    // Counts calls for a debugger that nothing here serves.
    "grpc.enable_channelz": 0,
  });
  addProvider(server, options);
  addPluginServices(server, options.onEnd, own && options.onEnd);
  const folder = options.usesPort ? undefined : mkdtempSync(join(tmpdir(), "rnv-"));
  const socket = folder && join(folder, "s");
  const close = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    server.forceShutdown();
  };
  const credentials = credentialsOf(own, options.clientCertificate);
  const address = socket === undefined ? "127.0.0.1:0" : `unix:${socket}`;
  const listen = promisify(server.bindAsync).bind(server);
  const port = await listen(address, credentials).catch((failure: unknown) => {
    close();
    throw failure;
  });
  const [network, path] = socket === undefined ? ["tcp", `127.0.0.1:${port}`] : ["unix", socket];
  const certificate = own?.der.toString("base64").replace(/=+$/, "") ?? "";
  return { handshake: `1|6|${network}|${path}|grpc|${certificate}`, close };
}

function credentialsOf(own: Certificate | undefined, client: string | undefined): grpc.ServerCredentials {
  if (own === undefined || client === undefined) return grpc.ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.certificate) };
  return grpc.ServerCredentials.createSsl(Buffer.from(client), [pair], true);
}

type RpcCall = grpc.MethodDefinition<object, object>;

// The codecs are looked up late: the handshake does not wait for them.
const encode = (name: MessageName) => (message: object) => {
  const { buffer, byteOffset, byteLength } = messageNamed(name).encode(message).finish();
  return Buffer.from(buffer, byteOffset, byteLength);
};
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

function addProvider(server: grpc.Server, { answer, stream }: ServeOptions): void {
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
  for (const [name, [request, event]] of Object.entries(streamingMethods)) {
    definition[name] = methodOf(`/tfplugin6.Provider/${name}`, request, event, { responseStream: true });
    handlers[name] = (call: grpc.ServerWritableStream<object, object>) => {
      stream(name as StreamingMethod, call.request, sinkOf(call)).then(
        () => call.end(),
        (failure: unknown) =>
          call.destroy(Object.assign(new Error(String(failure)), { code: grpc.status.INTERNAL })),
      );
    };
  }
  server.addService(definition, handlers);
}

function sinkOf(call: grpc.ServerWritableStream<object, object>): EventSink {
  const cancelled = new AbortController();
  call.on("cancelled", () => cancelled.abort());
  const { signal } = cancelled;
  return {
    signal,
    send: async (event) => {
      if (signal.aborted || call.write(event)) return;
      await once(call, "drain", { signal }).catch(() => {});
    },
  };
}

/** Adds the services that go-plugin demands of every plugin: the shutdown, and the stream of output. */
function addPluginServices(server: grpc.Server, onEnd: () => void, onDetach?: () => void): void {
  const add = (method: RpcCall, handler: grpc.UntypedHandleCall): void =>
    server.addService({ method }, { method: handler });
  add(
    methodOf("/plugin.GRPCController/Shutdown", "Empty", "Empty"),
    (_call: unknown, done: grpc.sendUnaryData<object>) => {
      done(null, {});
      // After the answer has left.
      setImmediate(() => setTimeout(onEnd, 5));
    },
  );
  // Held open, never written to: its end says that Terraform is gone. Without TLS others may attach after it.
  add(
    methodOf("/plugin.GRPCStdio/StreamStdio", "Empty", "Empty", { responseStream: true }),
    (call: grpc.ServerWritableStream<object, object>) => void (onDetach && call.on("cancelled", onDetach)),
  );
}

import * as grpc from "@grpc/grpc-js";
import { asIs, type PluginClient, pathOf } from "./plugin-client";

/** A call of Terraform, and its answer, as they were on the wire. */
export interface RecordedCall {
  readonly method: string;
  readonly request: Buffer;
  readonly answer: Buffer;
}

const methods = [
  ...["GetProviderSchema", "GetResourceIdentitySchemas", "ValidateProviderConfig", "ConfigureProvider"],
  ...["ValidateResourceConfig", "ValidateDataResourceConfig", "UpgradeResourceState", "ReadResource"],
  ...["PlanResourceChange", "ApplyResourceChange", "ImportResourceState", "ReadDataSource", "StopProvider"],
];

/** Serves a provider on a socket, and records what Terraform asks it. */
export async function recordCalls(
  provider: PluginClient,
  socket: string,
): Promise<{ readonly calls: RecordedCall[]; readonly close: () => void }> {
  const calls: RecordedCall[] = [];
  const server = new grpc.Server({ "grpc.max_receive_message_length": -1 });
  const definition = Object.fromEntries(
    methods.map((method) => [
      method,
      {
        ...{ path: pathOf(method), requestStream: false, responseStream: false },
        ...{ requestSerialize: asIs, requestDeserialize: asIs },
        ...{ responseSerialize: asIs, responseDeserialize: asIs },
      },
    ]),
  );
  const handlers = Object.fromEntries(
    methods.map((method) => [
      method,
      (call: { request: Buffer }, done: grpc.sendUnaryData<Buffer>) => {
        provider.send(method, call.request).then(
          (answer) => {
            calls.push({ method, request: call.request, answer });
            done(null, answer);
          },
          (failure: grpc.ServiceError) => done(failure),
        );
      },
    ]),
  );
  server.addService(definition, handlers);
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${socket}`, grpc.ServerCredentials.createInsecure(), (failure) =>
      failure ? reject(failure) : resolve(),
    ),
  );
  return { calls, close: () => server.forceShutdown() };
}

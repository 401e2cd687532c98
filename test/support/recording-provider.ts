import type { ChildProcess } from "node:child_process";
import * as grpc from "@grpc/grpc-js";
import { startProvider } from "./built-provider";

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

const asIs = (bytes: Buffer): Buffer => bytes;
const pathOf = (method: string): string => `/tfplugin6.Provider/${method}`;

/** A process of the built provider, whose calls are sent as bytes. */
export class ProviderProcess {
  readonly #client: grpc.Client;

  private constructor(
    private readonly child: ChildProcess,
    socket: string,
  ) {
    this.#client = new grpc.Client(`unix:${socket}`, grpc.credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
    });
  }

  static async start(
    folder: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProviderProcess> {
    const { child, socket } = await startProvider(folder, environment);
    return new ProviderProcess(child, socket);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  call(method: string, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) =>
      this.#client.makeUnaryRequest(pathOf(method), asIs, asIs, request, (failure, answer) =>
        failure || answer === undefined ? reject(failure) : resolve(answer),
      ),
    );
  }

  close(): void {
    this.#client.close();
    this.child.kill();
  }
}

/** Serves a provider on a socket, and records what Terraform asks it. */
export async function recordCalls(
  provider: ProviderProcess,
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
        provider.call(method, call.request).then(
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

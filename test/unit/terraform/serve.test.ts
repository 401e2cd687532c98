import * as grpc from "@grpc/grpc-js";
import { answerCall, answerStream } from "../../../src/terraform/answer";
import { type PluginServer, serve } from "../../../src/terraform/plugin-server";
import { providerMethods, streamingMethods } from "../../../src/terraform/protocol";

/** Every call of the provider service in plugin protocol 6.11 that has one answer; those of state stores are left out. */
const calls = [
  ...["GetProviderSchema", "ValidateProviderConfig", "ConfigureProvider", "StopProvider"],
  ...["ValidateResourceConfig", "UpgradeResourceState", "ReadResource", "PlanResourceChange"],
  ...["ApplyResourceChange", "ImportResourceState", "MoveResourceState", "GenerateResourceConfig"],
  ...["ValidateDataResourceConfig", "ReadDataSource", "GetFunctions", "CallFunction"],
  ...["ValidateEphemeralResourceConfig", "OpenEphemeralResource", "RenewEphemeralResource"],
  ...["CloseEphemeralResource", "GetResourceIdentitySchemas", "UpgradeResourceIdentity"],
  ...["ValidateListResourceConfig", "ValidateActionConfig", "PlanAction"],
];

const streams = ["ListResource", "InvokeAction"];

/** Calls of later minor versions, two that no core asks for, and services that go-plugin or a debugger may ask for. */
const laterCalls = [
  ...["ReadStateBytes", "ConfigureStateStore", "GetMetadata"].map((name) => `/tfplugin6.Provider/${name}`),
  "/tfplugin6.StateStore/Configure",
  "/tfplugin5.Provider/GetSchema",
  "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
];

describe("the plugin server", () => {
  let server: PluginServer;
  let client: grpc.Client;
  let hasEnded = false;
  const bytes = (value: Buffer): Buffer => value;
  const codeOf = (path: string): Promise<grpc.status> =>
    new Promise((resolve) =>
      client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), (failure) =>
        resolve(failure?.code ?? grpc.status.OK),
      ),
    );

  beforeAll(async () => {
    server = await serve({
      clientCertificate: undefined,
      answer: answerCall,
      stream: answerStream,
      onEnd: () => {
        hasEnded = true;
      },
      usesPort: false,
    });
    client = new grpc.Client(`unix:${server.handshake.split("|")[3]}`, grpc.credentials.createInsecure());
  });
  afterAll(() => {
    client.close();
    server.close();
  });

  it("serves its calls of protocol 6.11, and answers each even when nothing is in it", async () => {
    expect(Object.keys(providerMethods).sort()).toEqual([...calls].sort());
    expect(Object.keys(streamingMethods).sort()).toEqual([...streams].sort());
    const codes = await Promise.all(calls.map((name) => codeOf(`/tfplugin6.Provider/${name}`)));
    expect(calls.filter((_name, index) => codes[index] !== grpc.status.OK)).toEqual([]);
  });

  it("answers UNIMPLEMENTED to calls and services that it does not know", async () => {
    const codes = await Promise.all(laterCalls.map(codeOf));
    expect(codes).toEqual(laterCalls.map(() => grpc.status.UNIMPLEMENTED));
  });

  it("listens on a free port of localhost where there are no sockets", async () => {
    const rest = { clientCertificate: undefined, answer: answerCall, stream: answerStream, onEnd: () => {} };
    const other = await serve({ ...rest, usesPort: true });
    other.close();
    expect(other.handshake).toMatch(/^1\|6\|tcp\|127\.0\.0\.1:\d+\|grpc\|$/);
  });

  it("ends when it is told to, after its answer", async () => {
    expect(await codeOf("/plugin.GRPCController/Shutdown")).toBe(grpc.status.OK);
    while (!hasEnded) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

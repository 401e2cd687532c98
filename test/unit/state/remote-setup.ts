import { randomBytes } from "node:crypto";
import { createHttpTransport } from "../../../src/api/http-transport";
import type { WireRequest } from "../../../src/api/transport";
import type { StateBackend } from "../../../src/state/backend";
import { openBackend } from "../../../src/state/open-backend";
import { parseStateAddress } from "../../../src/state/state-address";
import { type HttpStateOptions, type StateServer, serveHttpState } from "../../support/http-state-server";
import { type S3Options, s3Environment, serveS3 } from "../../support/s3-server";
import { origin, stillClock } from "./fixtures";

export interface RemoteSetup {
  readonly server: StateServer;
  /** Path of the stored state on the server. */
  readonly path: string;
  backend(environment?: Readonly<Record<string, string>>, pid?: number): StateBackend;
}

export interface RemoteKind {
  readonly kind: string;
  start(): Promise<RemoteSetup>;
}

const setUp = (
  server: StateServer,
  address: string,
  path: string,
  given: Record<string, string>,
  sent: WireRequest[] = [],
): RemoteSetup => {
  const where = parseStateAddress(address).address;
  if (where === undefined) throw new Error(`not an address: ${address}`);
  return {
    server,
    path,
    backend: (environment = {}, pid = 100) =>
      openBackend(where, {
        ...origin,
        environment: { ...given, ...environment },
        host: "here",
        pid,
        isAlive: (other) => other === pid || other >= 1000,
        clock: stillClock(),
        randomBytes,
        openTransport: (options) => {
          const transport = createHttpTransport(options);
          return { ...transport, send: (request) => transport.send(sent[sent.push(request) - 1] ?? request) };
        },
      }),
  };
};

export async function startHttp(
  options: HttpStateOptions = {},
): Promise<RemoteSetup & { readonly server: Awaited<ReturnType<typeof serveHttpState>> }> {
  const server = await serveHttpState({ username: "rnv", password: "p4ss", ...options });
  const environment = { RNV_STATE_HTTP_USERNAME: "rnv", RNV_STATE_HTTP_PASSWORD: "p4ss" };
  return { ...setUp(server, `${server.url}/state/shop`, "/state/shop", environment), server };
}

export async function startS3(options: S3Options = {}, sent?: WireRequest[]): Promise<RemoteSetup> {
  const server = await serveS3(options);
  return setUp(
    server,
    `s3://bucket/team/shop.json?endpoint=${server.url}`,
    "/bucket/team/shop.json",
    s3Environment,
    sent,
  );
}

export const remoteKinds: readonly RemoteKind[] = [
  { kind: "http", start: () => startHttp() },
  { kind: "http without rules", start: () => startHttp({ strict: false }) },
  { kind: "s3", start: () => startS3() },
];

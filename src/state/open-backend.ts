import type { HttpTransportOptions } from "../api/http-transport";
import type { Transport } from "../api/transport";
import type { Clock } from "../model/time";
import { largestSnapshot, type StateBackend } from "./backend";
import { StateCipher } from "./cipher";
import type { BackendOptions } from "./create-backend";
import type { StateAddress } from "./state-address";
import { createHttpStore, type HttpStateSettings, httpStateSettings } from "./stores/http-store";
import { createLocalBackend } from "./stores/local-backend";
import { createRemoteBackend } from "./stores/remote-backend";
import { StateServer } from "./stores/remote-store";
import { createS3Store, s3StateSettings } from "./stores/s3-store";

export interface OpenSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly openTransport: (options: HttpTransportOptions) => Transport;
}

export interface BackendSurroundings extends OpenSurroundings, Omit<BackendOptions, "cipher" | "disk"> {
  readonly randomBytes: (length: number) => Uint8Array;
}

/** Opens the backend of an address, without a request. Throws `DiagnosticsError` for wrong settings. */
export function openBackend(address: StateAddress, around: BackendSurroundings): StateBackend {
  const cipher = new StateCipher(around.environment, around.randomBytes);
  const shared = { ...around, cipher };
  if (address.kind === "file") return createLocalBackend({ ...shared, path: address.path });
  if (address.kind === "s3") {
    const { settings, server } = openS3(address, around);
    return createRemoteBackend(createS3Store(settings, server), shared);
  }
  const settings = httpStateSettings(address.url, around.environment);
  const { server } = openServer(settings, around);
  return createRemoteBackend(createHttpStore(settings, server), shared);
}

/** Opens the way to the server of a state in S3. Throws `DiagnosticsError` for wrong settings. */
export function openS3(address: StateAddress & { readonly kind: "s3" }, around: OpenSurroundings) {
  const settings = s3StateSettings(address, around.environment);
  return { settings, ...openServer({ ...settings, retries: 4 }, around) };
}

function openServer(
  { timeoutMs, retries, tls }: Pick<HttpStateSettings, "timeoutMs" | "retries"> & Partial<HttpStateSettings>,
  { clock, openTransport }: OpenSurroundings,
) {
  const limits = { exchangeTimeoutMs: timeoutMs, maxResponseBytes: largestSnapshot };
  const transport = openTransport({ ...limits, ...tls });
  // A server that lets every request wait to the end is given up after three of them.
  const retryPolicy = { clock, retries, totalMs: 3 * timeoutMs };
  return { transport, server: new StateServer(transport, retryPolicy) };
}

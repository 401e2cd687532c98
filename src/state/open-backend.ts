import { join } from "node:path";
import type { HttpTransportOptions } from "../api/http-transport";
import type { Transport } from "../api/transport";
import type { Clock } from "../model/time";
import { largestSnapshot, type StateBackend } from "./backend";
import { StateCipher } from "./cipher";
import type { BackendOptions } from "./create-backend";
import { createLocalBackend } from "./local/local-backend";
import { nodeDisk } from "./local/node-disk";
import { backupFolder, createHttpStore, httpStateSettings } from "./remote/http-store";
import { createRemoteBackend } from "./remote/remote-backend";
import { StateServer } from "./remote/remote-store";
import { createS3Store, s3StateSettings } from "./remote/s3-store";
import type { StateAddress } from "./state-address";

/** The environment, the time and the network of what opens a state. */
export interface OpenSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Opens the way to the server of a remote state. */
  readonly openTransport: (options: HttpTransportOptions) => Transport;
}

export interface BackendSurroundings extends OpenSurroundings, Omit<BackendOptions, "cipher" | "disk"> {
  /** The folder of the backups of a remote state. */
  readonly folder: string;
  /** Cryptographic randomness. */
  readonly randomBytes: (length: number) => Uint8Array;
}

/**
 * Opens the backend of an address, without a request. Throws `DiagnosticsError` for wrong settings.
 * @example
 * const { baseUrl, workspaceId, clock, host, pid, environment, randomBytes, cwd: folder } = context;
 * const around = { baseUrl, workspaceId, clock, host, pid, environment, randomBytes, folder, isAlive: () => true };
 * const { address } = parseStateAddress("state.json");
 * const backend = address && openBackend(address, { ...around, openTransport: createHttpTransport });
 */
export function openBackend(address: StateAddress, around: BackendSurroundings): StateBackend {
  const cipher = new StateCipher(around.environment, around.randomBytes);
  const { clock, environment } = around;
  const shared = { ...around, cipher };
  if (address.kind === "file") return createLocalBackend({ ...shared, path: address.path });
  if (address.kind === "s3") {
    const { settings, server } = openS3(address, around);
    return createRemoteBackend({ ...shared, store: createS3Store(settings, server) });
  }
  const settings = httpStateSettings(address.url, environment);
  const transport = around.openTransport({ ...limitsOf(settings), ...settings.tls });
  const server = new StateServer(transport, { clock, ...settings, totalMs: totalOf(settings) });
  const backups = backupFolder(nodeDisk, join(around.folder, "backups"), address.url);
  return createRemoteBackend({ ...shared, store: createHttpStore(settings, server, backups) });
}

/** Opens the way to the server of a state in S3. Throws `DiagnosticsError` for wrong settings. */
export function openS3(
  address: StateAddress & { readonly kind: "s3" },
  { environment, clock, openTransport }: OpenSurroundings,
) {
  const settings = s3StateSettings(address, environment);
  const transport = openTransport(limitsOf(settings));
  const retryPolicy = { clock, retries: 4, waitMinMs: 500, waitMaxMs: 30_000, totalMs: totalOf(settings) };
  return { settings, transport, server: new StateServer(transport, retryPolicy) };
}

const limitsOf = ({ timeoutMs }: { readonly timeoutMs: number }): HttpTransportOptions => ({
  exchangeTimeoutMs: timeoutMs,
  maxResponseBytes: largestSnapshot,
});

/** A server that lets every request wait to the end is given up after three of them. */
const totalOf = ({ timeoutMs }: { readonly timeoutMs: number }): number => 3 * timeoutMs;

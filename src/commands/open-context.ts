import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Connection, type ConnectionOptions, openConnection } from "../api/connection";
import { gapSettings } from "../api/gap-rules";
import type { GapSettings } from "../api/gaps";
import type { HttpTransportOptions } from "../api/http-transport";
import { embeddedUrl, type Transport } from "../api/transport";
import { isBelow } from "../declaration/project-files";
import { type Diagnostic, DiagnosticsError, hasErrors } from "../diagnostics/diagnostic";
import { canonicalId } from "../model/address";
import { Secret } from "../model/secret";
import { sha256 } from "../model/sha256";
import { stageText } from "../model/stage";
import type { ProcessEnvironment } from "../model/target-location";
import { systemClock } from "../model/time";
import { version } from "../model/tool-version";
import { aliveBy } from "../state/alive-by";
import { loadStateKey } from "../state/key";
import { openBackend } from "../state/open-backend";
import { parseStateAddress, type StateAddress } from "../state/state-address";
import type { Context } from "./context";

export interface Settings {
  /** Ends in `/api/v1`; `embedded` for the emulator in-process; empty when it is not set. */
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly apiKey: Secret | undefined;
  /** First 16 hex digits of SHA-256 of the API key; empty without one. */
  readonly credential: () => string;
  readonly state: StateAddress;
  /** Absolute: holds the state, unless that is remote, and this machine's part of it. */
  readonly stateFolder: string;
  readonly gaps: GapSettings;
  /** Missing and invalid settings, all of them: with an error among them a run does not connect. */
  readonly diagnostics: readonly Diagnostic[];
}

interface GivenSettings extends Pick<Settings, "baseUrl" | "workspaceId" | "diagnostics"> {
  readonly cwd: string;
  readonly environment: ProcessEnvironment;
  readonly apiKey: string | undefined;
  /** A path below `cwd`, or an address. */
  readonly state: string;
}

/** Returns the settings of a run; throws `DiagnosticsError` at an address of a state that is none. */
export function settingsOf(given: GivenSettings): Settings {
  const { cwd, environment, baseUrl, workspaceId, apiKey } = given;
  const { address, diagnostic } = parseStateAddress(given.state);
  if (address === undefined) throw new DiagnosticsError([diagnostic]);
  const state = address.kind === "file" ? { ...address, path: resolve(cwd, address.path) } : address;
  const gaps = gapSettings(environment);
  return {
    baseUrl,
    workspaceId: canonicalId(workspaceId),
    apiKey: apiKey === undefined ? undefined : new Secret(apiKey),
    credential: () => (apiKey === undefined ? "" : sha256(apiKey).slice(0, 16)),
    state,
    // This machine keeps its part of a remote state in the working folder.
    stateFolder: state.kind === "file" ? dirname(state.path) : resolve(cwd, ".rnv"),
    gaps: gaps.settings,
    diagnostics: [...given.diagnostics, ...gaps.diagnostics],
  };
}

/** A context that holds connections until it is closed. */
export interface OpenContext extends Context {
  readonly close: () => Promise<void>;
}

type PerProcess = "baseUrl" | "workspaceId" | "credential" | "host" | "pid" | "clock" | "randomBytes";

interface RunParts
  extends Omit<Context, PerProcess | "backend" | "connect" | "stateKey">,
    Pick<ConnectionOptions, "limiter" | "onWait" | "onDeprecation"> {
  readonly settings: Settings;
  /** A state that names no stage becomes that of this stage. */
  readonly takesUnnamed: boolean;
  readonly openTransport: () => Transport;
  /** Opens the way to the server of a remote state. */
  readonly openStateTransport: (options: HttpTransportOptions) => Transport;
}

/** Opens the capabilities of a run. Nothing is asked before a command needs it. */
export function openRun(parts: RunParts): OpenContext {
  const { settings, takesUnnamed, openTransport, openStateTransport, ...run } = parts;
  const { limiter, onWait, onDeprecation, ...place } = run;
  const { environment, stack, stage, signal, say } = place;
  const { workspaceId, gaps } = settings;
  // The workspace that the state must belong to. Verbs that only read or correct a state work without.
  const origin = { baseUrl: settings.baseUrl, workspaceId };
  const machine = { host: hostname(), pid: process.pid, clock: systemClock, randomBytes };
  const servers: Transport[] = [];
  const openServer = (options: HttpTransportOptions): Transport => {
    const transport = openStateTransport(options);
    servers.push(transport);
    return transport;
  };
  let connection: Connection | undefined;
  const connect = (): Connection => {
    const { apiKey, diagnostics } = settings;
    if (hasErrors(diagnostics) || apiKey === undefined) throw new DiagnosticsError(diagnostics);
    return openConnection({
      baseUrl: settings.baseUrl === "embedded" ? embeddedUrl : settings.baseUrl,
      apiKey,
      transport: openTransport(),
      clock: systemClock,
      random: Math.random,
      runId: randomBytes(16).toString("hex"),
      workspaceId,
      gaps,
      signal,
      say,
      limiter,
      onWait,
      onDeprecation,
      userAgent: `rnv/${version}`,
    });
  };
  return {
    ...place,
    ...origin,
    ...machine,
    credential: settings.credential,
    backend: openBackend(settings.state, {
      ...origin,
      ...machine,
      environment,
      openTransport: openServer,
      stack: stack?.name,
      isStackUndeclared: stack?.isUndeclared,
      stage: stage === "any" ? undefined : stage ? { name: stageText(stage), takesUnnamed } : null,
      isAlive: aliveBy((pid, probe) => process.kill(pid, probe)),
    }),
    connect: async () => {
      connection ??= connect();
      return connection;
    },
    stateKey: (create) => {
      const path = join(settings.stateFolder, "state.key");
      const records = resolve(place.cwd, ".rnv");
      const shared = isBelow(path, records) ? join(records, "state.key") : undefined;
      return loadStateKey({ environment, path, shared, create, salt: workspaceId || undefined, randomBytes });
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await connection?.close();
    },
  };
}

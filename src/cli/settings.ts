import { dirname, resolve } from "node:path";
import { gapSettings } from "../api/gap-rules";
import type { GapSettings } from "../api/gaps";
import { checkBaseUrl } from "../api/http-transport";
import { readApiKey } from "../commands/open-connection";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import { Secret } from "../model/secret";
import { type ProcessEnvironment, sha256, uuidPattern } from "../model/text";
import { parseStateAddress, type StateAddress } from "../state/state-address";
import type { Target } from "./target";

/** Where the state lives and which service the run talks to, from flags and environment (DESIGN section 8). */
export interface Settings {
  /** Ends in `/api/v1`; `embedded` for the emulator in-process; empty when it is not set. */
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly apiKey: Secret | undefined;
  /** First 16 hex digits of SHA-256 of the API key; empty without one. */
  readonly credential: () => string;
  readonly state: StateAddress;
  /** Nothing says where the state is: it is a file in the working folder. */
  readonly isDefaultState: boolean;
  /** Absolute: holds the state, unless that is remote, and what this machine keeps of it. */
  readonly stateFolder: string;
  readonly gaps: GapSettings;
  /** Missing and invalid settings, all of them: with an error among them a run does not connect. */
  readonly diagnostics: readonly Diagnostic[];
}

type SettingsSource = Pick<
  Target,
  "environment" | "cwd" | "profile" | "state" | "stateProblem" | "isDefaultState"
>;

/** Settings that a connection needs: what each holds, and how to give it. */
const needed = {
  RNV_BASE_URL: {
    meaning: "the address of the service, ending in /api/v1",
    hint: "to try rnv without an account: export RNV_BASE_URL=embedded",
  },
  RNV_WORKSPACE_ID: {
    meaning: "the UUID of the workspace that the key belongs to",
    hint: "export RNV_WORKSPACE_ID=<uuid>",
  },
  RNV_API_KEY: {
    meaning: "an API key of the workspace; RNV_API_KEY_FILE may name a file that holds it instead",
    hint: "export RNV_API_KEY_FILE=<path>, or RNV_API_KEY in CI",
  },
} as const;

/**
 * Reads the settings of a target. A verb that needs no connection works without any of them; an address of the state that is
 * none is thrown as a `DiagnosticsError`.
 */
export function readSettings(target: SettingsSource): Settings {
  const { environment, cwd, profile, stateProblem, isDefaultState } = target;
  const setting = (name: string): string => environment[name]?.trim() ?? "";
  // Without an address there is no state to work on, whatever the verb.
  if (stateProblem) throw new DiagnosticsError([stateProblem]);
  const where = parseStateAddress(target.state);
  if (where.address === undefined) throw new DiagnosticsError([where.diagnostic]);
  const named = where.address;
  const state = named.kind === "file" ? { ...named, path: resolve(cwd, named.path) } : named;
  const baseUrl = setting("RNV_BASE_URL").replace(/\/+$/, "");
  const gaps = gapSettings(environment);
  const inVariable = { given: setting("RNV_API_KEY"), source: "RNV_API_KEY" };
  const read =
    baseUrl === "embedded"
      ? embeddedApiKey
      : (readApiKey(inVariable, environment, cwd) ?? missing("RNV_API_KEY"));
  const key = typeof read === "string" ? read : undefined;
  const workspaceId = workspaceOf(environment);
  const address = baseUrl === "embedded" ? undefined : baseUrl;
  const wrongAddress = address === "" ? missing("RNV_BASE_URL") : address && checkBaseUrl(address);
  return {
    baseUrl,
    workspaceId,
    apiKey: key === undefined ? undefined : new Secret(key),
    credential: () => (key === undefined ? "" : sha256(key).slice(0, 16)),
    state,
    // Of a remote state, this machine keeps its part in the working folder.
    stateFolder: state.kind === "file" ? dirname(state.path) : resolve(cwd, ".rnv"),
    isDefaultState,
    gaps: gaps.settings,
    diagnostics: profile?.problem
      ? [profile.problem]
      : [wrongAddress, ...checkWorkspace(workspaceId), read, ...gaps.diagnostics].filter(isDiagnostic),
  };
}

export function workspaceOf(environment: ProcessEnvironment): string {
  const isEmbedded = environment.RNV_BASE_URL?.trim().replace(/\/+$/, "") === "embedded";
  return isEmbedded ? embeddedWorkspaceId : (environment.RNV_WORKSPACE_ID?.trim() ?? "");
}

const isDiagnostic = (found: Diagnostic | string | undefined): found is Diagnostic =>
  typeof found === "object";

function missing(name: keyof typeof needed): Diagnostic {
  const { meaning, hint } = needed[name];
  return error("config.missing", `${name} is not set`, { detail: `It holds ${meaning}.`, hint });
}

function checkWorkspace(workspaceId: string): readonly Diagnostic[] {
  if (workspaceId === "") return [missing("RNV_WORKSPACE_ID")];
  if (uuidPattern.test(workspaceId)) return [];
  const hint = "copy the id of the workspace: 8-4-4-4-12 hexadecimal digits";
  return [error("config.invalid", "RNV_WORKSPACE_ID is not a UUID", { hint })];
}

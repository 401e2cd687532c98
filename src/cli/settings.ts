import { dirname, resolve } from "node:path";
import { checkBaseUrl } from "../api/base-url";
import { gapSettings } from "../api/gap-rules";
import type { GapSettings } from "../api/gaps";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import { Secret } from "../model/secret";
import { sha256, uuidPattern } from "../model/text";
import { parseStateAddress, type StateAddress } from "../state/state-address";
import { readLimited } from "./files";
import type { Environment } from "./invocation";

/** Where the state lives and whom the run talks to, from flags and environment (DESIGN section 8). */
export interface Settings {
  /** Ends in `/api/v1`; `embedded` for the emulator in-process; empty when it is not set. */
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly apiKey: Secret | undefined;
  /** First 16 hex digits of SHA-256 of the API key; empty without one. */
  readonly credential: () => string;
  /** Where the state lives; a path is absolute. */
  readonly state: StateAddress;
  /** Absolute: holds the state, unless that is remote, and what this machine keeps of it. */
  readonly stateFolder: string;
  readonly gaps: GapSettings;
  /** What keeps a run from connecting: missing and invalid settings, all of them at once. */
  readonly diagnostics: readonly Diagnostic[];
}

const tryIt = "to try rnv without an account: export RNV_BASE_URL=embedded";

/**
 * Reads the settings. A verb that needs no connection works without any of them; an address of the state that is none
 * is thrown as a `DiagnosticsError`.
 */
export function readSettings(
  environment: Environment,
  flags: { readonly state?: string; readonly cwd: string },
): Settings {
  const where = parseStateAddress(flags.state ?? (setting(environment, "RNV_STATE") || ".rnv/state.json"));
  // Without an address there is no state to work on, whatever the verb.
  if (where.address === undefined) throw new DiagnosticsError([where.diagnostic]);
  const { state, stateFolder } = placeOf(where.address, flags.cwd);
  const baseUrl = setting(environment, "RNV_BASE_URL").replace(/\/+$/, "");
  const gaps = gapSettings(environment);
  if (baseUrl === "embedded") {
    return {
      baseUrl,
      workspaceId: embeddedWorkspaceId,
      apiKey: new Secret(embeddedApiKey),
      credential: () => credentialOf(embeddedApiKey),
      state,
      stateFolder,
      gaps: gaps.settings,
      diagnostics: gaps.diagnostics,
    };
  }
  const workspaceId = setting(environment, "RNV_WORKSPACE_ID");
  const key = readKey(environment, flags.cwd);
  return {
    baseUrl,
    workspaceId,
    apiKey: key.text === "" ? undefined : new Secret(key.text),
    credential: () => (key.text === "" ? "" : credentialOf(key.text)),
    state,
    stateFolder,
    gaps: gaps.settings,
    diagnostics: [
      ...checkAddress(baseUrl),
      ...checkWorkspace(workspaceId),
      ...key.diagnostics,
      ...gaps.diagnostics,
    ],
  };
}

function placeOf(address: StateAddress, cwd: string): Pick<Settings, "state" | "stateFolder"> {
  if (address.kind !== "file") return { state: address, stateFolder: resolve(cwd, ".rnv") };
  const path = resolve(cwd, address.path);
  return { state: { kind: "file", path }, stateFolder: dirname(path) };
}

const setting = (environment: Environment, name: string): string => environment[name]?.trim() ?? "";

const missing = (name: string, meaning: string, hint: string): Diagnostic =>
  error("config.missing", `${name} is not set`, { detail: `It holds ${meaning}.`, hint });

function checkAddress(baseUrl: string): readonly Diagnostic[] {
  if (baseUrl === "")
    return [missing("RNV_BASE_URL", "the address of the service, ending in /api/v1", tryIt)];
  const wrong = checkBaseUrl(baseUrl);
  return wrong ? [wrong] : [];
}

function checkWorkspace(workspaceId: string): readonly Diagnostic[] {
  if (workspaceId === "")
    return [
      missing(
        "RNV_WORKSPACE_ID",
        "the UUID of the workspace that the key belongs to",
        "export RNV_WORKSPACE_ID=<uuid>",
      ),
    ];
  if (uuidPattern.test(workspaceId)) return [];
  return [
    error("config.invalid", "RNV_WORKSPACE_ID is not a UUID", {
      hint: "copy the id of the workspace: 8-4-4-4-12 hexadecimal digits",
    }),
  ];
}

interface KeyText {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Bytes. */
const largestKeyFile = 4096;

/** Nothing of the key is ever put into a message. */
function readKey(environment: Environment, cwd: string): KeyText {
  const inline = setting(environment, "RNV_API_KEY");
  const file = setting(environment, "RNV_API_KEY_FILE");
  if (inline !== "") return checkKey(inline, "RNV_API_KEY");
  if (file === "") {
    const diagnostic = missing(
      "RNV_API_KEY",
      "an API key of the workspace; RNV_API_KEY_FILE may name a file that holds it instead",
      "export RNV_API_KEY_FILE=<path>, or RNV_API_KEY in CI",
    );
    return { text: "", diagnostics: [diagnostic] };
  }
  try {
    return checkKey(
      readLimited(resolve(cwd, file), largestKeyFile).toString("utf8").trim(),
      "the file of RNV_API_KEY_FILE",
    );
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "it could not be read";
    const diagnostic = error("config.invalid", `RNV_API_KEY_FILE: cannot read ${file} (${reason})`, {
      hint: "name a readable file that holds the key and nothing else",
    });
    return { text: "", diagnostics: [diagnostic] };
  }
}

function checkKey(text: string, source: string): KeyText {
  // A header value: one line of visible ASCII. Anything else is a paste error, and would fail far from here.
  if (/^rnv_[!-~]+$/.test(text)) return { text, diagnostics: [] };
  const diagnostic = error("config.invalid", `${source} does not hold an API key`, {
    hint: 'an API key starts with "rnv_" and holds no spaces or line breaks',
  });
  return { text: "", diagnostics: [diagnostic] };
}

const credentialOf = (key: string): string => sha256(key).slice(0, 16);

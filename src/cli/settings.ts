import { dirname, resolve } from "node:path";
import { gapSettings } from "../api/gap-rules";
import type { GapSettings } from "../api/gaps";
import { checkBaseUrl } from "../api/http-transport";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import { Secret } from "../model/secret";
import type { ProcessEnvironment } from "../model/text";
import { sha256, uuidPattern } from "../model/text";
import { parseStateAddress, type StateAddress } from "../state/state-address";
import { readLimited } from "./files";

/** Where the state lives and which service the run talks to, from flags and environment (DESIGN section 8). */
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
  /** Missing and invalid settings, all of them: with an error among them a run does not connect. */
  readonly diagnostics: readonly Diagnostic[];
}

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
 * Reads the settings. A verb that needs no connection works without any of them; an address of the state that is none
 * is thrown as a `DiagnosticsError`.
 */
export function readSettings(
  environment: ProcessEnvironment,
  flags: { readonly state?: string; readonly cwd: string },
): Settings {
  const setting = (name: string): string => environment[name]?.trim() ?? "";
  const where = parseStateAddress(flags.state ?? (setting("RNV_STATE") || ".rnv/state.json"));
  // Without an address there is no state to work on, whatever the verb.
  if (where.address === undefined) throw new DiagnosticsError([where.diagnostic]);
  const baseUrl = setting("RNV_BASE_URL").replace(/\/+$/, "");
  const gaps = gapSettings(environment);
  const key =
    baseUrl === "embedded" ? { text: embeddedApiKey, diagnostics: [] } : readKey(setting, flags.cwd);
  const workspaceId = baseUrl === "embedded" ? embeddedWorkspaceId : setting("RNV_WORKSPACE_ID");
  return {
    baseUrl,
    workspaceId,
    apiKey: key.text === "" ? undefined : new Secret(key.text),
    credential: () => (key.text === "" ? "" : sha256(key.text).slice(0, 16)),
    ...locate(where.address, flags.cwd),
    gaps: gaps.settings,
    diagnostics: [
      ...(baseUrl === "embedded" ? [] : checkAddress(baseUrl)),
      ...checkWorkspace(workspaceId),
      ...key.diagnostics,
      ...gaps.diagnostics,
    ],
  };
}

/** Resolves the address of the state, and the folder of this machine's part of it, from `cwd`. */
function locate(address: StateAddress, cwd: string): Pick<Settings, "state" | "stateFolder"> {
  if (address.kind !== "file") return { state: address, stateFolder: resolve(cwd, ".rnv") };
  const path = resolve(cwd, address.path);
  return { state: { kind: "file", path }, stateFolder: dirname(path) };
}

const missing = (name: keyof typeof needed): Diagnostic =>
  error("config.missing", `${name} is not set`, {
    detail: `It holds ${needed[name].meaning}.`,
    hint: needed[name].hint,
  });

function checkAddress(baseUrl: string): readonly Diagnostic[] {
  if (baseUrl === "") return [missing("RNV_BASE_URL")];
  const wrong = checkBaseUrl(baseUrl);
  return wrong ? [wrong] : [];
}

function checkWorkspace(workspaceId: string): readonly Diagnostic[] {
  if (workspaceId === "") return [missing("RNV_WORKSPACE_ID")];
  if (uuidPattern.test(workspaceId)) return [];
  const hint = "copy the id of the workspace: 8-4-4-4-12 hexadecimal digits";
  return [error("config.invalid", "RNV_WORKSPACE_ID is not a UUID", { hint })];
}

/** The text of a key, empty when there is none to use. */
interface KeyText {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Bytes. */
const largestKeyFile = 4096;

/** Reads the API key from the environment or a file. Nothing of the key is ever put into a message. */
function readKey(setting: (name: string) => string, cwd: string): KeyText {
  const inline = setting("RNV_API_KEY");
  const file = setting("RNV_API_KEY_FILE");
  if (inline !== "") return checkKey(inline, "RNV_API_KEY");
  if (file === "") return { text: "", diagnostics: [missing("RNV_API_KEY")] };
  try {
    const text = readLimited(resolve(cwd, file), largestKeyFile).toString("utf8");
    return checkKey(text.trim(), "the file of RNV_API_KEY_FILE");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "it could not be read";
    const hint = "name a readable file that holds the key and nothing else";
    const summary = `RNV_API_KEY_FILE: cannot read ${file} (${reason})`;
    return { text: "", diagnostics: [error("config.invalid", summary, { hint })] };
  }
}

function checkKey(text: string, source: string): KeyText {
  // A header value: one line of visible ASCII. Anything else is a paste error, and would fail far from here.
  if (/^rnv_[!-~]+$/.test(text)) return { text, diagnostics: [] };
  const hint = 'an API key starts with "rnv_" and holds no spaces or line breaks';
  return { text: "", diagnostics: [error("config.invalid", `${source} does not hold an API key`, { hint })] };
}

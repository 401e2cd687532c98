import { checkBaseUrl } from "../api/http-transport";
import { readApiKey } from "../commands/open-connection";
import { type Settings, settingsOf } from "../commands/open-context";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import { uuidPattern } from "../model/address";
import type { ProcessEnvironment } from "../model/target-location";
import type { Target } from "./target";

/** The required settings of a connection, with their content. */
const needed = {
  RNV_BASE_URL: "the address of the platform's API, ending in /api/v1",
  RNV_WORKSPACE_ID: "the UUID of the workspace that the key belongs to",
  RNV_API_KEY: "an API key of the workspace; RNV_API_KEY_FILE may name a file that holds it instead",
} as const;

/** Reads the settings of a target (DESIGN section 8), with their errors. Throws a wrong address of the state. */
export function readSettings(target: Target): Settings {
  const { environment, cwd, profile, state, stateProblem } = target;
  const setting = (name: string): string => environment[name]?.trim() ?? "";
  if (stateProblem) throw new DiagnosticsError([stateProblem]);
  const baseUrl = setting("RNV_BASE_URL").replace(/\/+$/, "");
  const inVariable = { given: setting("RNV_API_KEY"), source: "RNV_API_KEY" };
  const read =
    baseUrl === "embedded"
      ? embeddedApiKey
      : (readApiKey(inVariable, environment, cwd) ?? missing("RNV_API_KEY"));
  const workspaceId = workspaceOf(environment);
  const address = baseUrl === "embedded" ? undefined : baseUrl;
  const wrongAddress = address === "" ? missing("RNV_BASE_URL") : address && checkBaseUrl(address);
  const found = [wrongAddress, ...checkWorkspace(workspaceId), read];
  const settings = settingsOf({
    cwd,
    environment,
    baseUrl,
    workspaceId,
    state,
    apiKey: typeof read === "string" ? read : undefined,
    diagnostics: found.filter((one) => typeof one === "object"),
  });
  return profile?.problem ? { ...settings, diagnostics: [profile.problem] } : settings;
}

export function workspaceOf(environment: ProcessEnvironment): string {
  const isEmbedded = environment.RNV_BASE_URL?.trim().replace(/\/+$/, "") === "embedded";
  return isEmbedded ? embeddedWorkspaceId : (environment.RNV_WORKSPACE_ID?.trim() ?? "");
}

function missing(name: keyof typeof needed): Diagnostic {
  const trial =
    name === "RNV_BASE_URL" ? "; to try rnv without an account: export RNV_BASE_URL=embedded" : "";
  const hint = `rnv login asks for it${trial}`;
  return error("config.missing", `${name} is not set`, { detail: `It holds ${needed[name]}.`, hint });
}

function checkWorkspace(workspaceId: string): readonly Diagnostic[] {
  if (workspaceId === "") return [missing("RNV_WORKSPACE_ID")];
  if (uuidPattern.test(workspaceId)) return [];
  const hint = "copy the id of the workspace: 8-4-4-4-12 hexadecimal digits";
  return [error("config.invalid", "RNV_WORKSPACE_ID is not a UUID", { hint })];
}

import { randomBytes } from "node:crypto";
import { ApiError, diagnosticOf } from "../api/api-error";
import { gapSettings } from "../api/gap-rules";
import { checkBaseUrl, createHttpTransport } from "../api/http-transport";
import { RateLimiter } from "../api/rate-limiter";
import { embeddedUrl } from "../api/transport";
import { embeddedTransport, readApiKey } from "../commands/open-connection";
import { type Diagnostic, error, hasErrors } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import { canonicalId } from "../model/address";
import { Secret } from "../model/secret";
import type { ProcessEnvironment } from "../model/target-location";
import { providerSettings as settingsOfBlock, snakeCase } from "../model/terraform-names";
import { isoTime, systemClock } from "../model/time";
import { withoutSlash } from "../state/recorded";
import { decodeObject, holdsUnknown, type TerraformObject } from "./codec";
import { loggedTransport, loggedWaits } from "./log";
import { diagnosticMessages } from "./messages";
import { openSession, type Provider, type RpcAnswer, type Session, type SessionOptions } from "./provider";
import { countCheck, optional, schemaOf } from "./schema/block";
import { checkConfig } from "./schema/check-config";

/** The provider block. Missing settings come from the environment. */
export const providerSchema = schemaOf("rnv", {
  doc: "The address of the API, the workspace and its key come from the provider block, or from the environment.",
  attributes: settingsOfBlock.map((setting) =>
    optional(snakeCase(setting.name), setting.type === "boolean" ? "bool" : setting.type, setting.doc, {
      sensitive: setting.isSensitive ? true : undefined,
      check: setting.name === "maxConcurrency" ? countCheck(1, 256) : undefined,
    }),
  ),
});

/** ValidateProviderConfig: findings that hold in any environment. */
export const validateProviderConfig: RpcAnswer<"ValidateProviderConfig"> = async (_provider, { config }) => {
  const block = decodeObject(providerSchema.valueType, config) ?? {};
  return { diagnostics: diagnosticMessages(checkProviderBlock(block)) };
};

/** ConfigureProvider: opens the client. A configuration with unknown values leaves the provider unconfigured. */
export const configureProvider: RpcAnswer<"ConfigureProvider"> = async (provider, request) => {
  const config = decodeObject(providerSchema.valueType, request.config) ?? {};
  if (holdsUnknown(config)) {
    provider.configure(undefined);
    return {};
  }
  const settings = providerSettings(config, provider.environment, provider.cwd);
  if (!hasErrors(settings.diagnostics)) {
    await provider.session?.close();
    const session = sessionOf(provider, settings, request.terraformVersion);
    provider.configure(session);
    const refused = await checkWorkspace(session);
    session.startedAt = isoTime(session.reads.serviceTime());
    if (refused !== undefined) return { diagnostics: diagnosticMessages([refused]) };
  }
  return { diagnostics: diagnosticMessages(settings.diagnostics) };
};

/**
 * Returns the reason why the workspace cannot be read: a single error, instead of an error for each resource. A plan
 * begins with the same request.
 */
async function checkWorkspace({ reads }: Session): Promise<Diagnostic | undefined> {
  try {
    await reads.projects();
    return undefined;
  } catch (failure) {
    const status = failure instanceof ApiError ? (failure.status ?? 0) : 0;
    return { ...diagnosticOf(failure), attribute: refusedSettings[status] ?? "base_url" };
  }
}

/** The setting that is wrong where the service refuses to show the workspace, by the status of its answer. */
const refusedSettings: Record<number, string> = { 401: "api_key", 403: "api_key", 404: "workspace_id" };

function sessionOf(provider: Provider, settings: ProviderSettings, terraformVersion: string): Session {
  const { baseUrl, apiKey } = settings;
  const { cwd, environment, log } = provider;
  const isEmbedded = baseUrl === "embedded";
  const transport = isEmbedded ? embeddedTransport(cwd, environment) : createHttpTransport({ environment });
  return openSession({
    ...settings,
    baseUrl: isEmbedded ? embeddedUrl : baseUrl,
    workspaceId: isEmbedded ? embeddedWorkspaceId : settings.workspaceId,
    apiKey: apiKey ?? new Secret(embeddedApiKey),
    transport: loggedTransport(transport, log, systemClock),
    acceptsOlder: environment.RNV_ACCEPT_RESTORED === "1",
    restoredHint: "RNV_ACCEPT_RESTORED=1 terraform apply",
    clock: systemClock,
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    userAgent: `rnv terraform/${terraformVersion}`,
    signal: provider.signal,
    onWait: loggedWaits(log),
  });
}

interface ProviderSettings
  extends Pick<SessionOptions, "acceptMissing" | "deletionProtection" | "gaps" | "limiter" | "workspaceId"> {
  /** Ends in `/api/v1`, or `embedded`. */
  readonly baseUrl: string;
  readonly apiKey: Secret | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns the findings in a provider block, which may hold unknown values. */
function checkProviderBlock(config: TerraformObject): readonly Diagnostic[] {
  const { base_url: baseUrl } = config;
  const isAddress = typeof baseUrl === "string" && baseUrl !== "embedded";
  const wrong = isAddress ? checkBaseUrl(withoutSlash(baseUrl)) : undefined;
  return [
    ...(wrong ? [{ ...wrong, attribute: "base_url" }] : []),
    ...checkConfig(providerSchema.block, config).map((one) => ({ ...one, code: "config.invalid" as const })),
  ];
}

/** Reads the settings of a provider block with known values; missing settings come from `environment`. */
export function providerSettings(
  config: TerraformObject,
  environment: ProcessEnvironment,
  cwd: string,
): ProviderSettings {
  const text = (name: string, variable: string): string => {
    const given = config[name];
    return typeof given === "string" && given !== "" ? given : (environment[variable]?.trim() ?? "");
  };
  const baseUrl = withoutSlash(text("base_url", "RNV_BASE_URL"));
  const isEmbedded = baseUrl === "embedded";
  // It is recorded and compared: in any case of letters it is the same workspace.
  const workspaceId = canonicalId(text("workspace_id", "RNV_WORKSPACE_ID"));
  const given = { given: text("api_key", "RNV_API_KEY"), source: "api_key" };
  const key = isEmbedded
    ? undefined
    : (readApiKey(given, environment, cwd) ?? missingSetting("api_key", "RNV_API_KEY", environment));
  const gaps = gapSettings(environment);
  const most = config.max_concurrency;
  const unset = (value: string, attribute: string, variable: string): readonly Diagnostic[] =>
    value === "" && !isEmbedded ? [missingSetting(attribute, variable, environment)] : [];
  return {
    baseUrl,
    workspaceId,
    apiKey: typeof key === "string" ? new Secret(key) : undefined,
    gaps: gaps.settings,
    limiter: new RateLimiter(systemClock, typeof most === "number" ? most : undefined),
    deletionProtection: config.deletion_protection === true,
    acceptMissing: config.accept_missing === true,
    diagnostics: [
      ...unset(baseUrl, "base_url", "RNV_BASE_URL"),
      ...unset(workspaceId, "workspace_id", "RNV_WORKSPACE_ID"),
      ...(typeof key === "object" ? [key] : []),
      ...checkProviderBlock({ ...config, base_url: baseUrl || null, workspace_id: workspaceId || null }),
      ...gaps.diagnostics,
    ],
  };
}

function missingSetting(attribute: string, variable: string, environment: ProcessEnvironment): Diagnostic {
  const unread = environment.RNV_PROFILE ? "; the provider does not read the profile of RNV_PROFILE" : "";
  const hint = `set it in the provider block, or ${variable} in the environment${unread}`;
  return error("config.missing", `${attribute} is not set`, { attribute, hint });
}

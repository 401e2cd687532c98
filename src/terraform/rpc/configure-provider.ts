import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { createHttpTransport } from "../../api/http-transport";
import type { Transport } from "../../api/transport";
import { hasErrors } from "../../diagnostics/diagnostic";
import { Secret } from "../../model/secret";
import { systemClock } from "../../model/time";
import { makeIgnoredFolder } from "../../state/local/node-disk";
import { diagnosticMessage } from "../diagnostic-message";
import type { Provider } from "../provider";
import { type ProviderSettings, providerSettings } from "../provider-settings";
import { providerType } from "../schema/provider-block";
import { openSession } from "../session";
import { decodeValue } from "../values/codec";
import { asObject, holdsUnknown } from "../values/terraform-value";

interface Request {
  readonly terraformVersion?: string;
  readonly config: { readonly msgpack: Uint8Array };
}

/** ConfigureProvider: opens the client. A configuration with unknown values leaves the provider unconfigured. */
export async function configureProvider(provider: Provider, request: Request): Promise<object> {
  const config = asObject(decodeValue(providerType, request.config.msgpack)) ?? {};
  if (holdsUnknown(config)) {
    provider.configure(undefined);
    return {};
  }
  const settings = await providerSettings(config, provider.environment, provider.cwd);
  const diagnostics = settings.diagnostics.map((one) => diagnosticMessage(one, (attribute) => [attribute]));
  if (!hasErrors(settings.diagnostics)) {
    await provider.session?.close();
    provider.configure(sessionOf(provider, settings, request.terraformVersion ?? ""));
  }
  return { diagnostics };
}

/** No request leaves the process: the name only fills the place of one. */
const embeddedUrl = "https://embedded.invalid/api/v1";

function sessionOf(provider: Provider, settings: ProviderSettings, terraformVersion: string) {
  const rest = {
    gaps: settings.gaps,
    deletionProtection: settings.deletionProtection,
    clock: systemClock,
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    userAgent: `rnv terraform/${terraformVersion}`,
    signal: provider.signal,
    ...(settings.maxConcurrency === undefined ? {} : { maxConcurrency: settings.maxConcurrency }),
  };
  const { baseUrl, workspaceId, apiKey } = settings;
  if (baseUrl !== "embedded" && apiKey !== undefined)
    return openSession({
      ...rest,
      baseUrl,
      workspaceId,
      apiKey,
      transport: createHttpTransport({ environment: provider.environment }),
    });
  const embedded = embeddedService(provider.cwd);
  return openSession({ ...rest, baseUrl: embeddedUrl, ...embedded });
}

/** The emulator, with its data where the command line keeps it too. Loaded only where it is asked for. */
function embeddedService(cwd: string): { workspaceId: string; apiKey: Secret; transport: Transport } {
  const { createEmulator, embeddedApiKey, embeddedWorkspaceId } =
    require("../../emulator/emulator") as typeof import("../../emulator/emulator");
  const folder = resolve(cwd, join(".rnv", "emulator"));
  makeIgnoredFolder(folder);
  return {
    workspaceId: embeddedWorkspaceId,
    apiKey: new Secret(embeddedApiKey),
    transport: createEmulator({ folder }).transport(),
  };
}

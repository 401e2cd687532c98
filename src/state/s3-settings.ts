import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { checkEndpoint, type StateAddress } from "./state-address";
import { stateTimeout } from "./state-timeout";

/** Where an S3 state lies and with what its requests are signed. */
export interface S3StateSettings {
  /** `s3://bucket/key`, for messages. */
  readonly location: string;
  /** Of the state object; the lock and the backups stand beside it. */
  readonly url: string;
  readonly region: string;
  /** For one whole exchange. */
  readonly timeoutMs: number;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of an S3 state: region and endpoint from its address, else from `AWS_*`, credentials from `AWS_*`. */
export function s3StateSettings(
  address: StateAddress & { readonly kind: "s3" },
  environment: Environment,
): { readonly settings: S3StateSettings; readonly diagnostics: readonly Diagnostic[] } {
  const setting = (name: string): string => environment[name]?.trim() ?? "";
  const region = address.region || setting("AWS_REGION") || setting("AWS_DEFAULT_REGION");
  const fromEnvironment = setting("AWS_ENDPOINT_URL_S3") || setting("AWS_ENDPOINT_URL");
  const endpoint = address.endpoint || fromEnvironment || undefined;
  const accessKeyId = setting("AWS_ACCESS_KEY_ID");
  const secretAccessKey = setting("AWS_SECRET_ACCESS_KEY");
  const wrong = endpoint === undefined ? undefined : checkEndpoint(endpoint, "the endpoint of the state");
  const { timeoutMs, diagnostics: unclear } = stateTimeout(environment);
  const diagnostics: Diagnostic[] = wrong === undefined ? [...unclear] : [wrong, ...unclear];
  if (region === "") diagnostics.push(missing("the region of the state", "AWS_REGION"));
  if (accessKeyId === "") diagnostics.push(missing("the access key of the state", "AWS_ACCESS_KEY_ID"));
  if (secretAccessKey === "")
    diagnostics.push(missing("the secret key of the state", "AWS_SECRET_ACCESS_KEY"));
  return {
    settings: {
      location: `s3://${address.bucket}/${address.key}`,
      url: urlOf(address, region, wrong === undefined ? endpoint : undefined),
      region,
      timeoutMs,
      credentials: { accessKeyId, secretAccessKey, sessionToken: setting("AWS_SESSION_TOKEN") || undefined },
    },
    diagnostics,
  };
}

const missing = (what: string, name: string): Diagnostic =>
  error("config.missing", `${name} is not set`, { detail: `It holds ${what}.`, hint: `export ${name}=…` });

/** Path style for other servers and for names with dots, which no certificate of AWS covers. */
function urlOf(address: StateAddress & { kind: "s3" }, region: string, endpoint: string | undefined): string {
  const path = address.key.split("/").map(encodePart).join("/");
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, "")}/${address.bucket}/${path}`;
  const domain = `s3.${region}.amazonaws.com`;
  if (address.bucket.includes(".")) return `https://${domain}/${address.bucket}/${path}`;
  return `https://${address.bucket}.${domain}/${path}`;
}

const encodePart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

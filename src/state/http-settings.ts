import type { HttpTransportOptions } from "../api/http-transport";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { checkEndpoint } from "./state-address";
import { stateTimeout } from "./state-timeout";

/** How to speak Terraform's HTTP state protocol with one server. */
export interface HttpStateSettings {
  readonly url: string;
  readonly updateMethod: string;
  readonly lockUrl: string;
  readonly lockMethod: string;
  readonly unlockUrl: string;
  readonly unlockMethod: string;
  /** Value of the Authorization header; undefined without credentials. */
  readonly authorization?: string;
  /** Who the client is, and whom it trusts; both in PEM form. */
  readonly tls: Pick<HttpTransportOptions, "ca" | "certificate">;
  /** For one whole exchange. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly waitMinMs: number;
  readonly waitMaxMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of the state at `url`: each `RNV_STATE_HTTP_X` wins over Terraform's `TF_HTTP_X`. Lock addresses of
 * Terraform count only where `TF_HTTP_ADDRESS` is the same state: another state's lock protects nothing here.
 */
export function httpStateSettings(
  url: string,
  environment: Environment,
): { readonly settings: HttpStateSettings; readonly diagnostics: readonly Diagnostic[] } {
  const own = (name: string): string => environment[`RNV_STATE_HTTP_${name}`]?.trim() ?? "";
  const terraform = (name: string): string => environment[`TF_HTTP_${name}`]?.trim() ?? "";
  const isSameState = terraform("ADDRESS") === "" || terraform("ADDRESS") === url;
  const setting = (name: string): string => own(name) || terraform(name);
  const ofThisState = (name: string): string => own(name) || (isSameState ? terraform(name) : "");
  const usual = usualLock(url);
  const timeout = stateTimeout(environment);
  const lockUrl = ofThisState("LOCK_ADDRESS") || usual.url;
  const settings: HttpStateSettings = {
    url,
    updateMethod: (setting("UPDATE_METHOD") || "POST").toUpperCase(),
    lockUrl,
    lockMethod: (ofThisState("LOCK_METHOD") || usual.lock).toUpperCase(),
    unlockUrl: ofThisState("UNLOCK_ADDRESS") || lockUrl,
    unlockMethod: (ofThisState("UNLOCK_METHOD") || usual.unlock).toUpperCase(),
    authorization: basicAuthorization(setting("USERNAME"), environment),
    tls: tlsOf(setting),
    timeoutMs: timeout.timeoutMs,
    retries: wholeNumber(setting("RETRY_MAX"), 4),
    waitMinMs: wholeNumber(setting("RETRY_WAIT_MIN"), 1) * 1000,
    waitMaxMs: wholeNumber(setting("RETRY_WAIT_MAX"), 30) * 1000,
  };
  const nameOf = (name: string): string => `${own(name) === "" ? "TF_HTTP" : "RNV_STATE_HTTP"}_${name}`;
  const diagnostics = [...check(settings), ...checkSet(setting, nameOf), ...timeout.diagnostics];
  return { settings, diagnostics };
}

/** GitLab and Gitea keep the lock beside the state; other servers answer LOCK and UNLOCK at the state's own address. */
function usualLock(url: string): { url: string; lock: string; unlock: string } {
  const { pathname } = new URL(url);
  const isForge =
    /\/api\/v4\/projects\/[^/]+\/terraform\/state\/[^/]+$/.test(pathname) ||
    /\/api\/packages\/[^/]+\/terraform\/state\/[^/]+$/.test(pathname);
  if (!isForge) return { url, lock: "LOCK", unlock: "UNLOCK" };
  const lock = new URL(url);
  lock.pathname = `${pathname}/lock`;
  return { url: lock.href, lock: "POST", unlock: "DELETE" };
}

/** The password is read where it is used, and stands in no other place. */
function basicAuthorization(username: string, environment: Environment): string | undefined {
  const password = environment.RNV_STATE_HTTP_PASSWORD || environment.TF_HTTP_PASSWORD || "";
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** As Terraform has them: the texts themselves, not files. */
function tlsOf(setting: (name: string) => string): HttpStateSettings["tls"] {
  const [cert, key] = [setting("CLIENT_CERTIFICATE_PEM"), setting("CLIENT_PRIVATE_KEY_PEM")];
  const ca = setting("CLIENT_CA_CERTIFICATE_PEM");
  return {
    ...(ca === "" ? {} : { ca }),
    ...(cert === "" || key === "" ? {} : { certificate: { cert, key } }),
  };
}

const wholeNumber = (text: string, otherwise: number): number =>
  /^\d{1,4}$/.test(text) ? Number(text) : otherwise;

function check(settings: HttpStateSettings): Diagnostic[] {
  const methods = [settings.updateMethod, settings.lockMethod, settings.unlockMethod];
  const urls = [settings.lockUrl, settings.unlockUrl];
  return [
    ...urls.flatMap((url) => checkEndpoint(url, "the address of the state's lock") ?? []),
    ...methods
      .filter((method) => !/^[A-Z]{1,20}$/.test(method))
      .map(() =>
        error("config.invalid", "a method of the state is not an HTTP method", {
          hint: "look at RNV_STATE_HTTP_UPDATE_METHOD, _LOCK_METHOD and _UNLOCK_METHOD",
        }),
      ),
  ];
}

/** Checks settings that would be passed over in silence. `nameOf` returns the variable that a setting was read from. */
function checkSet(setting: (name: string) => string, nameOf: (name: string) => string): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  if (setting("SKIP_CERT_VERIFICATION") !== "") {
    const name = nameOf("SKIP_CERT_VERIFICATION");
    diagnostics.push(
      error("config.invalid", `${name} is set, and rnv does not support it`, {
        hint: "unset it for rnv; NODE_EXTRA_CA_CERTS names a file with certificates to trust",
      }),
    );
  }
  const pair = ["CLIENT_CERTIFICATE_PEM", "CLIENT_PRIVATE_KEY_PEM"];
  const given = pair.filter((name) => setting(name) !== "");
  if (given.length === 1)
    diagnostics.push(
      error(
        "config.invalid",
        "a client certificate of the state needs its private key, and the other way round",
        {
          detail: `Of the two only ${given.map(nameOf)} is set.`,
          hint: "set both RNV_STATE_HTTP_CLIENT_CERTIFICATE_PEM and RNV_STATE_HTTP_CLIENT_PRIVATE_KEY_PEM, or neither",
        },
      ),
    );
  return diagnostics;
}

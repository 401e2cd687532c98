import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Secret } from "../model/secret";
import { backoff, type Clock } from "../model/time";
import { isLoopback } from "./http-transport";
import { readRetryAfter, readTransportError, type Transport } from "./transport";

/** The address of a webhook. It may hold a token: no message repeats more of it than the host. */
export interface Webhook {
  readonly url: string;
  readonly host: string;
}

/** Reads the address of a webhook: https, or http for this machine. Throws `DiagnosticsError`. */
export function readWebhook(text: string): Webhook {
  const refuse = (summary: string, hint: string): never => {
    throw new DiagnosticsError([error("config.invalid", `the address of the webhook ${summary}`, { hint })]);
  };
  const url = URL.canParse(text) ? new URL(text) : refuse("is not a URL", "https://hooks.example.com/…");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    refuse("does not start with https://", "http:// is for localhost only");
  if (url.username !== "" || url.password !== "")
    refuse("holds a user name or a password", "sign the body instead: RNV_WEBHOOK_SECRET");
  url.hash = "";
  return { url: url.href, host: url.host };
}

interface Delivery {
  readonly webhook: Webhook;
  /** JSON. */
  readonly body: string;
  /** Signs the body; without it nothing is signed. */
  readonly secret?: Secret | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly signal?: AbortSignal;
}

const attempts = 5;
const longestPauseMs = 30_000;

/**
 * Sends the body to a webhook, at most five times: what arrives twice says the same. The header `X-Rnv-Signature` is
 * `sha256=` and the HMAC-SHA-256 of the body, hex. Returns why it did not arrive, or undefined.
 */
export async function deliver(delivery: Delivery): Promise<Diagnostic | undefined> {
  const { webhook, body, secret, transport, clock, userAgent, signal } = delivery;
  const request = {
    method: "POST",
    url: webhook.url,
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(secret && { "x-rnv-signature": `sha256=${secret.sign(body)}` }),
    },
    body,
    ...(signal && { signal }),
  };
  let why = "";
  for (let tries = 0; tries < attempts; tries += 1) {
    let pause = backoff(tries, 500, longestPauseMs);
    try {
      const { status, headers } = await transport.send(request);
      if (status >= 200 && status < 300) return undefined;
      why = `it answered ${status}`;
      if (status !== 429 && status < 500) break;
      pause = Math.min(longestPauseMs, (readRetryAfter(headers) ?? 0) * 1000 || pause);
    } catch (failure) {
      if (signal?.aborted) return notDelivered(webhook, "the run was interrupted");
      const { code, reason } = readTransportError(failure);
      why = code ?? reason;
      if (reason === "certificate" || reason === "misused") break;
    }
    if (tries + 1 < attempts) await clock.sleep(pause, signal).catch(() => undefined);
    if (signal?.aborted) return notDelivered(webhook, "the run was interrupted");
  }
  return notDelivered(webhook, why);
}

const notDelivered = ({ host }: Webhook, why: string): Diagnostic =>
  error("command.undelivered", `the webhook at ${host} was not reached: ${why}`, {
    detail: "What the job found stands in its output all the same.",
    hint: "the message may not have arrived: check the address, and run the job again",
  });

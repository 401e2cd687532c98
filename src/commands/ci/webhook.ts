import { createHttpTransport, safeAddress } from "../../api/http-transport";
import { readRetryAfter, readTransportError, type Transport, type WireRequest } from "../../api/transport";
import { type Diagnostic, error, failure } from "../../diagnostics/diagnostic";
import { Secret } from "../../model/secret";
import type { ProcessEnvironment } from "../../model/target-location";
import { backoff, type Clock, systemClock } from "../../model/time";
import { version } from "../../model/tool-version";
import type { DriftJob } from "../../plan/drift";
import { webhookBody } from "../../report/ci/drift-job";

/** Reads the address of a webhook. It may hold a token: no message repeats more of it than the host. */
export function readWebhook(text = ""): URL | undefined {
  const url = safeAddress(text);
  if (url !== undefined || text === "") return url;
  const form = "https://HOST/PATH without a user name (http:// is for localhost only)";
  throw failure("config.invalid", `the address of the webhook is not ${form}`);
}

/**
 * Posts the result; returns an error where it does not arrive. The header `X-Rnv-Signature` is `sha256=` and the HMAC-SHA-256
 * of the body, hex; without a secret nothing is signed.
 */
export async function callWebhook(
  webhook: URL,
  job: DriftJob,
  { RNV_WEBHOOK_SECRET: secret, ...environment }: ProcessEnvironment,
): Promise<Diagnostic | undefined> {
  const transport = createHttpTransport({ environment, exchangeTimeoutMs: 10_000 });
  const body = webhookBody(job);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "user-agent": `rnv/${version}`,
  };
  if (secret) headers["x-rnv-signature"] = `sha256=${new Secret(secret).sign(body)}`;
  const why = await deliver({ method: "POST", url: webhook.href, headers, body }, transport, systemClock);
  await transport.close();
  if (why === undefined) return undefined;
  return error("command.undelivered", `the webhook at ${webhook.host} was not reached: ${why}`, {
    detail: "The output of the job still has what it found.",
    hint: "the message may not have arrived: check the address, and run the job again",
  });
}

const mostDeliveries = 5;
const longestPauseMs = 30_000;

/** Sends a request at most five times: a duplicate says the same. Returns why it did not arrive, or undefined. */
export async function deliver(
  request: WireRequest,
  transport: Transport,
  clock: Pick<Clock, "sleep">,
): Promise<string | undefined> {
  for (let tries = 1; ; tries += 1) {
    let pause = backoff(tries - 1, 500, longestPauseMs);
    let why: string;
    let mayHelp: boolean;
    try {
      const { status, headers } = await transport.send(request);
      if (status >= 200 && status < 300) return undefined;
      why = `it answered ${status}`;
      mayHelp = status === 429 || status >= 500;
      pause = Math.min(longestPauseMs, (readRetryAfter(headers) ?? 0) * 1000 || pause);
    } catch (failed) {
      const { code, reason } = readTransportError(failed);
      why = code ?? reason;
      mayHelp = reason !== "certificate" && reason !== "misused";
    }
    if (!mayHelp || tries === mostDeliveries) return why;
    await clock.sleep(pause);
  }
}

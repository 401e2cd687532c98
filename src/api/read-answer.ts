import type * as http from "node:http";
import { errorBodyOf } from "./gap-rules";
import type { GapSettings } from "./gaps";
import type { PreparedRequest } from "./prepare-request";
import type { Redactor } from "./redactor";
import type { ApiRequest } from "./request";
import { parseJson, readRetryAfter, type WireResponse } from "./transport";

/** An answer of the service, read as far as it can be trusted. */
export interface Answer {
  readonly status: number;
  /** A JSON object, or a list where the request allows it; undefined when the body is anything else. */
  readonly body?: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly requestId?: string;
  /** Code of an error body. A sensitive answer keeps only codes that the interface names. */
  readonly code?: string;
  /** One to 500 characters. Never text of a sensitive answer. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** The body is such JSON, and about the resource that was asked for. */
  readonly wellFormed: boolean;
}

/** Codes that the interface names (section Errors). */
const namedCodes = new Set([
  "idempotency_conflict",
  "idempotency_legacy_conflict",
  "engine_unavailable",
  "canvas_revision_conflict",
  "canvas_invalid_node",
  "canvas_too_large",
]);
/** Matches ids of the client: the service returns them unchanged. */
const ownRequestId = /^rnv-[0-9a-f]{32}-\d+(\.\d+)?$/;
const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const codePattern = /^[A-Za-z0-9_.-]{1,64}$/;
const MESSAGE_LIMIT = 500;

/**
 * Reads status, body and headers of the response to a request, with secrets in its texts masked. Throws nothing: a body that
 * is no JSON object is left out.
 */
export function readAnswer(
  response: WireResponse,
  { request, sensitive, url }: PreparedRequest,
  { gaps, redactor }: { readonly gaps: GapSettings; readonly redactor: Redactor },
): Answer {
  const { status, headers } = response;
  const body = redactor.body(jsonBody(response, request));
  const isSecret = (text: string): boolean => !ownRequestId.test(text) && redactor.text(text) !== text;
  const failed = status < 200 || status >= 300;
  const { code = "", ...found } = failed ? errorBodyOf(body, gaps.errorBody) : {};
  const isShown = !isSecret(code) && (sensitive ? namedCodes.has(code) : codePattern.test(code));
  const target = originOf(headers.location, url);
  const redirect = target === undefined ? undefined : redactor.text(target);
  return {
    status,
    body,
    wellFormed: body !== undefined,
    requestId: [headers["x-request-id"], found.requestId].find(
      (id) => id !== undefined && requestIdPattern.test(id) && !isSecret(id),
    ),
    code: isShown ? code : undefined,
    message: messageOf(response, body, redirect, sensitive ? undefined : found.message),
    retryAfterSeconds: readRetryAfter(headers),
  };
}

function jsonBody(
  { body, json = parseJson(body) }: WireResponse,
  { mayBeList }: Pick<ApiRequest, "mayBeList">,
): Answer["body"] {
  const isObject = json !== null && typeof json === "object" && (mayBeList || !Array.isArray(json));
  return isObject ? (json as Record<string, unknown>) : undefined;
}

function messageOf(
  { status, body: text }: WireResponse,
  body: Answer["body"],
  redirect: string | undefined,
  message: string | undefined,
): string {
  const form = /^\s*</.test(text) ? "the answer is HTML, not JSON" : "the answer is not a JSON object";
  if (status >= 200 && status < 300) return form;
  if (status >= 300 && status < 400)
    return `the platform answered with a redirect to ${redirect ?? "an address that cannot be read"}; redirects are not followed and the API key is not sent there`;
  if (message !== undefined)
    return message.length <= MESSAGE_LIMIT ? message : `${message.slice(0, MESSAGE_LIMIT - 1)}…`;
  const { STATUS_CODES: meanings } = require("node:http") as typeof http;
  const meaning = meanings[status] ?? "unknown status";
  return body === undefined && status !== 429 ? `${meaning} (${form})` : meaning;
}

function originOf(location: string | undefined, url: string): string | undefined {
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const { origin, protocol } = new URL(location, url);
  return origin === "null" ? `a ${protocol} address` : origin;
}

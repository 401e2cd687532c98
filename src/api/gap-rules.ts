import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";
import { didYouMean } from "../diagnostics/suggest";
import { isObject } from "../model/value";
import { ApiError, GAP_OFF } from "./api-error";
import {
  asRecord,
  defaultGaps,
  type Gap,
  type GapName,
  type GapSettings,
  gapSettingList,
  gaps,
  gapVariable,
} from "./gaps";
import { type AnswerReading, shows } from "./parse-answer";
import { type ApiRequest, pathSegment, requestOf } from "./request";
import type { Operation, Project, Service } from "./wire/shapes";

/** Reads every `RNV_GAP_<NAME>`; a value that does not fit is an error, an unknown name a warning. */
export function gapSettings(environment: Readonly<Record<string, string | undefined>>): {
  readonly settings: GapSettings;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const chosen: Record<string, string> = {};
  for (const { key, schema, expected, example } of gapSettingList) {
    const variable = gapVariable(key);
    const text = environment[variable]?.trim() || undefined;
    if (text === undefined) continue;
    if (schema.safeParse(text).success) chosen[key] = text === "route" ? defaultGaps[key] : text;
    else
      diagnostics.push(
        refusal(variable, text, `expected ${expected}; for example ${assignment(variable, example)}`),
      );
  }
  const settings: GapSettings = { ...defaultGaps, ...chosen };
  const { rollBack, rollBackBody } = settings;
  const isNamed = rollBack.includes("{deploymentId}") || rollBackBody.includes('"{deploymentId}"');
  if (!isNamed && rollBack !== "off" && rollBackBody !== "auto") {
    // A roll back says in its path or in its body which deployment it goes back to.
    const hint = `it must hold "{deploymentId}", because the path ${rollBack} does not`;
    diagnostics.push(refusal(gapVariable("rollBackBody"), rollBackBody, hint));
  }
  const names = new Set(gapSettingList.map(({ key }) => gapVariable(key)));
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("RNV_GAP_") || names.has(name)) continue;
    const hint = didYouMean(name, names);
    const next = hint === undefined ? remedy("gaps.list") : { hint };
    diagnostics.push(warning("config.invalid", `${name} is not a setting`, next));
  }
  return { settings, diagnostics };
}

const refusal = (name: string, text: string, hint: string): Diagnostic =>
  error("config.invalid", `${name} cannot be ${JSON.stringify(text)}`, { hint });

/** `NAME=value` as a shell takes it. */
const assignment = (name: string, value: string): string =>
  /^[A-Za-z0-9._,/-]+$/.test(value) ? `${name}=${value}` : `${name}='${value}'`;

/**
 * Returns the failure of a request that rests on a gap. If the answer may disprove the assumption, a hint names the
 * assumption and its settings.
 */
export function withGapHint(failure: unknown, name: GapName, otherwise = ""): unknown {
  if (!(failure instanceof ApiError) || failure.hint !== undefined) return failure;
  const { kind, status, code } = failure;
  const isUnexpected =
    kind === "malformed" || status === 400 || status === 404 || status === 405 || status === 422;
  if (!isUnexpected || code === "body_too_large") return failure;
  // A refused key says nothing of the rest.
  const hint = /idempotenc/i.test(`${code} ${failure.message}`)
    ? hintOf("keys on undocumented routes", "")
    : hintOf(name, otherwise);
  return new ApiError(failure, { ...failure, message: failure.message, hint }, failure.cause);
}

function hintOf(name: GapName, otherwise: string): string {
  const { assumption, settings = {} }: Gap = gaps[name];
  const choices = Object.entries(settings).map(([key, { example }]) => assignment(gapVariable(key), example));
  return (
    `${otherwise}rnv assumes, because the platform's documents do not show it, that ${assumption}` +
    (choices.length === 0 ? "" : `; if that is otherwise, say so: ${choices.join(" or ")}`)
  );
}

/** Returns the failure for a route that a setting turned off: no request is made. */
export function routeOffError(request: ApiRequest, setting: keyof GapSettings): ApiError {
  const message = `turned off by ${gapVariable(setting)}; use its dashboard`;
  return new ApiError(request, { kind: "refused", code: GAP_OFF, message });
}

/**
 * Returns the path of a gap below the base URL. A template with `{serviceId}` in it starts at the workspace, any other at
 * the service.
 */
export function pathUnder(
  path: (...segments: readonly string[]) => string,
  template: string,
  ids: Readonly<{ serviceId: string } & Record<string, string>>,
): string {
  const base = template.includes("{serviceId}") ? path() : path("services", ids.serviceId);
  return `${base}${filledPath(template, ids)}`;
}

export const filledPath = (template: string, ids: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(ids[name] ?? "", 1));

/**
 * Returns the body of a JSON template: each `"{name}"` becomes its value. Members without a value are left out, and
 * objects without a member.
 */
export function fillBody(
  template: string,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
  const filled: unknown = JSON.parse(template, (_, value: unknown) => {
    const name = typeof value === "string" ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined;
    if (name !== undefined) return values[name];
    return isEmpty(value) ? undefined : value;
  });
  return (filled ?? {}) as Readonly<Record<string, unknown>>;
}

const asText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Gap "error body": code, message and request id, where the body has them. */
export function errorBodyOf(
  body: unknown,
  setting: GapSettings["errorBody"] = "auto",
): { readonly code?: string; readonly message?: string; readonly requestId?: string } {
  const top = asRecord(body);
  const nested = asRecord(top?.error);
  const pick = (field: string): string | undefined =>
    (setting === "nested" ? undefined : asText(top?.[field])) ??
    (setting === "top-level" ? undefined : asText(nested?.[field]));
  // `{"error": "some_code"}` or `{"error": "Some sentence."}`.
  const bare = setting === "top-level" ? undefined : asText(top?.error);
  const bareIsCode = bare !== undefined && /^[a-z0-9_]{1,64}$/.test(bare);
  return {
    code: pick("code") ?? (bareIsCode ? bare : undefined),
    message: pick("message") ?? bare,
    requestId: asText(top?.requestId) ?? asText(nested?.requestId),
  };
}

/** Reads the answer that shows an operation, under the gap "operation body". */
export const readingOperation = (
  id: string,
  { operationBody }: GapSettings,
): AnswerReading<{ readonly operation: Operation }> => ({
  inner: (body) =>
    wrapIn("operation", body, { bare: ".", wrapped: "operation" }[operationBody] ?? operationBody),
  about: shows("operation", { id }),
});

/**
 * Returns `{service}` from an answer with the service at the path `setting`. Under `auto` an answer that is itself the
 * service is wrapped, and any other answer is returned as it is.
 */
export function wrapIn(
  field: "service" | "variable" | "deployment" | "operation",
  body: unknown,
  setting = "auto",
): unknown {
  if (setting !== "auto") return { [field]: placed(body, setting).found };
  const top = asRecord(body);
  return top === undefined || top[field] !== undefined || asText(top.id) === undefined
    ? body
    : { [field]: top };
}

/** Gap "list variables": the list inside an answer as `{variables, page}`, before its schema is checked. */
export function variablesIn(body: unknown, setting: GapSettings["variableItems"]): unknown {
  const top = asRecord(body);
  const assumed = top?.variables === undefined && Array.isArray(top?.items) ? "items" : "variables";
  const { found, holder } = placed(body, setting === "auto" ? assumed : setting);
  return { variables: found, page: asRecord(holder)?.page ?? top?.page };
}

/** Returns the value at a path of fields (`data.items`, or `.` for the body itself), and its holder. */
function placed(body: unknown, path: string): { readonly found: unknown; readonly holder: unknown } {
  let holder: unknown = body;
  let found: unknown = body;
  for (const field of path === "." ? [] : path.split(".")) {
    holder = found;
    found = asRecord(found)?.[field];
  }
  return { found, holder };
}

const production = Symbol("production");

/** The two gaps "environment …": projects whose environments carry `id` and `name`, whatever the service calls them. */
export function withEnvironmentFields(project: Project, gaps: GapSettings): Project {
  const { environmentRecord, productionEnvironment } = gaps;
  const [idField = "id", nameField = "name"] = environmentRecord.split(",");
  return {
    ...project,
    environments: project.environments.map((record) => ({
      ...record,
      id: record[idField],
      name: record[nameField],
      [production]: record[nameField] === productionEnvironment,
    })),
  };
}

/** Id and name of an environment record; throws `ApiError` (malformed) that shows the keys it has. */
export function environmentOf(record: Readonly<Record<string, unknown>>): {
  readonly id: string;
  readonly name: string;
  readonly isProduction: boolean;
} {
  const id = asText(record.id);
  const name = asText(record.name);
  const { [production]: isProduction = false } = record as { readonly [production]?: boolean };
  if (id !== undefined && name !== undefined) return { id, name, isProduction };
  const shown = Object.keys(record).filter((key) => record[key] !== undefined);
  const keys = shown.sort().join(", ").slice(0, 200);
  const message =
    `an environment record has no "${id === undefined ? "id" : "name"}"; it has: ${keys || "nothing"} ` +
    `(name its fields with ${gapVariable("environmentRecord")}=<id field>,<name field>)`;
  throw new ApiError(requestOf("listProjects", "GET", "/projects"), { kind: "malformed", message });
}

/** Gap "hosting capability": whether the catalog says that hosting is off. */
export const hostingIsOff = (capabilities: Readonly<Record<string, boolean>>): boolean =>
  Object.entries(capabilities).some(([name, is]) => !is && /hosting/i.test(name));

/** Gap "awaiting checkout": whether a `blockedReason` waits for someone to pay in the dashboard. */
export const awaitsCheckout = (blockedReason: string): boolean =>
  /\b(check-?out|billing|payments?|purchase|subscriptions?|unpaid)\b/i.test(blockedReason);

/** Gap "suspended": whether a status text of the service says so. */
export const isSuspended = ({ status, displayStatus, lifecycleStatus, runtimeDetail }: Partial<Service>) =>
  [status, displayStatus, lifecycleStatus, runtimeDetail].some(
    (text) => text != null && /\bsuspend(ed|ing)?\b/i.test(text),
  );

import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Money } from "../model/resource-type";
import { ApiError } from "./api-error";
import type { Environment, Project } from "./wire/project";
import type { Service } from "./wire/service";

/**
 * Everything the interface marks "not shown" and that rnv needs (DESIGN section 6): the assumptions as data, the
 * settings that override them, and the code that reads answers under them. Nothing elsewhere may rest on an
 * undocumented fact.
 */

/** How each gap is filled; every field is set by `RNV_GAP_<NAME>`, `readService` by `RNV_GAP_READ_SERVICE`. */
export interface GapSettings {
  readonly readService: "route" | "off";
  readonly patchService: "auto" | "nested" | "flat";
  readonly listVariables: "route" | "off";
  readonly patchVariable: "route" | "off";
  /** Path below the service with `{deploymentId}` in it, or `off`. */
  readonly rollBack: string;
  readonly operationBody: "auto" | "bare" | "wrapped";
  /** Names of the id field and the name field: `id,name`. */
  readonly environmentRecord: string;
  readonly errorBody: "auto" | "top-level" | "nested";
  /** A header name, or `auto`: any header that matches `/idempotenc.*replayed/i`. */
  readonly replayHeader: string;
}

export interface Gap {
  readonly name: string;
  readonly assumption: string;
  readonly verifiedBy: string;
  readonly fallback: string;
  /** Null where there is nothing to choose. */
  readonly setting: keyof GapSettings | null;
  readonly default: string | null;
}

export const defaultGaps: GapSettings = {
  readService: "route",
  patchService: "auto",
  listVariables: "route",
  patchVariable: "route",
  rollBack: "/deploys/{deploymentId}/rollback",
  operationBody: "auto",
  environmentRecord: "id,name",
  errorBody: "auto",
  replayHeader: "auto",
};

const gap = (
  name: string,
  setting: keyof GapSettings | null,
  assumption: string,
  verifiedBy: string,
  fallback: string,
): Gap => ({
  name,
  assumption,
  verifiedBy,
  fallback,
  setting,
  default: setting === null ? null : defaultGaps[setting],
});

export const gaps: readonly Gap[] = [
  gap(
    "read one service",
    "readService",
    "GET …/services/{serviceId} answers {service}",
    "the answer bears the id asked for; before a 404 counts, an id that the canvas shows is read the same way",
    "404 or 405 for an id that the canvas shows: the canvas is the only read",
  ),
  gap(
    "change a service",
    "patchService",
    "PATCH …/services/{serviceId} with {name, configuration: {…}} answers {service}",
    "the answer is compared with what was sent",
    "the flat body {name, branch: …} is tried once when the nested one is refused with 400",
  ),
  gap(
    "list variables",
    "listVariables",
    "GET …/services/{serviceId}/variables answers {variables, page?}",
    "the schema; pages are followed to the end",
    "404 or 405 for a service that exists: recorded ids and fingerprints only",
  ),
  gap(
    "change a variable",
    "patchVariable",
    "PATCH …/variables/{variableId} with key and/or value answers {variable}",
    "the answer is compared with what was sent",
    "a clear error",
  ),
  gap(
    "roll back",
    "rollBack",
    "POST …/deploys/{deploymentId}/rollback with {confirm} answers {deployment}",
    "the schema",
    "an error that points to the dashboard",
  ),
  gap(
    "operation body",
    "operationBody",
    "the bare operation, or {operation}",
    "the schema",
    "both are accepted",
  ),
  gap(
    "environment record",
    "environmentRecord",
    "it has an id and a name",
    "both are non-empty text",
    "an error that shows the keys it has",
  ),
  gap(
    "error body",
    "errorBody",
    "requestId, plus code and message, top-level or under error",
    "only text is taken, capped in length",
    "the status text",
  ),
  gap(
    "replay header",
    "replayHeader",
    "any response header that matches /idempotenc.*replayed/i",
    "its value is true or false",
    "unknown: the thing is read again",
  ),
  gap(
    "refused confirmations",
    null,
    "a confirmation mismatch or the cancel of a terminal deployment is answered with a 4xx",
    "the status class",
    "any 4xx is a refusal",
  ),
  gap(
    "monthly price",
    null,
    "the price of a service is the price of its plan times its instances",
    "the catalog says that prices are estimates, and so does every plan",
    "no price is shown for a plan that the catalog does not list",
  ),
  gap(
    "awaiting checkout",
    null,
    "a blockedReason that speaks of checkout, billing or payment waits for the dashboard",
    "only a deployment that is still queued is looked at, and its reason is shown as it stands",
    "the wait goes on, with the reason streamed, until the timeout",
  ),
  gap(
    "suspended",
    null,
    "a service whose status, displayStatus, lifecycleStatus or runtimeDetail speaks of suspension does not run",
    "nothing rests on it: it is only said",
    "a suspended service is not told from a running one",
  ),
];

interface SettingRule {
  readonly expected: string;
  readonly accepts: (text: string) => boolean;
}

const oneOf = (...values: readonly string[]): SettingRule => ({
  expected: values.map((value) => `"${value}"`).join(" or "),
  accepts: (text) => values.includes(text),
});

const settingRules: Readonly<Record<keyof GapSettings, SettingRule>> = {
  readService: oneOf("route", "off"),
  patchService: oneOf("auto", "nested", "flat"),
  listVariables: oneOf("route", "off"),
  patchVariable: oneOf("route", "off"),
  rollBack: {
    expected: 'a path below the service such as "/deploys/{deploymentId}/rollback", or "off"',
    accepts: (text) =>
      text === "off" ||
      (/^(\/([A-Za-z0-9_-]+|\{deploymentId\}))+$/.test(text) && text.split("{deploymentId}").length === 2),
  },
  operationBody: oneOf("auto", "bare", "wrapped"),
  environmentRecord: {
    expected: 'two field names such as "id,name"',
    accepts: (text) => /^[A-Za-z0-9_]+,[A-Za-z0-9_]+$/.test(text),
  },
  errorBody: oneOf("auto", "top-level", "nested"),
  replayHeader: {
    expected: 'a header name, or "auto"',
    accepts: (text) => /^[A-Za-z0-9-]+$/.test(text),
  },
};

/** `readService` to `RNV_GAP_READ_SERVICE`. */
export const gapVariable = (setting: keyof GapSettings): string =>
  `RNV_GAP_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** Reads every `RNV_GAP_<NAME>`; a value that does not fit is an error, an unknown name a warning. */
export function gapSettings(environment: Readonly<Record<string, string | undefined>>): {
  readonly settings: GapSettings;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const chosen: Record<string, string> = {};
  const names = new Set<string>();
  for (const [setting, rule] of Object.entries(settingRules)) {
    const name = gapVariable(setting as keyof GapSettings);
    names.add(name);
    const text = environment[name];
    if (text === undefined || text === "") continue;
    if (rule.accepts(text)) chosen[setting] = text;
    else
      diagnostics.push(
        error("config.invalid", `${name} cannot be ${JSON.stringify(text)}`, {
          hint: `expected ${rule.expected}`,
        }),
      );
  }
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("RNV_GAP_") || names.has(name)) continue;
    diagnostics.push(
      warning("config.invalid", `${name} is not a setting`, { hint: didYouMean(name, names) }),
    );
  }
  return { settings: { ...defaultGaps, ...chosen } as GapSettings, diagnostics };
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;

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

/** Gap "replay header": undefined when the service sent none, or something other than true and false. */
export function replayedOf(
  headers: Readonly<Record<string, string>>,
  setting: GapSettings["replayHeader"] = "auto",
): boolean | undefined {
  const matches = (name: string): boolean =>
    setting === "auto" ? /idempotenc.*replayed/i.test(name) : name.toLowerCase() === setting.toLowerCase();
  for (const name of Object.keys(headers)) {
    const text = matches(name) ? headers[name]?.trim().toLowerCase() : undefined;
    if (text === "true" || text === "false") return text === "true";
  }
  return undefined;
}

/** Gap "operation body": the operation inside an answer, before its schema is checked. */
export function operationIn(body: unknown, setting: GapSettings["operationBody"] = "auto"): unknown {
  const top = asRecord(body);
  const wrapped = asRecord(top?.operation);
  if (setting === "bare") return body;
  if (setting === "wrapped") return top?.operation;
  return wrapped ?? body;
}

/** Gap "environment record": projects whose environments carry `id` and `name`, whatever the service calls them. */
export function withEnvironmentFields(project: Project, setting: GapSettings["environmentRecord"]): Project {
  if (setting === defaultGaps.environmentRecord) return project;
  const [idField = "id", nameField = "name"] = setting.split(",");
  return {
    ...project,
    environments: project.environments.map((record) => ({
      ...record,
      id: record[idField],
      name: record[nameField],
    })),
  };
}

/** Id and name of an environment record; throws `ApiError` (malformed) that shows the keys it has. */
export function environmentOf(record: Environment): { readonly id: string; readonly name: string } {
  const id = asText(record.id);
  const name = asText(record.name);
  if (id !== undefined && name !== undefined) return { id, name };
  const keys = Object.keys(record).sort().join(", ").slice(0, 200);
  throw new ApiError({
    kind: "malformed",
    operation: "listProjects",
    method: "GET",
    path: "/projects",
    message:
      `an environment record has no "${id === undefined ? "id" : "name"}"; it has: ${keys || "nothing"} ` +
      `(name its fields with ${gapVariable("environmentRecord")}=<id field>,<name field>)`,
    requestId: "",
    attempts: 0,
  });
}

/** Instances that a configuration runs at least: `replicas`, or `minReplicas` where the service scales itself. */
export function instancesOf(configuration: Readonly<Record<string, unknown>>): number {
  const scales = configuration.scaling !== undefined && configuration.scaling !== "manual";
  const count = scales ? configuration.minReplicas : configuration.replicas;
  return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : 1;
}

/** Gap "monthly price": the estimated price a month of a plan run in so many instances. */
export const instancePrice = (plan: Money, instances: number): Money => ({
  usd: plan.usd * instances,
  ngn: plan.ngn * instances,
});

/** Gap "awaiting checkout": whether a `blockedReason` waits for someone to pay in the dashboard. */
export const awaitsCheckout = (blockedReason: string): boolean =>
  /\b(check-?out|billing|payments?|purchase|subscriptions?|unpaid)\b/i.test(blockedReason);

/** Gap "suspended": whether one of its status texts says so. */
export const isSuspended = ({
  status,
  displayStatus,
  lifecycleStatus,
  runtimeDetail,
}: Pick<Service, "status" | "displayStatus" | "lifecycleStatus" | "runtimeDetail">): boolean =>
  [status, displayStatus, lifecycleStatus, runtimeDetail].some(
    (text) => text != null && /\bsuspend(ed|ing)?\b/i.test(text),
  );

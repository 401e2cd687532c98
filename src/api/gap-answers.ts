import type { Money } from "../model/resource-type";
import { ApiError } from "./api-error";
import { isObject } from "./gap-forms";
import { gapVariable } from "./gap-settings";
import { defaultGaps, type GapSettings } from "./gaps";
import type { Environment, Project } from "./wire/project";
import type { Service } from "./wire/service";

const asRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isObject(value) ? value : undefined;

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

/**
 * `{service}` from an answer that holds the service where `setting` says; under `auto` from one that is the service
 * itself, and any other answer as it is.
 */
export function wrappedAs(
  field: "service" | "variable" | "deployment",
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
  if (setting === "auto") {
    const top = asRecord(body);
    return top !== undefined && top.variables === undefined && Array.isArray(top.items)
      ? { ...top, variables: top.items }
      : body;
  }
  const { found, holder } = placed(body, setting);
  return { variables: found, page: asRecord(holder)?.page ?? asRecord(body)?.page };
}

/** The value at a path of fields (`data.items`, or `.` for the body itself), and what holds it. */
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
export function withEnvironmentFields(
  project: Project,
  {
    environmentRecord,
    productionEnvironment,
  }: Pick<GapSettings, "environmentRecord" | "productionEnvironment">,
): Project {
  if (
    environmentRecord === defaultGaps.environmentRecord &&
    productionEnvironment === defaultGaps.productionEnvironment
  )
    return project;
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
export function environmentOf(record: Environment): {
  readonly id: string;
  readonly name: string;
  readonly isProduction: boolean;
} {
  const id = asText(record.id);
  const name = asText(record.name);
  if (id !== undefined && name !== undefined) {
    const { [production]: isNamed } = record as { readonly [production]?: boolean };
    return { id, name, isProduction: isNamed ?? name === defaultGaps.productionEnvironment };
  }
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

/** Gap "hosting capability": whether the catalog says that hosting is off. */
export const hostingIsOff = (capabilities: Readonly<Record<string, boolean>>): boolean =>
  Object.entries(capabilities).some(([name, is]) => !is && /hosting/i.test(name));

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

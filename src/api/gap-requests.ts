import { isObject, jsonObject } from "./gap-forms";
import { pathSegment } from "./send";

/** Values for the `{placeholders}` of a path or a body; undefined takes what would hold it out of a body. */
type Values = Readonly<Record<string, unknown>>;

/**
 * The path of a gap below the base URL. A template with `{serviceId}` in it stands below the workspace, any other below
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

/** A path template with each `{placeholder}` filled in. */
export const filledPath = (template: string, ids: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(ids[name] ?? "", 1));

/** The body that a setting's JSON text describes: each `"{name}"` becomes its value, what then has none is left out. */
export function fillBody(template: string, values: Values): Readonly<Record<string, unknown>> {
  return (filled(jsonObject(template) ?? {}, values) ?? {}) as Readonly<Record<string, unknown>>;
}

function filled(value: unknown, values: Values): unknown {
  if (typeof value === "string") {
    const name = /^\{(\w+)\}$/.exec(value)?.[1];
    return name === undefined ? value : values[name];
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .map(([key, inner]) => [key, filled(inner, values)] as const)
    .filter(([, inner]) => inner !== undefined);
  return members.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(members);
}

/** What the text of a gap's setting may be, and how it is said to whoever wrote something else. */
export interface SettingForm {
  readonly expected: string;
  readonly accepts: (text: string) => boolean;
}

/** One of a few words. */
export const oneOf = (...values: readonly string[]): SettingForm => ({
  expected: values.map((value) => `"${value}"`).join(" or "),
  accepts: (text) => values.includes(text),
});

/** Either form. */
export const either = (first: SettingForm, second: SettingForm): SettingForm => ({
  expected: `${first.expected}, or ${second.expected}`,
  accepts: (text) => first.accepts(text) || second.accepts(text),
});

export const matching = (expected: string, pattern: RegExp): SettingForm => ({
  expected,
  accepts: (text) => pattern.test(text),
});

/**
 * A path with each of `needed` in it once and, where one is given, each of `allowed` at most once. With `{serviceId}`
 * it stands below the workspace, without it below the service.
 */
export function path(
  example: string,
  needed: readonly string[],
  allowed: readonly string[] = [],
): SettingForm {
  const known = new Set([...needed, ...allowed]);
  const isSegment = (segment: string): boolean =>
    segment.startsWith("{")
      ? known.has(segment.slice(1, -1)) && segment.endsWith("}")
      : /^[A-Za-z0-9._~-]+$/.test(segment) && !/^\.{1,2}$/.test(segment);
  return {
    expected: `a path such as "${example}" (with {serviceId} in it below the workspace, else below the service)`,
    accepts: (text) => {
      const segments = text.split("/").slice(1);
      const count = (name: string): number => segments.filter((one) => one === `{${name}}`).length;
      return (
        text.startsWith("/") &&
        segments.every(isSegment) &&
        needed.every((name) => count(name) === 1) &&
        allowed.every((name) => count(name) <= 1)
      );
    },
  };
}

/** The same for a path that always stands below the workspace. */
export const workspacePath = (...form: Parameters<typeof path>): SettingForm => ({
  ...path(...form),
  expected: `a path below the workspace such as "${form[0]}"`,
});

/** A JSON object with each of `needed` as `"{name}"` somewhere in it. */
export const body = (example: string, ...needed: readonly string[]): SettingForm => ({
  expected: `a JSON body such as '${example}'`,
  accepts: (text) => {
    const template = jsonObject(text);
    return template !== undefined && needed.every((name) => holds(template, `{${name}}`));
  },
});

/** A JSON object of JSON objects. */
export const objects = (example: string): SettingForm => ({
  expected: `a JSON object such as '${example}'`,
  accepts: (text) => {
    const found = jsonObject(text);
    return found !== undefined && Object.values(found).every(isObject);
  },
});

/** The JSON object that a text holds, or undefined. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const holds = (value: unknown, placeholder: string): boolean =>
  value === placeholder ||
  (isObject(value) && Object.values(value).some((inner) => holds(inner, placeholder)));

import * as z from "zod";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";
import { didYouMean } from "../diagnostics/suggest";

/** A text of a setting; its metadata describes it to users. */
type Form = z.ZodType<string>;

const described = (form: Form, expected: string, example: string): Form => form.meta({ expected, example });

const descriptionOf = (form: Form) => form.meta() as { readonly expected: string; readonly example: string };

const matching = (expected: string, example: string, pattern: RegExp): Form =>
  described(z.string().regex(pattern), expected, example);

/** Accepts one of a few words; the last one is the example. */
const oneOf = (...words: readonly string[]): Form =>
  described(z.enum([...words]), words.map((word) => `"${word}"`).join(" or "), words.at(-1) ?? "");

/** Accepts either form; the example is that of the second. */
const either = (first: Form, second: Form): Form =>
  described(
    z.union([first, second]),
    `${descriptionOf(first).expected}, or ${descriptionOf(second).expected}`,
    descriptionOf(second).example,
  );

const fieldOrAuto = (example: string): Form =>
  either(
    oneOf("auto"),
    matching(`a field of the answer such as "${example}", or "."`, example, /^(\.|\w+(\.\w+)*)$/),
  );

/** Accepts a path with each of the `ids` at most once. */
const path = (example: string, where: string, ids: readonly string[], needed = ""): Form =>
  matching(
    `a path ${where}`,
    example,
    new RegExp(
      `^(?!.*(\\{\\w+\\}).*\\1)(?=.*${needed})(/(?!\\.{1,2}(/|$))([\\w.~-]+|\\{(${ids.join("|")})\\}))+$`,
    ),
  );

/** Accepts a path that is below the workspace where it has `{serviceId}`, else below the service. */
const servicePath = (example: string, ...ids: readonly string[]): Form =>
  path(example, `such as "${example}" (with {serviceId} in it below the workspace, else below the service)`, [
    "serviceId",
    ...ids,
  ]);

const routeOr = (form: Form): Form => either(oneOf("route", "off"), form);

/** Accepts a JSON object with each of `needed` as `"{name}"` in it. */
const body = (example: string, ...needed: readonly string[]): Form =>
  described(
    z.string().refine((text) => jsonObject(text) && needed.every((name) => text.includes(`"{${name}}"`))),
    `a JSON body such as '${example}'`,
    example,
  );

/** Accepts a JSON object of JSON objects. */
const objects = (example: string): Form =>
  described(
    z.string().refine((text) => Object.values(jsonObject(text) ?? { no: 0 }).every(isObject)),
    `a JSON object such as '${example}'`,
    example,
  );

const fieldNames = (example: string): Form =>
  matching(`two field names such as "${example}"`, example, /^\w+,\w+$/);

/** A setting that is `initial` unless the environment says otherwise. */
const setting = (initial: string, form: Form): Form => {
  const { expected, example } = descriptionOf(form);
  return described(form.default(initial), expected, example);
};

const patchServiceBody = body(
  '{"service": {"name": "{name}", "configuration": "{configuration}"}}',
  "name",
  "configuration",
);
const patchVariableBody = body('{"variable": {"key": "{key}", "value": "{value}"}}', "key", "value");
const rollBackBody = body('{"confirm": "{confirm}", "deployment": "{deploymentId}"}', "confirm");
const operationPath = path(
  "/jobs/{operationId}",
  'below the workspace such as "/jobs/{operationId}"',
  ["operationId", "projectId"],
  "\\{operationId",
);

/** Every setting, with its default. `readService` is set by `RNV_GAP_READ_SERVICE`. */
const settings = {
  readService: setting("/services/{serviceId}", routeOr(servicePath("/apps/{serviceId}"))),
  serviceAnswer: setting("auto", fieldOrAuto("data.service")),
  patchService: setting("auto", either(oneOf("auto", "nested", "flat"), patchServiceBody)),
  patchServicePath: setting("/services/{serviceId}", servicePath("/services/{serviceId}/configuration")),
  patchServiceMethod: setting("PATCH", oneOf("PATCH", "POST", "PUT")),
  listVariables: setting(
    "/services/{serviceId}/variables",
    routeOr(servicePath("/services/{serviceId}/env")),
  ),
  variableItems: setting("auto", fieldOrAuto("data.items")),
  patchVariable: setting(
    "auto",
    either(oneOf("auto", "route", "off"), either(patchVariableBody, fieldNames("name,value"))),
  ),
  variableAnswer: setting("auto", fieldOrAuto("data")),
  rollBack: setting(
    "/deploys/{deploymentId}/rollback",
    either(oneOf("off"), servicePath("/rollback", "deploymentId")),
  ),
  rollBackBody: setting("auto", either(oneOf("auto"), rollBackBody)),
  rollBackAnswer: setting("auto", fieldOrAuto("release")),
  routeKeys: setting("auto", oneOf("auto", "on", "off")),
  operationBody: setting("auto", oneOf("auto", "bare", "wrapped")),
  projectOperation: setting("/projects/{projectId}/operations/{operationId}", routeOr(operationPath)),
  environmentRecord: setting("id,name", fieldNames("environmentId,title")),
  productionEnvironment: setting("Production", matching("a name", "production", /\S/)),
  projectColor: setting("#64748b", matching("a color", "slate", /^\S(.*\S)?$/)),
  renameProject: setting("on", oneOf("on", "off")),
  kindDefaults: setting("{}", objects('{"static": {"port": 80}}')),
  errorBody: setting("auto", oneOf("auto", "top-level", "nested")),
  replayHeader: setting(
    "auto",
    matching('a header name, or "auto"', "Idempotency-Replayed", /^[A-Za-z0-9-]+$/),
  ),
};

/** How each gap is filled. Paths with `{serviceId}` stand below the workspace, others below the service. */
export type GapSettings = Readonly<Record<keyof typeof settings, string>>;

export const defaultGaps = z.object(settings).parse({}) as GapSettings;

/** Every setting as users see it. */
export const gapSettingList = Object.entries(settings).map(([name, form]) => {
  const key = name as keyof GapSettings;
  return { key, variable: gapVariable(key), form, default: defaultGaps[key], ...descriptionOf(form) };
});

/** Returns the variable of a setting: `RNV_GAP_READ_SERVICE` for `readService`. */
export function gapVariable(setting: string): string {
  return `RNV_GAP_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Reads every `RNV_GAP_<NAME>`; a value that does not fit is an error, an unknown name a warning. */
export function gapSettings(environment: Readonly<Record<string, string | undefined>>): {
  readonly settings: GapSettings;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const chosen: Record<string, string> = {};
  for (const { key, variable, form, expected, example } of gapSettingList) {
    const text = environment[variable]?.trim() || undefined;
    if (text === undefined) continue;
    if (form.safeParse(text).success) chosen[key] = text === "route" ? defaultGaps[key] : text;
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
  const names = new Set(gapSettingList.map(({ variable }) => variable));
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
export const assignment = (name: string, value: string): string =>
  /^[A-Za-z0-9._,/-]+$/.test(value) ? `${name}=${value}` : `${name}='${value}'`;

/** Returns the JSON object that a text holds, or undefined. */
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

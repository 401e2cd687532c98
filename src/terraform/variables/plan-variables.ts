import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { canonicalId, generatedName, shortList } from "../../model/text";
import { liveVariable, variable } from "../../resources/variable";
import { isMadeBy } from "../apply/twins";
import { addressOfId } from "../confirm-deleted";
import { toldUnlessInState } from "../plan/doubts";
import { unknownValue } from "../plan/plan-findings";
import type { Provider } from "../provider";
import { textIn } from "../schema/attributes";
import {
  asObject,
  holdsUnknown,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "../values/terraform-value";
import { declaredMap, generatedMap, textsIn } from "./variables";

interface VariablesChange {
  /** Undefined for a create. */
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  /** Variables of the service by key that the map takes over when it declares them: it was imported. */
  readonly takenOver: ReadonlyMap<string, Pick<Variable, "id">>;
}

export interface VariablesPlan {
  readonly planned: TerraformObject;
  readonly replaces: boolean;
  /** Keys that are added, changed and removed; all that are ours where it is not known which. */
  readonly touched: readonly string[];
  readonly acts: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Plans a map of variables key by key: ids are known where a key stays, times where its value stays. Pure, and the same
 * every time it is asked. Keys that are not declared and were never ours are left alone.
 */
export function planVariables({ prior, config, takenOver }: VariablesChange): VariablesPlan {
  const isThere = prior !== undefined && isSameService(prior.service_id, config.service_id);
  const place = isThere ? prior.service_id : config.service_id;
  const base = { ...config, service_id: place ?? null, values_wo: null };
  const keys = declaredKeys(config, isThere ? prior : undefined);
  const replaces = prior !== undefined && !isThere;
  const before = replaces ? undefined : prior;
  const owned = Object.keys(textsIn(prior?.ids));
  const diagnostics = keys === null ? undeclaredFindings(prior, config) : [];
  const id = before?.id ?? config.service_id ?? null;
  if (keys === null && before !== undefined) {
    const { ids = null, updated_at = null } = before;
    return { planned: { ...base, id, ids, updated_at }, replaces, touched: [], acts: false, diagnostics };
  }
  if (keys === undefined)
    return {
      ...{ planned: { ...base, id, ids: unknown, updated_at: unknown }, replaces },
      ...{ touched: owned, acts: true, diagnostics },
    };
  const declared = keys ?? [];
  const ids = textsIn(before?.ids);
  const times = textsIn(before?.updated_at);
  const isSent = sentKeys(before, config);
  // What was changed outside has no time any more.
  const isLeft = (key: string): boolean =>
    key in times || (isWithheld(config) && !(key in generatedMap(config)));
  const kept = new Set(declared.filter((key) => key in ids && isLeft(key) && !isSent(key)));
  const timed = declared.filter((key) => key in times || !kept.has(key));
  const planned = {
    ...base,
    id,
    ids: fromKeys(declared, (key) => ids[key] ?? takenOver.get(key)?.id ?? unknown),
    // For each key of a new map one line is enough.
    updated_at: before ? fromKeys(timed, (key) => (kept.has(key) ? (times[key] ?? null) : unknown)) : unknown,
  };
  const lost = Object.entries(asObject(config.values ?? null) ?? {})
    .filter(([key, value]) => value === null && !kept.has(key))
    .map(([key]) => unknownValue(key, "values"));
  const touched = [...new Set([...owned, ...declared])].filter((key) => !kept.has(key));
  return { planned, replaces, touched, acts: touched.length > 0, diagnostics: [...diagnostics, ...lost] };
}

/**
 * Returns the keys that a configuration declares: undefined where they are not known, null where no map is written. What
 * `ignore_changes` withholds declares what it set before.
 */
export function declaredKeys(
  config: TerraformObject,
  before: TerraformObject | undefined,
): readonly string[] | undefined | null {
  const written = isWithheld(config) ? writeOnlyBefore(before) : declaredMap(config);
  const maps = [written, config[generatedName] ?? null].filter((map) => map !== null);
  if (maps.length === 0) return null;
  return maps.some(isUnknown)
    ? undefined
    : [...new Set(maps.flatMap((map) => Object.keys(asObject(map) ?? {})))].sort();
}

/** Whether a plan is not given the write-only values: they are nowhere but in the configuration, and it ignores their changes. */
const isWithheld = (config: TerraformObject): boolean =>
  declaredMap(config) === null && (config.values_wo_version ?? null) !== null;

/** Returns the keys that a map set and did not make up; null where there are none. */
function writeOnlyBefore(before: TerraformObject | undefined): TerraformValue {
  if (before === undefined) return unknown;
  const made = generatedMap(before);
  const own = Object.entries(textsIn(before.ids)).filter(([key]) => !(key in made));
  return own.length === 0 ? null : Object.fromEntries(own);
}

/** Tells of a key whether its value is sent, though it is there: it is another, or a new version of all is. */
function sentKeys(before: TerraformObject | undefined, config: TerraformObject): (key: string) => boolean {
  if (before === undefined) return () => true;
  const [made, isMade] = [generatedMap(before), generatedMap(config)];
  const isOther = sentTexts(before, config);
  return (key) => (key in isMade ? !isSame(made[key], isMade[key]) : key in made || isOther(key));
}

function sentTexts(before: TerraformObject, config: TerraformObject): (key: string) => boolean {
  const values = asObject(config.values ?? null);
  const known = asObject(before.values ?? null) ?? {};
  if (values !== undefined) return (key) => !isSame(known[key], values[key]);
  const isResent = !isSame(before.values_wo_version, config.values_wo_version);
  return () => isResent;
}

const isSame = (a: TerraformValue | undefined, b: TerraformValue | undefined): boolean =>
  isSameValue(a ?? null, b ?? null) && !holdsUnknown(b ?? null);

const isSameService = (a: TerraformValue | undefined, b: TerraformValue | undefined): boolean =>
  isSame(a, b) || (typeof a === "string" && typeof b === "string" && canonicalId(a) === canonicalId(b));

const fromKeys = (
  keys: readonly string[],
  valueAt: (key: string) => TerraformValue,
): Record<string, TerraformValue> => Object.fromEntries(keys.map((key) => [key, valueAt(key)]));

/**
 * Returns what is said of a resource that declares no map. Values that are taken away are no order to delete what they
 * set; one that was imported, or whose changes are ignored, has none.
 */
function undeclaredFindings(
  prior: TerraformObject | undefined,
  config: TerraformObject,
): readonly Diagnostic[] {
  if (prior === undefined)
    return [
      error("plan.invalid_combination", "there are no values", {
        attribute: "values",
        hint: "set values, values_wo or generate",
      }),
    ];
  const owned = Object.keys(textsIn(prior.ids));
  const isTakenAway =
    (prior.values ?? null) !== null || !isSame(prior.values_wo_version, config.values_wo_version);
  if (owned.length === 0 || !isTakenAway) return [];
  return [
    error("plan.invalid_combination", "there are no values any more, and none is deleted for that", {
      attribute: "values",
      detail: `This resource manages ${owned.join(", ")}.`,
      hint: "write values = {} to delete them, or take the resource away with a removed block to leave them as they are",
    }),
  ];
}

/** Returns what is said of an imported map that declares nothing: `keys` are those it may declare. */
export const nothingDeclared = (keys: readonly string[]): Diagnostic =>
  warning("plan.invalid_combination", "no values are declared: no variable is managed", {
    attribute: "values",
    detail: keys.length === 0 ? undefined : `The service has ${keys.join(", ")}.`,
    hint: "name in values those that are to be managed: the next apply sets them, and all others are left alone",
  });

/**
 * Returns what is said of keys that a plan adds and that are there already: taken over where `adopt` says so, else an error before
 * anything is sent. What an apply of this directory that was cut short made is ours.
 */
export async function takenKeys(
  provider: Provider,
  prior: TerraformObject | undefined,
  config: TerraformObject,
): Promise<readonly Diagnostic[]> {
  const { session, inState } = provider;
  const serviceId = textIn(config, "service_id");
  const before = isSameService(prior?.service_id, config.service_id) ? prior : undefined;
  const owned = textsIn(before?.ids);
  const added = new Set(declaredKeys(config, before)?.filter((key) => !(key in owned)));
  if (session === undefined || serviceId === undefined || added.size === 0) return [];
  const listed = ((await session.reads.variables(serviceId)) ?? []).filter(({ key }) => added.has(key));
  if (config.adopt === true) return listed.length === 0 ? [] : [takenOver(listed)];
  // The apply looks itself.
  if (session.isApplying) return [];
  const keyOf = ({ id }: Variable) => addressOfId(variable, id);
  const taken: Variable[] = [];
  for (const one of listed) {
    const subject = { verb: "make", type: variable.type, parentId: serviceId, name: one.key } as const;
    const left = inState.has(keyOf(one)) ? undefined : await session.intents.find(subject);
    if (left === undefined || !isMadeBy(left, liveVariable(one, serviceId))) taken.push(one);
  }
  return toldUnlessInState(provider, session, {
    kind: "taken",
    keys: taken.map(keyOf),
    name: `${keysOf(taken)} of the service ${serviceId}`,
    tell: () => {
      const others = taken.filter((one) => !inState.has(keyOf(one)));
      return [notOurs(others, serviceId, prior)];
    },
  });
}

const keysOf = (taken: readonly Variable[]): string => shortList(taken.map(({ key }) => key).sort(), 20);

const takenOver = (taken: readonly Variable[]): Diagnostic =>
  warning("plan.adopted", `${keysOf(taken)}: there already, and taken over: adopt = true`, {
    detail: "Their values become those that are declared here. None is made a second time.",
    attribute: "adopt",
  });

const notOurs = (
  taken: readonly Variable[],
  serviceId: string,
  prior: TerraformObject | undefined,
): Diagnostic =>
  error("live.unmanaged_exists", `${keysOf(taken)}: there already, and not managed by this resource`, {
    attribute: "values",
    detail:
      prior === undefined
        ? `To manage what is declared of the service here, add this, with the address of this resource:\n\n  import {\n    to = rnv_variables.all\n    id = "${serviceId}"\n  }`
        : "Somebody set them elsewhere, in the dashboard or from another state.",
    hint: "set adopt = true to take them over with this apply, or leave them out",
  });

import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import type { AppliableValue } from "../model/resource-operations";
import { isParentAttribute, type ResourceType, ruleAt } from "../model/resource-type";
import { Secret } from "../model/secret";
import { type Attributes, type Mask, noMask, type Plain, plainEqual } from "../model/value";
import type { Change } from "../plan/plan";

export interface ComparedWrite {
  readonly type: ResourceType;
  readonly sent: ReadonlyMap<string, AppliableValue>;
  readonly live: LiveResource;
  readonly defaults: Attributes;
  /** The service's `updatedAt` before the write; undefined for a create. */
  readonly before?: string;
  readonly mask?: Mask;
}

/**
 * Returns the error for fields that the answer of a write shows with other values than were sent. A secret is masked in
 * every answer: its write must have moved `updatedAt`.
 */
export function verifyApplied(change: Change, write: ComparedWrite): Diagnostic | undefined {
  const refused = unappliedPaths(write);
  const [first] = refused;
  if (first === undefined) return undefined;
  const { address, attributes } = change;
  const { type, live } = write;
  const summary = `${address}: the platform accepted the change, but ${refused.join(", ")} did not take`;
  const about = { address, attribute: first, range: attributes.find(({ path }) => path === first)?.range };
  if (refused.every((path) => ruleAt(type, path)?.secret === true)) {
    const detail =
      "A value cannot be read back, but its write must move updatedAt, and that is what it was before.";
    return error("apply.not_taken", summary, { ...about, detail, hint: hintOf(secretHint, type) });
  }
  const { nameAttribute = "" } = type;
  const isNamedOtherwise = refused.includes(nameAttribute) && live.attributes.get(nameAttribute);
  const hint = isNamedOtherwise
    ? `it is recorded; declare ${nameAttribute}: ${JSON.stringify(live.name)}, and run the same command again`
    : hintOf(fieldHint, type);
  return error("apply.not_taken", summary, { ...about, detail: differences(refused, write), hint });
}

const secretHint =
  "nothing was recorded: run the same command again to send it again; if the platform may hold this value already, rnv apply --verify-values reveals it once and writes nothing that is equal";
const fieldHint = "run rnv plan to see what is live now; the value may not be allowed for this kind or plan";

const mostFields = 3;
const longestText = 120;

/** Returns the sent and the shown values of the first fields, without secrets. */
function differences(refused: readonly string[], { type, sent, live, mask = noMask }: ComparedWrite): string {
  const shownPaths = refused.filter((path) => !ruleAt(type, path)?.secret).slice(0, mostFields);
  const text = (value: unknown): string => {
    const json = JSON.stringify(mask((value ?? null) as Plain));
    return json.length > longestText ? `${json.slice(0, longestText)}…` : json;
  };
  return shownPaths
    .map((path) => {
      const shown = live.attributes.get(path);
      const answer = shown === undefined ? "does not show it" : `shows ${text(shown)}`;
      return `${path}: ${text(sent.get(path))} was sent, and the answer of the platform ${answer}.`;
    })
    .join("\n");
}

export function unappliedPaths({ type, sent, live, defaults, before }: ComparedWrite): readonly string[] {
  const isRefused = (path: string, value: AppliableValue): boolean => {
    const rule = ruleAt(type, path);
    if (!rule || rule.change === "local") return false;
    if (rule.secret) return value !== null && movedTime(before, live.updatedAt) === false;
    if (value instanceof Secret) return false;
    if (isParentAttribute(type, path)) return false;
    const shown = live.attributes.get(path) ?? defaults.get(path);
    const wanted = value ?? defaults.get(path) ?? null;
    if (shown === undefined) return wanted !== null;
    return wanted !== shown && !(rule.equal ?? plainEqual)(wanted, shown);
  };
  const refused: string[] = [];
  for (const [path, value] of sent) if (isRefused(path, value)) refused.push(path);
  return refused;
}

/** Returns true if a write moved the time of its resource; undefined without both times. */
export function movedTime(before: string | undefined, after: string | undefined): boolean | undefined {
  const times = [Date.parse(before ?? ""), Date.parse(after ?? "")];
  return times.some(Number.isNaN) ? undefined : times[0] !== times[1];
}

const hintOf = (hint: string, { unappliedHint }: ResourceType): string =>
  unappliedHint === undefined ? hint : `${hint}; ${unappliedHint}`;

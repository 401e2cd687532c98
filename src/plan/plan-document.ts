import { type Diagnostic, hasErrors } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";
import { nameOf } from "../model/address";
import { unflatten } from "../model/attributes";
import { sha256 } from "../model/digest";
import { canonicalJson, isPlain, type Plain } from "../model/value";
import { flattenedBefore, type Sides, sidesOf } from "./document-sides";
import type { AttributeChange, Change, OutputChange, Plan, ShownValue } from "./plan";
import { unboundSecrets } from "./unread-secrets";

type Json = { readonly [key: string]: Plain };

/**
 * A plan as JSON, in the shape of Terraform's `show -json` (format 1.2) with attribute paths as declared, plus what
 * is ours: cause, effects, cost, guards, reasons, bindings. It holds no secret. `unbound` names secrets that its digests
 * leave out, by address, besides those without a fingerprint: a plan that was made without them is compared so.
 */
export function planDocument(plan: Plan, unbound: Unbound = new Map()): Json {
  const sides = plan.changes.map(sidesOf);
  const drifted = plan.changes.filter((change) => change.missing || (change.drift ?? []).length > 0);
  return compact({
    format_version: "1.2",
    timestamp: plan.timestamp,
    applyable: !hasErrors(plan.diagnostics) && plan.changes.every(({ guard }) => guard === undefined),
    errored: hasErrors(plan.diagnostics),
    planned_values: plannedDocument(plan, sides),
    resource_changes: plan.changes.map((change, i) => changeDocument(change, sides[i] as Sides, unbound)),
    resource_drift: drifted.map(driftDocument),
    output_changes: Object.fromEntries(plan.outputs.map((output) => [output.name, outputDocument(output)])),
    summary: { ...plan.summary },
    cost: { before: { ...plan.cost.before }, after: { ...plan.cost.after }, estimate: plan.cost.estimate },
    unmanaged: plan.unmanaged.map((thing) => ({ ...thing })),
    standing: plan.standing.length === 0 ? undefined : plan.standing.map((one) => ({ ...one })),
    unchecked: plan.unchecked.map((thing) => compact({ ...thing })),
    revealed: plan.revealed?.map(({ address, attribute, isEqual }) => ({
      address,
      attribute,
      is_equal: isEqual,
    })),
    diagnostics: plan.diagnostics.map(diagnosticDocument),
    options: optionsDocument(plan),
    binding: { ...plan.binding },
  });
}

const terraformActions: Readonly<Record<Change["action"], readonly string[]>> = {
  create: ["create"],
  update: ["update"],
  replace: ["delete", "create"],
  delete: ["delete"],
  adopt: ["no-op"],
  forget: ["forget"],
  "no-op": ["no-op"],
};

export type Unbound = ReadonlyMap<string, readonly string[]>;

/** What there is once the plan is applied, as Terraform tells it: unknown values are left out, secrets are null. */
function plannedDocument({ changes, plannedOutputs }: Plan, sides: readonly Sides[]): Json {
  const resources = changes.flatMap((change, i): Json[] => {
    const after = sides[i]?.after;
    if (!after) return [];
    const known = new Map([...after].filter(([, value]) => value.kind !== "unknown"));
    return [{ ...placeOf(change), values: plainSide(known), sensitive_values: marks(after, "secret") }];
  });
  const outputs = Object.entries(plannedOutputs).map(([name, value]): [string, Json] => [
    name,
    { sensitive: value.kind === "secret", ...(value.kind === "value" && { value: value.value }) },
  ]);
  return { outputs: Object.fromEntries(outputs), root_module: { resources } };
}

const placeOf = ({ address, type }: Change): Json => ({
  address,
  mode: "managed",
  type,
  name: nameOf(address),
});

function changeDocument(change: Change, sides: Sides, unbound: Unbound): Json {
  const open =
    change.action === "no-op" ? [] : [...unboundSecrets(change), ...(unbound.get(change.address) ?? [])];
  const isTakeOver = change.action === "adopt";
  const replacePaths = change.attributes.filter(({ forcesReplacement }) => forcesReplacement);
  return compact({
    ...placeOf(change),
    previous_address: change.previousAddress,
    change: compact({
      actions: isTakeOver && change.attributes.length > 0 ? ["update"] : terraformActions[change.action],
      ...sidesDocument(sides),
      importing: isTakeOver && change.id !== undefined ? { id: change.id } : undefined,
      replace_paths:
        change.action === "replace" ? replacePaths.map(({ path }) => path.split(".")) : undefined,
    }),
    action_reason: reasonCode(change),
    reason: change.reason,
    id: change.id,
    live_name: change.name,
    attributes: change.attributes.map(attributeDocument),
    released: change.released.map(attributeDocument),
    lifecycle: change.lifecycle?.map(attributeDocument),
    effects: change.effects,
    cost: change.cost && { before: moneyOf(change.cost.before), after: moneyOf(change.cost.after) },
    blocked_by: change.guard && { ...change.guard },
    depends_on: change.dependsOn,
    deletes_after: change.deletesAfter,
    with_parent: change.withParent,
    on_remove: change.onRemove,
    binding: change.binding && { ...change.binding },
    declared_digest: change.action === "no-op" ? undefined : declaredDigest(change, open),
    unbound_values: open.length === 0 ? undefined : open,
  });
}

function reasonCode({ action, attributes, missing }: Change): string | undefined {
  if (action === "replace")
    return attributes.some(({ forcesReplacement }) => forcesReplacement)
      ? "replace_because_cannot_update"
      : "replace_by_request";
  if (action === "delete") return "delete_because_no_resource_config";
  return action === "create" && missing ? "create_because_missing" : undefined;
}

/** A changed secret changes this too, through its keyed fingerprint, which tells nothing of it. */
function declaredDigest({ instance }: Change, unbound: readonly string[]): string {
  const plain: Record<string, Plain> = {};
  for (const [path, value] of instance.resolved) if (isPlain(value)) plain[path] = value;
  const fingerprints = { ...instance.fingerprints };
  for (const path of unbound) delete fingerprints[path];
  return sha256(canonicalJson({ plain, fingerprints }));
}

function driftDocument(change: Change): Json {
  const drift = change.drift ?? [];
  const before = flattenedBefore(change);
  for (const field of drift) before.set(field.path, field.before);
  const after = new Map(before);
  for (const field of drift) after.set(field.path, field.after);
  return compact({
    address: change.address,
    mode: "managed",
    type: change.type,
    name: nameOf(change.address),
    change: {
      actions: [change.missing ? "delete" : "update"],
      ...sidesDocument({ before, after: change.missing ? null : after }),
    },
    attributes: drift.map(attributeDocument),
  });
}

const attributeDocument = ({
  path,
  cause,
  before,
  after,
  forcesReplacement,
  from,
  isPlacement,
  range,
}: AttributeChange): Json =>
  compact({
    path,
    cause,
    before: { ...before },
    after: { ...after },
    forces_replacement: forcesReplacement,
    from: from && [...from],
    placement: isPlacement,
    range: range && plainRange(range),
  });

function outputDocument({ before, after }: OutputChange): Json {
  const action = before.kind === "absent" ? "create" : after.kind === "absent" ? "delete" : "update";
  return {
    actions: [action],
    before: plainOf(before),
    after: plainOf(after),
    after_unknown: after.kind === "unknown",
    before_sensitive: before.kind === "secret",
    after_sensitive: after.kind === "secret",
  };
}

/** Terraform's five views of the two sides. */
function sidesDocument({ before, after }: Sides): Json {
  return {
    before: before && plainSide(before),
    after: after && plainSide(after),
    after_unknown: marks(after, "unknown"),
    before_sensitive: marks(before, "secret"),
    after_sensitive: marks(after, "secret"),
  };
}

const plainSide = (side: ReadonlyMap<string, ShownValue>): Plain =>
  unflatten(new Map([...side].map(([path, value]) => [path, plainOf(value)]))) as Plain;

const marks = (side: ReadonlyMap<string, ShownValue> | null, kind: ShownValue["kind"]): Plain =>
  unflatten(
    new Map([...(side ?? [])].filter(([, value]) => value.kind === kind).map(([path]) => [path, true])),
  ) as Plain;

const plainOf = (value: ShownValue): Plain => (value.kind === "value" ? value.value : null);

const moneyOf = (money: { readonly usd: number; readonly ngn: number } | null): Plain =>
  money && { usd: money.usd, ngn: money.ngn };

const diagnosticDocument = ({ range, ...rest }: Diagnostic): Json =>
  compact({ ...rest, range: range && plainRange(range) });

/** A range may work its offsets out only when asked. */
const plainRange = ({ file, start, end }: SourceRange): Json => ({ file, start, end });

const optionsDocument = ({ options }: Plan): Json => ({
  mode: options.mode,
  targets: options.targets,
  excludes: options.excludes,
  replace: options.replace,
  adopt: options.adopt,
  allow_empty: options.allowEmpty,
  confirmed_deletes: options.confirmedDeletes,
});

/** Leaves out what is undefined: JSON has no word for it. */
function compact(object: Readonly<Record<string, Plain | undefined>>): Json {
  const kept: Record<string, Plain> = {};
  for (const [key, value] of Object.entries(object)) if (value !== undefined) kept[key] = value;
  return kept;
}

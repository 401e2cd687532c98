import { error } from "../diagnostics/diagnostic";
import { type Address, nameOf } from "../model/address";
import type { ResolvedValue } from "../model/value";
import { decideAdoption } from "./decide-adoption";
import type { Deciding } from "./decide-all";
import { type Decision, decideNothing } from "./decision";
import { diffAttributes } from "./diff-attributes";
import { fingerprintSecrets, type SecretPrints } from "./fingerprint-secrets";
import type { AttributeChange } from "./plan";
import { resolveAttributes } from "./resolve";
import { shownValue } from "./shown-value";
import { isGone, type Subject } from "./subject";

/** A declared subject with its references and secrets looked up. */
export interface ResolvedSubject {
  readonly subject: Subject;
  readonly resolved: ReadonlyMap<string, ResolvedValue>;
  readonly secrets: ReadonlyMap<string, SecretPrints>;
  /** What every decision about it starts from. */
  readonly undecided: Decision;
}

export function resolveSubject(subject: Subject, { input, lookup }: Deciding): ResolvedSubject {
  const resolved = resolveAttributes(subject, lookup);
  const secrets = fingerprintSecrets(subject, resolved, input.fingerprintKey);
  const fingerprints: Record<string, string> = {};
  for (const [path, { now }] of secrets) if (now !== undefined) fingerprints[path] = now;
  const onRemove = subject.type.mustExist?.(resolved) ? "retain" : decideNothing(subject).onRemove;
  return {
    subject,
    resolved,
    secrets,
    undecided: { ...decideNothing(subject), resolved, fingerprints, onRemove },
  };
}

/** Create, update, replace, adopt or nothing: what becomes of a declared resource. */
export function decideDeclared(subject: Subject, deciding: Deciding): Decision {
  const about = resolveSubject(subject, deciding);
  if (subject.read.kind === "ambiguous") return refuse(about, ambiguous(subject, subject.read.ids));
  if (!subject.recorded) return decideAdoption(about, deciding) ?? create(about);
  if (isGone(subject)) return create(about);
  const wrongImport = contradictingImport(subject);
  if (wrongImport) return refuse(about, wrongImport);

  const { changes, released, drift, diagnostics } = diffAttributes(subject, about);
  const asked = deciding.input.options.replace.includes(subject.address);
  const isReplaced = asked || changes.some((change) => change.forcesReplacement);
  return {
    ...about.undecided,
    action: isReplaced ? "replace" : changes.length > 0 ? "update" : "no-op",
    attributes: changes,
    released,
    drift,
    diagnostics,
    withParent: isReplaced && goesWithParent(subject, deciding.decisions),
    ...(asked && { reason: "--replace asks for it" }),
  };
}

function create(about: ResolvedSubject): Decision {
  const { subject, resolved, undecided } = about;
  if (subject.type.mustExist?.(resolved)) return refuse(about, notThere(subject));
  if (!subject.recorded && subject.desired?.importId && subject.read.kind !== "unchecked")
    return refuse(about, importMissing(subject));
  return {
    ...undecided,
    action: "create",
    attributes: createdAttributes(about),
    ...(isGone(subject) && { reason: "it was deleted outside of rnv" }),
  };
}

/** Every declared field but those that only rnv reads; null means that the service decides. */
export function createdAttributes({ subject, resolved }: ResolvedSubject): AttributeChange[] {
  const attributes: AttributeChange[] = [];
  for (const path of [...resolved.keys()].sort()) {
    const rule = subject.type.rules[path];
    const value = resolved.get(path);
    if (!rule || rule.change === "local" || value === undefined || value === null) continue;
    const range = subject.desired?.attributes.get(path)?.range ?? subject.desired?.range;
    attributes.push({
      path,
      before: { kind: "absent" },
      after: shownValue(value, rule.secret === true),
      cause: "edit",
      forcesReplacement: false,
      ...(range && { range }),
    });
  }
  return attributes;
}

/** Its parent is deleted, replaced or made anew in this plan, and the service takes it along. */
export function goesWithParent(subject: Subject, decisions: ReadonlyMap<Address, Decision>): boolean {
  if (!subject.parent || !subject.type.removedWithParent) return false;
  const parent = decisions.get(subject.parent);
  if (parent?.action === "delete") return parent.onRemove === "delete";
  return parent?.action === "replace" || parent?.action === "create";
}

/** Nothing is done about a resource that a finding stands against. */
export const refuse = (
  { undecided }: ResolvedSubject,
  diagnostic: Decision["diagnostics"][number],
): Decision => ({
  ...undecided,
  diagnostics: [diagnostic],
});

const ambiguous = (subject: Subject, ids: readonly string[]) =>
  error("live.ambiguous", `${ids.length} live things bear the name of ${subject.address}`, {
    address: subject.address,
    detail: `Ids: ${[...ids].sort().join(", ")}`,
    hint: `say which one is meant: import: ${[...ids].sort()[0]}`,
    ...place(subject),
  });

const importMissing = (subject: Subject) =>
  error(
    "live.import_missing",
    `${subject.address} cannot be imported: ${subject.desired?.importId?.id} is not there`,
    {
      address: subject.address,
      hint: "check the id, or remove the import line to create it",
      ...(subject.desired?.importId && { range: subject.desired.importId.range }),
    },
  );

const notThere = (subject: Subject) =>
  error("live.preserve_missing", `${subject.address} is to be preserved, but it is not there`, {
    address: subject.address,
    hint: `create ${nameOf(subject.address)} first, or declare its value here`,
    ...place(subject),
  });

function contradictingImport({ address, desired, recorded }: Subject) {
  if (!desired?.importId || !recorded || desired.importId.id === recorded.id) return undefined;
  return error(
    "manifest.invalid_value",
    `${address} is recorded as ${recorded.id}, not as ${desired.importId.id}`,
    {
      address,
      range: desired.importId.range,
      hint: `remove the import line, or forget what is recorded: rnv state rm ${address}`,
    },
  );
}

/** At the name, where one is written, else at the block. */
export function place({ desired, type }: Subject) {
  const range = (type.nameAttribute && desired?.attributes.get(type.nameAttribute)?.range) ?? desired?.range;
  return range ? { range } : {};
}

import type { Resource } from "../../api/reads";
import { waitUntilSettled } from "../../apply/settle";
import { failure } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { isUnlisted, ruleAt } from "../../model/resource-type";
import { sha256 } from "../../model/sha256";
import { isOlder } from "../../model/time";
import { type AttributeLookup, canonicalJson, type Plain } from "../../model/value";
import { readParent, typeNamed } from "../../resources";
import { asObject, type TerraformObject } from "../codec";
import type { PrivateData } from "../private-data";
import type { TypeInSession } from "../provider";
import { shapeOf, type TerraformShape } from "../schema/terraform-shape";

/** The revision of a resource that was created only in part. */
export const incomplete = "incomplete";

/** Throws `DiagnosticsError` for a run on an incomplete resource. A trigger may join several revisions. */
export function requireComplete({ triggers = null }: TerraformObject): void {
  for (const [name, value] of Object.entries(asObject(triggers) ?? {}))
    if (`${value}`.split(/[^\w-]+/).includes(incomplete))
      throw failure("plan.not_deployed", `triggers.${name} is incomplete: nothing was started`, {
        attribute: "triggers",
        detail: "It names what was created only in part, and would run without the rest.",
        hint: "plan and apply again: that creates what is missing first",
      });
}

/** Returns true if a run makes a change take effect, or may run again because its parent is restored. */
export const needsRun = (type: TerraformShape, sent: ReadonlySet<string>, planned: TerraformObject) =>
  [...sent].some((path) => ruleAt(type.resource, path)?.takesEffect !== "at once") ||
  (sent.has(type.resource.archives?.attribute ?? "") && !isUnlisted(type.resource, type.knownIn(planned)));

/** Reads the inputs of a run: fields of its parent, and the resources that it follows. Undefined without a readable parent. */
export async function runInputs({ session, type: { resource } }: TypeInSession, parentId: string) {
  const { reads } = session;
  const parent = typeNamed(resource.parents[0]?.type ?? "");
  const read = await readParent(reads, resource, parentId);
  if (parent === undefined || read?.kind !== "found") return undefined;
  const { live } = read;
  const followed = await Promise.all(
    resource.follows.map((type) => typeNamed(type)?.list(reads, parentId) ?? undefined),
  );
  const beside = followed.flatMap((list) => list ?? []);
  const fields = [...live.attributes].filter(
    ([path]) => parent.rules[path]?.change === "update" && parent.rules[path]?.takesEffect !== "at once",
  );
  const times = [live, ...beside].flatMap(({ updatedAt }) => updatedAt ?? []);
  return {
    /** Digest of the fields, and of the ids, names and times of the others. */
    content: sha256(canonicalJson([Object.fromEntries(fields), beside.map(version).sort()] as Plain)),
    /** Time of their latest change, by the platform, ISO 8601: a later run deploys all of them. */
    changedAt: times.sort((a, b) => Date.parse(a) - Date.parse(b)).at(-1),
    isHeld: isUnlisted(parent, live.attributes),
    about: shapeOf(parent).addressOf(live.name),
  };
}

const version = ({ id, name, updatedAt = "" }: LiveResource): string => [id, name, updatedAt].join(" ");

/** Returns if the last run has every change since, by anyone. An imported resource is taken to be up to date. */
export async function checkUpToDate(at: TypeInSession, live: LiveResource, kept: PrivateData) {
  const upToDate = { isUpToDate: true, kept };
  if (at.type.resource.runs === undefined) return { ...upToDate, isUpToDate: live.lacks === undefined };
  const inputs = live.parentId ? await runInputs(at, live.parentId) : undefined;
  if (inputs === undefined) return upToDate;
  const { content, changedAt, isHeld } = inputs;
  // The latest run does not serve: the serving release may have other settings.
  const isUnserved = live.standing?.some(({ code }) => code !== "rolled_back" && code !== "other_branch");
  const awaited = kept.lastRun?.awaited && isUnserved === true;
  const last = kept.lastRun && { ...kept.lastRun, awaited, isHeld: isHeld || undefined };
  const seen = { ...kept, lastRun: last };
  if (isHeld) return { isUpToDate: true, kept: seen };
  if (last?.content === content) return { isUpToDate: last.awaited !== true, kept: seen };
  if (last === undefined && kept.workspace !== undefined)
    return { isUpToDate: true, kept: { ...kept, lastRun: { id: live.id, content } } };
  const later = startedSince({ ...at, runs: await listRuns(at, live), changedAt, lastId: last?.id });
  return { isUpToDate: later.some(({ id }) => id === live.id), kept: seen };
}

/** Returns the runs in a parent, newest first; none where the service does not list them. */
export async function listRuns(
  { session, type }: TypeInSession,
  { name, parentId }: Pick<LiveResource, "name" | "parentId">,
): Promise<readonly LiveResource[]> {
  const search = { name, parentId: parentId ?? undefined, declared: undefined };
  return (await type.resource.candidates?.(session.reads, search)) ?? [];
}

interface RunSearch extends TypeInSession {
  readonly runs: readonly LiveResource[];
  /** Time of the last change that a run deploys; undefined if unknown: then no run is found. */
  readonly changedAt: string | undefined;
  readonly lastId?: string | undefined;
  /** Attributes of the run: they may pin a commit. */
  readonly attributes?: AttributeLookup;
}

function isOfCommit({ runs }: Resource, run: LiveResource, attributes: AttributeLookup): boolean {
  const commitOf = (of: AttributeLookup) => runs?.pendingOf(run.id, undefined, of).commit;
  const [wanted, found] = [commitOf(attributes), commitOf(run.attributes)];
  return wanted === undefined || found === undefined || found === wanted;
}

function startedSince(search: RunSearch): readonly LiveResource[] {
  const { type, runs, changedAt, lastId, attributes = new Map() } = search;
  const last = runs.findIndex(({ id }) => id === lastId);
  const hasAll = (run: LiveResource): boolean =>
    run.asOf !== undefined && !isOlder(run.asOf, changedAt) && isOfCommit(type.resource, run, attributes);
  return changedAt === undefined ? [] : runs.slice(0, last === -1 ? runs.length : last).filter(hasAll);
}

/** Returns a run that has every change and is not the recorded one: of an apply that was cut short, or of another user. */
export async function findStartedRun(search: RunSearch): Promise<LiveResource | undefined> {
  const { session, type } = search;
  for (const run of startedSince(search)) {
    const pending = type.resource.runs?.pendingOf(run.id, run.parentId ?? undefined, new Map());
    const wait = { ...session, type: type.resource, timeoutMs: 0 };
    const found = pending && (await waitUntilSettled(pending, wait));
    if (found?.kind !== "failed") return run;
  }
  return undefined;
}

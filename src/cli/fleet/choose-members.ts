import { join, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError, error, failure } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { realOf } from "../../manifest/files";
import { type FleetMember, findFleet, stateAddressOf } from "../../manifest/find-fleet";
import { memberPlace } from "../../manifest/fleet-environment";
import { stageText } from "../../model/stage";
import { parseShard, type Shard } from "../../model/target";
import { compareTexts, namePattern, type ProcessEnvironment, sha256, shortList } from "../../model/text";
import { resourceTypes } from "../../resources";
import { type Invocation, listOf } from "../invocation";
import { jobVariables } from "../job";
import { askedStage } from "../stages";
import { changedMembers } from "./changed-members";

/**
 * Returns the members that a command line means, of a folder or a fleet file: those that are named and have changed in
 * all shards (`selected`), and those to run in this shard (`members`).
 */
export function chooseMembers(invocation: Invocation) {
  const { cwd, environment, options, positional } = invocation;
  const place = resolve(cwd, (positional[0] as string | undefined) ?? ".");
  const untrusted = options.untrusted === true;
  const isOfJob = (name: string): boolean => jobVariables.has(name);
  const request = { place, cwd, types: resourceTypes, environment, untrusted, isOfJob };
  const fleet = findFleet(request);
  const ref = options.changedSince;
  const changed = typeof ref === "string" ? changedMembers(invocation, ref, request, fleet) : fleet.members;
  if (fleet.members.length === 0)
    throw failure("manifest.not_found", `there is no manifest below ${place}`, {
      hint: "a member has rnv.yaml, rnv.yml or a folder rnv; others are named in rnv.fleet.yaml",
    });
  const shared = sharedStates(fleet.members, fleet.root);
  if (shared.length > 0) throw new DiagnosticsError(shared);
  const selected = namedMembers(fleet.members, invocation).filter((member) => changed.includes(member));
  const shard = (options.shard as Shard | undefined) ?? shardOf(environment);
  return { selected, members: inShard(selected, shard), root: fleet.root, shard };
}

/** The members that `--member` and `--stage` name; all without either. */
function namedMembers(all: readonly FleetMember[], invocation: Invocation): readonly FleetMember[] {
  const words = listOf(invocation.options.member);
  const asked = askedStage(invocation);
  const stage = asked && stageText(asked);
  const inStage = stage === undefined ? all : all.filter((member) => member.stage === stage);
  if (inStage.length === 0) {
    const stages = shortList([...new Set(all.flatMap((member) => member.stage ?? []))], 10);
    const hint = stages === "" ? "no manifest of this fleet declares stages" : `there are: ${stages}`;
    throw failure("command.usage", `no member has the stage ${JSON.stringify(stage)}`, { hint });
  }
  if (words.length === 0) return inStage;
  const names = inStage.map(({ name }) => name);
  const patterns = words.map((word) => ({ word, pattern: namePattern(word) }));
  const missed = patterns.find(({ pattern }) => !names.some((name) => pattern.test(name)));
  if (missed !== undefined)
    throw failure("command.usage", `there is no member ${JSON.stringify(missed.word)}`, {
      hint: didYouMean(missed.word, names) ?? `there are: ${shortList(names, 10)}`,
    });
  return inStage.filter(({ name }) => patterns.some(({ pattern }) => pattern.test(name)));
}

/** The shard of a job of several: an Indexed Job of Kubernetes, which has to say of how many, or `parallel` of GitLab. */
function shardOf(environment: ProcessEnvironment): Shard | undefined {
  const { JOB_COMPLETION_INDEX: index, RNV_SHARDS: shards } = environment;
  const { CI_NODE_INDEX: node, CI_NODE_TOTAL: nodes } = environment;
  if (index && !shards)
    throw failure("config.missing", "RNV_SHARDS is not set", {
      detail: "JOB_COMPLETION_INDEX says which of the pods of an Indexed Job this is; not of how many.",
      hint: "set RNV_SHARDS to the completions of the job, or give --shard 1/1 for the whole fleet",
    });
  const part = index ? `${Number(index) + 1}/${shards}` : `${node}/${nodes}`;
  if (!index && !(node && nodes)) return undefined;
  const shard = parseShard(part);
  if (shard !== undefined) return shard;
  throw failure("config.invalid", `the job names no shard: ${part}`, {
    hint: "give --shard 1/4, or 1/1 for the whole fleet",
  });
}

/**
 * The members of one shard: every `count`-th in the order of a hash of their names, so that shards differ in size by one
 * at most, and large neighbours do not meet in one. Shards 1 to `count` together are all members, each once.
 */
export function inShard<Member extends Pick<FleetMember, "name">>(
  members: readonly Member[],
  shard: Shard | undefined,
): readonly Member[] {
  if (shard === undefined) return members;
  const hashes = members.map(({ name }) => sha256(name)).sort(compareTexts);
  const chosen = new Set(hashes.filter((_, at) => at % shard.count === shard.index - 1));
  return members.filter(({ name }) => chosen.has(sha256(name)));
}

/** Members whose runs would write one state: an error for each such state. */
function sharedStates(members: readonly FleetMember[], root: string): readonly Diagnostic[] {
  const byState = new Map<string, string[]>();
  for (const member of members) {
    const address = stateAddressOf(member);
    const state = address.includes("://") ? address : resolve(realOf(join(root, member.folder)), address);
    if (address !== "") byState.set(state, [...(byState.get(state) ?? []), member.name]);
  }
  return [...byState.values()]
    .filter((names) => names.length > 1)
    .map((names) =>
      error("config.invalid", `${names.join(" and ")} would have one state`, {
        detail: "Each would plan to delete what the other has made.",
        hint: `give each a state of its own: RNV_STATE, and state in the fleet file, may hold ${memberPlace} and, where there are stages, \${stage.name}`,
      }),
    );
}

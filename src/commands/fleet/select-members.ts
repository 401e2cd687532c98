import { basename, dirname, join, resolve } from "node:path";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { realOf } from "../../manifest/find-fleet";
import { stateNamedFor } from "../../manifest/fleet-environment";
import { type FleetMember, memberPlace, type Shard } from "../../model/fleet";
import { fillStage, splitStage } from "../../model/stage";
import { compareTexts, type ProcessEnvironment, sha256 } from "../../model/text";
import { parseStateAddress } from "../../state/state-address";

/**
 * The members of one shard: every `count`-th in the order of a hash of their names, so that shards differ in size by one
 * at most, and large neighbours do not meet in one. Shards 1 to `count` together are all members, each once.
 */
export function inShard(members: readonly FleetMember[], shard: Shard | undefined): readonly FleetMember[] {
  if (shard === undefined) return members;
  const hashed = members.map((member) => ({ member, hash: sha256(member.name) }));
  const chosen = new Set(
    hashed
      .sort((a, b) => compareTexts(a.hash, b.hash))
      .filter((_, at) => at % shard.count === shard.index - 1)
      .map(({ member }) => member),
  );
  return members.filter((member) => chosen.has(member));
}

/** Members whose runs would write one state: an error for each such state. */
export function sharedStates(
  members: readonly FleetMember[],
  root: string,
  environment: ProcessEnvironment,
): readonly Diagnostic[] {
  const byState = new Map<string, string[]>();
  for (const member of members) {
    const state = stateOf(member, root, environment);
    if (state !== undefined) byState.set(state, [...(byState.get(state) ?? []), member.name]);
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

/** Where the state of a member is: equal for two that would write the same; undefined where its own run refuses it. */
function stateOf(member: FleetMember, root: string, environment: ProcessEnvironment): string | undefined {
  const { stateOfStage, stage: name } = member;
  const stage = name === undefined ? undefined : splitStage(name);
  const text = stateOfStage ?? stateNamedFor(member, environment) ?? `.rnv/${name ?? ""}/state.json`;
  const { address } = parseStateAddress(stage === undefined ? text : fillStage(text, stage));
  if (text === "" || address === undefined) return undefined;
  if (address.kind === "s3") return `s3://${address.endpoint ?? ""}/${address.bucket}/${address.key}`;
  if (address.kind === "http") return new URL(address.url).href;
  const path = resolve(realOf(resolve(root, member.folder)), address.path);
  return join(realOf(dirname(path)), basename(path));
}

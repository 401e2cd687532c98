import { InvalidArgumentError } from "commander";
import { failure } from "../../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../../model/target-location";
import type { FleetReport } from "../../report/fleet-report";
import { argument, list, parsed, pick, positive, positiveDuration, text, type ValuesOf } from "../options";

export const folder = { dir: argument("[dir]") };

export const membersOptions = {
  member: list("--member <name>", "only this member, or those of a pattern: 'teams/*'"),
  ...pick("stage", "untrusted"),
  changedSince: text(
    "--changed-since <ref>",
    "only members of which a file differs from where this branch left it: origin/main",
  ),
};

export const shownOptions = {
  report: text("--report <dir>", "also write the report there, for rnv fleet report"),
  ...pick("metrics", "html", "format", "json"),
};

export const runOptions = {
  ...membersOptions,
  shard: parsed(
    "--shard <i/n>",
    "the i-th of n parts (else of an Indexed Job with RNV_SHARDS, or of GitLab's parallel jobs)",
    (word) => {
      const shard = parseShard(word);
      if (shard !== undefined) return shard;
      throw new InvalidArgumentError("Not a part of a whole, such as 1/4 or 4/4.");
    },
  ),
  parallelism: parsed("--parallelism <n>", "members at once (default: two for each processor)", positive),
  memberTimeoutMs: parsed(
    "--member-timeout <duration>",
    "how long one member may take before it is ended",
    positiveDuration,
    1_800_000,
    "30m",
  ),
  ...pick("answerTimeoutMs"),
  ...shownOptions,
};

export type RunValues = ValuesOf<typeof runOptions & typeof folder>;
export type ShownValues = Pick<RunValues, "report" | "metrics" | "html">;
export type MembersValues = ValuesOf<typeof membersOptions & typeof folder> &
  Partial<Pick<RunValues, "memberTimeoutMs">>;

type Shard = NonNullable<FleetReport["shard"]>;

/** Parses `2/4`; undefined for other words. */
function parseShard(word: string): Shard | undefined {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(word) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index >= 1 && shard.index <= shard.count ? shard : undefined;
}

/** Returns the shard of an Indexed Job of Kubernetes, which also needs RNV_SHARDS, or of `parallel` jobs of GitLab. */
export function shardOf(environment: ProcessEnvironment): Shard | undefined {
  const { JOB_COMPLETION_INDEX: index, RNV_SHARDS: shards } = environment;
  const { CI_NODE_INDEX: node, CI_NODE_TOTAL: nodes } = environment;
  if (!index && !(node && nodes)) return undefined;
  const part = index ? `${Number(index) + 1}/${shards}` : `${node}/${nodes}`;
  const shard = parseShard(part);
  if (shard !== undefined) return shard;
  const summary = index && !shards ? "RNV_SHARDS is not set" : `the job names no shard: ${part}`;
  throw failure("config.invalid", summary, {
    hint: "set RNV_SHARDS to the completions of an Indexed Job, or give --shard 1/4; 1/1 for the whole fleet",
  });
}

import { InvalidArgumentError } from "commander";
import type { FleetReport } from "../../report/fleet-report";
import { pick } from "../options";
import { argument, list, parsed, positive, positiveDuration, text, type ValuesOf } from "../verb";

export const folder = { dir: argument("[dir]") };

export const membersOptions = {
  member: list("--member <name>", "only this member, or those of a pattern: 'teams/*'"),
  ...pick("stage"),
  changedSince: text(
    "--changed-since <ref>",
    "only members of which a file differs from where this branch left it: origin/main",
  ),
  ...pick("untrusted"),
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

export type Shard = NonNullable<FleetReport["shard"]>;

/** Parses `2/4`; undefined for what is no part of a whole. */
export function parseShard(word: string): Shard | undefined {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(word) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index >= 1 && shard.index <= shard.count ? shard : undefined;
}

/** One of `count` parts of a fleet; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Parses `2/4`; undefined for what is no part of a whole. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index >= 1 && shard.index <= shard.count ? shard : undefined;
}

/** Verbs that a fleet runs. */
export const fleetVerbs = ["plan", "drift", "apply"] as const;

export type FleetVerb = (typeof fleetVerbs)[number];

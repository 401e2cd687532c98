import type { ProcessEnvironment } from "./text";

/** A manifest in one of its stages and one of its stacks, with the state that it has there: what a verb runs on. */
export interface Target {
  /** Its files, as `-f` takes them; none: the default ones of its folder. */
  readonly manifest: readonly string[];
  /** `production`, `preview/12`. */
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  /** The address of its state; undefined for the default one. */
  readonly state?: string | undefined;
  /** What its run is given of the environment. */
  readonly environment: ProcessEnvironment;
}

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

/** A manifest of a fleet in one of its stages: a run of its own (DESIGN section 16). */
export interface FleetMember {
  /** `teams/shop`, with its stage `teams/shop@production`; no two members of a fleet have the same. */
  readonly name: string;
  /** From the folder of the fleet, with forward slashes; `.` for itself. */
  readonly folder: string;
  /** As `-f` takes them; none: the default ones of the folder. */
  readonly files: readonly string[];
  readonly stage?: string | undefined;
  /** Names in the environment of the fleet, by the names under which the run of the member is given their values. */
  readonly environment: Readonly<Record<string, string>>;
  /** UUID of its workspace. */
  readonly workspace?: string | undefined;
  /** Address of its state, with `${member}` not filled in yet. */
  readonly state?: string | undefined;
  /** Address of its state where its stage names one; empty where what its stage names cannot be read. */
  readonly stateOfStage?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** One of `count` parts of a fleet; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Stands for the name of the member, without its stage, in the address of a state. */
export const memberPlace = "${member}";

/** Returns the name of a member without its stage. */
export const unstagedName = (name: string): string => name.split("@")[0] as string;

/** Verbs that a fleet runs. */
export const fleetVerbs = ["plan", "drift", "apply"] as const;

export type FleetVerb = (typeof fleetVerbs)[number];

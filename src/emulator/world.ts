import type { CatalogAnswer } from "../api/wire/catalog";
import type { Clock } from "../model/clock";
import type { Condition } from "./conditions";
import type { Credential } from "./credentials";
import type { GapSwitches } from "./gap-switches";
import type { Replicas } from "./lag";
import type { Seal } from "./seal";
import type { Store } from "./store";

/** What may be switched while the service runs. */
export interface Switches {
  readonly conditions: Set<Condition>;
  readonly deployMs: number;
  readonly operationMs: number;
}

/** The embedded service as a route sees it: its data, time, catalog, credentials and how it is set up. */
export interface World {
  readonly store: Store;
  /** What reads are answered from. */
  readonly replicas: Replicas;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly catalog: CatalogAnswer;
  readonly gaps: GapSwitches;
  readonly switches: Switches;
  /** Failures to come, by service id; `*` stands for the next deployment of any service. */
  readonly deploymentFailures: Map<string, string[]>;
  readonly operationFailures: Set<string>;
  /** By key. */
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Counts a request of a credential; throws 429 above the limit. */
  readonly countRequest: (credentialId: string) => void;
}

import type { Plain } from "./value";

/** A plan of the catalog. Prices are estimates in whole currency units a month. */
export interface CatalogPlan {
  readonly id: string;
  readonly name: string;
  readonly kinds: readonly string[];
  readonly usd: number;
  readonly ngn: number;
  /** Limits; none where absent or 0. */
  readonly backupRetentionDays?: number | null | undefined;
  readonly maxConnections?: number | null | undefined;
  /** Services of this plan in a workspace. */
  readonly workspaceLimit?: number | null | undefined;
}

/** A catalog without entries, for runs that read none: nothing is checked against it. */
export const emptyCatalog: Catalog = {
  plans: [],
  databasePlans: [],
  regions: [],
  runtimes: [],
  serviceTypes: [],
  defaults: {},
  capabilities: {},
  pricesAreEstimates: true,
};

/** The fields of `GET /catalog` that planning needs. */
export interface Catalog {
  readonly plans: readonly CatalogPlan[];
  readonly databasePlans: readonly CatalogPlan[];
  readonly defaults: Readonly<Record<string, Plain>>;
  readonly regions: readonly { readonly id: string; readonly name: string }[];
  readonly runtimes: readonly string[];
  readonly serviceTypes: readonly { readonly id: string; readonly name: string; readonly runtime: boolean }[];
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly pricesAreEstimates: boolean;
  /** Facts that the interface leaves open, assumed or set; undefined where no service was asked. */
  readonly assumed?: {
    /** For a project that names none. */
    readonly projectColor: string;
    /** By kind, where they differ from `defaults`. */
    readonly kindDefaults: Readonly<Record<string, Readonly<Record<string, Plain>>>>;
    /** Name of the environment that a project has from its creation. */
    readonly productionEnvironment: string;
  };
}

import type { Plain } from "./value";

/** A plan of the catalog. Prices are estimates in whole currency units a month. */
export interface CatalogPlan {
  readonly id: string;
  readonly name: string;
  readonly kinds: readonly string[];
  readonly usd: number;
  readonly ngn: number;
}

/** What planning needs of `GET /catalog`. */
export interface Catalog {
  readonly plans: readonly CatalogPlan[];
  readonly databasePlans: readonly CatalogPlan[];
  readonly defaults: Readonly<Record<string, Plain>>;
  readonly regions: readonly { readonly id: string; readonly name: string }[];
  readonly runtimes: readonly string[];
  readonly serviceTypes: readonly { readonly id: string; readonly name: string; readonly runtime: boolean }[];
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly pricesAreEstimates: boolean;
}

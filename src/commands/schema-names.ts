import { type Gap, gaps, gapVariable } from "../api/gaps";

export const schemaNames = [
  "manifest",
  "overlay",
  "drift-file",
  "policy",
  "test",
  "fleet",
  "plan",
  "drift",
  "fleet-report",
  "test-report",
  "state",
  "events",
  "status",
  "output",
  "history",
  "deployments",
] as const;

export type SchemaName = (typeof schemaNames)[number];

/** `rnv schema gaps`: lists the facts that the service's documents leave open, how each is assumed, and its settings. */
export const gapList = () =>
  Object.entries<Gap>(gaps).map(([name, { settings = {}, ...gap }]) => ({
    name,
    ...gap,
    settings: Object.entries(settings).map(([key, { schema: _, ...setting }]) => ({
      variable: gapVariable(key),
      ...setting,
    })),
  }));

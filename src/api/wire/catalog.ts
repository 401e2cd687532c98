import * as z from "zod";
import type { Plain } from "../../model/value";

export const plan = z.looseObject({
  id: z.string(),
  name: z.string(),
  kinds: z.array(z.string()),
  cpu: z.number().optional(),
  memoryMb: z.number().optional(),
  storageGb: z.number().optional(),
  transferGb: z.number().optional(),
  buildMinutes: z.number().optional(),
  logDays: z.number().optional(),
  backupRetentionDays: z.number().optional(),
  maxConnections: z.number().nullish(),
  workspaceLimit: z.number().nullish(),
  usd: z.number(),
  ngn: z.number(),
});

export const catalog = z.looseObject({
  /** Includes `workerOnline`, which reports recent worker readiness. */
  capabilities: z.record(z.string(), z.boolean()),
  plans: z.array(plan),
  databasePlans: z.array(plan),
  /** JSON, as any answer is. */
  defaults: z.record(z.string(), z.unknown() as z.ZodType<Plain>),
  pricesAreEstimates: z.boolean(),
  regions: z.array(z.looseObject({ id: z.string(), name: z.string(), description: z.string().optional() })),
  runtimes: z.array(z.string()),
  serviceTypes: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      plural: z.string().optional(),
      description: z.string().optional(),
      runtime: z.boolean(),
    }),
  ),
});

export type CatalogAnswer = z.infer<typeof catalog>;

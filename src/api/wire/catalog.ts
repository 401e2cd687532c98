import * as z from "zod";
import { amount, anything, flag, text } from "./common";

const textOrNone = text.optional();
const amountOrNone = amount.optional();
const limit = amount.nullish();
const texts = z.array(text);

export const plan = z.looseObject({
  id: text,
  name: text,
  kinds: texts,
  cpu: amountOrNone,
  memoryMb: amountOrNone,
  storageGb: amountOrNone,
  transferGb: amountOrNone,
  buildMinutes: amountOrNone,
  logDays: amountOrNone,
  backupRetentionDays: amountOrNone,
  maxConnections: limit,
  workspaceLimit: limit,
  usd: amount,
  ngn: amount,
});

export const catalog = z.looseObject({
  /** Includes `workerOnline`, which reports recent worker readiness. */
  capabilities: z.record(text, flag),
  plans: z.array(plan),
  databasePlans: z.array(plan),
  defaults: z.record(text, anything),
  pricesAreEstimates: flag,
  regions: z.array(z.looseObject({ id: text, name: text, description: textOrNone })),
  runtimes: texts,
  serviceTypes: z.array(
    z.looseObject({
      id: text,
      name: text,
      plural: textOrNone,
      description: textOrNone,
      runtime: flag,
    }),
  ),
});

export type CatalogAnswer = z.infer<typeof catalog>;

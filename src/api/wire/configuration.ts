import * as z from "zod";
import { anything, flag, text } from "./shapes";

/**
 * The 48 fields of a service's `configuration` with their defaults as documented (interface, "Service configuration"). The
 * catalog's `defaults` win where they differ.
 */
export const documentedDefaults = {
  autoDeploy: "off",
  backupEnabled: true,
  backupRetentionDays: 7,
  branch: "main",
  buildCommand: "",
  buildMethod: "railpack",
  cacheProfile: "none",
  databaseName: "",
  databaseUser: "",
  databaseVersion: "16",
  description: "",
  dockerContext: ".",
  dockerfilePath: "Dockerfile",
  evictionPolicy: "allkeys-lru",
  healthCheckPath: "",
  ignorePaths: [],
  includePaths: [],
  ipAllowList: [],
  image: "",
  maintenance: false,
  maintenancePage: "",
  maxConcurrency: 1,
  minReplicas: 1,
  maxReplicas: 3,
  replicas: 1,
  maxRetries: 3,
  notifications: "workspace",
  plan: "free",
  platformDomainEnabled: true,
  port: 8000,
  preDeployCommand: "",
  previewExpiryHours: 72,
  previewMode: "off",
  privateNetworking: true,
  publishDirectory: "dist",
  region: "auto",
  registryId: "",
  repository: "",
  rootDirectory: "",
  runtime: "auto",
  scaling: "manual",
  schedule: "0 * * * *",
  sourceType: "repository",
  startCommand: "",
  targetCpu: 70,
  targetMemory: 80,
  timeoutSeconds: 3600,
  timezone: "UTC",
};

export type ConfigurationField = keyof typeof documentedDefaults;

/** Items are texts; the interface does not show their form, so an object passes through. */
const list = z.array(z.union([text, z.record(text, anything)]));

const formOf = (initial: unknown): z.ZodType => {
  if (typeof initial === "string") return text;
  if (typeof initial === "number") return z.int();
  return typeof initial === "boolean" ? flag : list;
};

/** The schema of each field: it accepts the type of its default. */
export const configurationFields = Object.fromEntries(
  Object.entries(documentedDefaults).map(([field, initial]) => [field, formOf(initial)]),
) as Readonly<Record<ConfigurationField, z.ZodType>>;

import * as z from "zod";
import { type ConfigurationField, configurationFields, documentedDefaults } from "../../api/wire/shapes";
import type { AttributeRule } from "../../model/resource-type";
import { sameDirectory, sameRepository, sameSet, sameText } from "../attribute-values";

const docs: Readonly<Record<ConfigurationField, string>> = {
  autoDeploy: "Whether a push to the branch deploys by itself.",
  backupEnabled: "Keep backups of a database.",
  backupRetentionDays: "Days that backups are kept.",
  branch: "Branch of the repository that is deployed.",
  buildCommand: "Command that builds the application; empty lets the build method decide.",
  buildMethod: "How the source becomes a release.",
  cacheProfile: "Caching in front of the service.",
  databaseName: "Name of the database; empty lets the platform choose.",
  databaseUser: "User of the database; empty lets the platform choose.",
  databaseVersion: "Major version of the database.",
  description: "Text shown with the service.",
  dockerContext: "Build context of a Docker build, relative to the root directory.",
  dockerfilePath: "Path of the Dockerfile, relative to the root directory.",
  evictionPolicy: "What a full key-value store drops.",
  healthCheckPath: "Path that must answer before a release serves; empty checks no path.",
  ignorePaths: "Changes below these paths start no automatic deployment; order does not count.",
  includePaths: "Only changes below these paths start an automatic deployment; order does not count.",
  ipAllowList: "Addresses that may connect; empty admits all. Order does not count.",
  image: "Container image to run in place of a build.",
  maintenance: "Show the maintenance page in place of the service.",
  maintenancePage: "Page shown during maintenance; empty shows the standard page.",
  maxConcurrency: "How many runs of a job may overlap.",
  minReplicas: "Fewest instances under automatic scaling.",
  maxReplicas: "Most instances under automatic scaling.",
  replicas: "Instances under manual scaling.",
  maxRetries: "How often a failed job is tried again.",
  notifications: "Who is notified of deployments and failures.",
  plan: "Plan that sets resources and price; the catalog lists those available for a kind.",
  platformDomainEnabled: "Serve under the domain of the platform.",
  port: "Port that the application listens on.",
  preDeployCommand: "Command that runs before a release serves, such as a migration.",
  previewExpiryHours: "Hours after which a preview is removed.",
  previewMode: "Which changes get a preview.",
  privateNetworking: "Reachable for the other services under its internal host.",
  publishDirectory: "Directory that a static service publishes.",
  region: "Region it runs in; the catalog lists those available.",
  registryId: "Registry with the credentials for a private image.",
  repository: "Repository URL. A trailing slash, `.git` and the case of the host make no difference.",
  rootDirectory: "Directory of the application in its repository.",
  runtime: "Language runtime; the catalog lists those available.",
  scaling: "Manual or automatic scaling.",
  schedule: "Cron expression of a scheduled job.",
  sourceType: "Where the release comes from.",
  startCommand: "Command that starts the application; empty lets the build method decide.",
  targetCpu: "CPU use in percent that automatic scaling aims at.",
  targetMemory: "Memory use in percent that automatic scaling aims at.",
  timeoutSeconds: "Seconds after which a job is stopped.",
  timezone: "Time zone of the schedule.",
};

const configurationNames = Object.keys(configurationFields) as readonly ConfigurationField[];

/**
 * Rules of single fields. `at once` is for fields that the service reads when something happens there. Any other
 * change needs a deployment: the interface says of no field that a release does not read it.
 */
const special: Partial<Record<ConfigurationField, Omit<AttributeRule, "change">>> = {
  description: { takesEffect: "at once" },
  // Read when there is something to report.
  notifications: { takesEffect: "at once" },
  // Read after a push. `includePaths` and `ignorePaths` may also limit a build: they are deployed.
  autoDeploy: { takesEffect: "at once" },
  // Read when a preview is made or expires.
  previewMode: { takesEffect: "at once" },
  previewExpiryHours: { takesEffect: "at once" },
  // Read when old backups are deleted. `backupEnabled` may change the release: it is deployed.
  backupRetentionDays: { takesEffect: "at once" },
  dockerContext: { equal: sameDirectory },
  publishDirectory: { equal: sameDirectory },
  rootDirectory: { equal: sameDirectory, kept: true },
  image: { kept: true },
  ignorePaths: { equal: sameSet },
  includePaths: { equal: sameSet },
  ipAllowList: { equal: sameSet },
  repository: { equal: sameRepository, kept: true },
  plan: { effects: ["billing"], offered: true, known: ["free"] },
  region: { offered: true, known: ["auto"] },
  runtime: { offered: true, known: ["auto", "python"] },
  replicas: { effects: ["billing"] },
  minReplicas: { effects: ["billing"] },
  maxReplicas: { effects: ["billing"] },
  scaling: { effects: ["billing"], known: ["manual"] },
  buildMethod: { known: ["railpack"] },
};

/** Numbers outside of these ranges have no meaning. The service checks the limits of a plan. */
export const ranges: Readonly<Record<string, { readonly minimum: number; readonly maximum?: number }>> = {
  port: { minimum: 1, maximum: 65_535 },
  replicas: { minimum: 0 },
  minReplicas: { minimum: 0 },
  maxReplicas: { minimum: 0 },
};

/** The `configuration` block: any of its fields; `null` stands for the service's default. */
export const configurationSchema = z.strictObject(
  Object.fromEntries(
    configurationNames.map((field) => [
      field,
      configurationFields[field]
        .meta({ ...ranges[field] })
        .nullish()
        .describe(doc(field)),
    ]),
  ) as {
    [Field in ConfigurationField]: z.ZodOptional<z.ZodNullable<(typeof configurationFields)[Field]>>;
  },
);

function doc(field: ConfigurationField): string {
  const initial = documentedDefaults[field];
  const effect = special[field]?.takesEffect ? " A change of it deploys nothing." : "";
  return `${docs[field]} Default: ${initial === "" ? "empty" : `\`${JSON.stringify(initial)}\``}.${effect}`;
}

export const configurationRules = Object.fromEntries(
  configurationNames.map((field) => {
    const texts = typeof documentedDefaults[field] === "string" && { equal: sameText };
    return [`configuration.${field}`, { change: "update", ...texts, ...special[field] }];
  }),
) as Readonly<Record<`configuration.${ConfigurationField}`, AttributeRule>>;

/** Words of other services, and short ones, for fields of `configuration`. */
export const configurationWords: Readonly<Record<string, readonly string[]>> = {
  "configuration.repository": ["repo", "git", "gitUrl", "repoUrl", "repositoryUrl", "source"],
  "configuration.branch": ["gitBranch", "ref"],
  "configuration.buildCommand": ["build"],
  "configuration.startCommand": ["start", "command", "cmd", "run"],
  "configuration.preDeployCommand": ["preDeploy", "release", "releaseCommand"],
  "configuration.healthCheckPath": ["health", "healthCheck", "healthPath", "healthCheckUrl"],
  "configuration.rootDirectory": ["root", "rootDir", "baseDirectory", "workingDirectory"],
  "configuration.publishDirectory": [
    "publish",
    "publishDir",
    "output",
    "outputDirectory",
    "staticPublishPath",
  ],
  "configuration.replicas": ["instances", "numInstances", "numReplicas", "scale", "count"],
  "configuration.dockerfilePath": ["dockerfile"],
  "configuration.schedule": ["cron", "cronSchedule"],
  "configuration.timeoutSeconds": ["timeout"],
  "configuration.plan": ["instanceType", "size", "tier"],
  "configuration.image": ["dockerImage"],
};

// Written by `npm run props` from the resource types; test/unit/cdktf/props.test.ts holds it current.
import type { Resolvable } from "./constructs";
import type { SecretSource } from "./secrets";

/** How long to wait for the service. */
export interface Timeouts {
  /** How long to wait for the service to create it, such as `45m`. */
  readonly create?: string;
  /** How long to wait for the service to update it, such as `45m`. */
  readonly update?: string;
  /** How long to wait for the service to delete it, such as `45m`. */
  readonly delete?: string;
}

/** How long to wait for the service. Set, its fields are written. */
export interface TimeoutsOutputReference extends Resolvable {
  /** How long to wait for the service to create it, such as `45m`. */
  create: string;
  /** What the program gave as `create`. */
  readonly createInput: string | undefined;
  /** It is left out again. */
  resetCreate(): void;
  /** How long to wait for the service to update it, such as `45m`. */
  update: string;
  /** What the program gave as `update`. */
  readonly updateInput: string | undefined;
  /** It is left out again. */
  resetUpdate(): void;
  /** How long to wait for the service to delete it, such as `45m`. */
  delete: string;
  /** What the program gave as `delete`. */
  readonly deleteInput: string | undefined;
  /** It is left out again. */
  resetDelete(): void;
}

/** Fields of a project. A project groups services. Creating one also creates its Production environment. */
export interface ProjectFields {
  /** Name of the project; its logical name unless given. A change takes effect at once, without a deployment. */
  readonly name?: string;
  /** Text shown with the project. A change takes effect at once, without a deployment. */
  readonly description?: string;
  /** Color in the dashboard, such as "#2f6fed"; "#64748b" unless given. A change takes effect at once, without a deployment. */
  readonly color?: string;
}

/** Fields of a project as its construct has them: read, they are references; `…Input` is what the program gave. */
export interface ProjectProperties {
  /** Name of the project; its logical name unless given. A change takes effect at once, without a deployment. */
  name: string;
  /** What the program gave as `name`. */
  readonly nameInput: string;
  /** It is the name of the construct again. */
  resetName(): void;
  /** Text shown with the project. A change takes effect at once, without a deployment. */
  description: string;
  /** What the program gave as `description`. */
  readonly descriptionInput: string | undefined;
  /** It is left out again. */
  resetDescription(): void;
  /** Color in the dashboard, such as "#2f6fed"; "#64748b" unless given. A change takes effect at once, without a deployment. */
  color: string;
  /** What the program gave as `color`. */
  readonly colorInput: string | undefined;
  /** It is left out again. */
  resetColor(): void;
  /** How long to wait for the service. */
  readonly timeouts: TimeoutsOutputReference;
  /** What the program gave as `timeouts`. */
  readonly timeoutsInput: Timeouts | undefined;
  /** Writes these fields in place of those before. */
  putTimeouts(value: Timeouts): void;
  /** It is left out again. */
  resetTimeouts(): void;
}

/** Attributes of a project that the service decides, as tokens. */
export interface ProjectAttributes {
  /** Id of the project. */
  readonly id: string;
  /** Id of its Production environment. */
  readonly productionEnvironmentId: string;
  /** When it was created, ISO 8601. */
  readonly createdAt: string;
}

/** A project as a data source shows it, with what moves by itself. */
export interface ProjectReadings extends ProjectAttributes {
  /** Name of the project; its logical name unless given. A change takes effect at once, without a deployment. */
  name: string;
  /** What the program gave as `name`. */
  readonly nameInput: string | undefined;
  /** It is left out again. */
  resetName(): void;
  /** Text shown with the project. A change takes effect at once, without a deployment. */
  readonly description: string;
  /** Color in the dashboard, such as "#2f6fed"; "#64748b" unless given. A change takes effect at once, without a deployment. */
  readonly color: string;
  /** What the program gave as `id`. */
  readonly idInput: string | undefined;
  /** It is left out again. */
  resetId(): void;
  /** When it last changed, ISO 8601. */
  readonly updatedAt: string;
}

/** Settings of the service. Only the fields written here are managed. */
export interface ServiceConfiguration {
  /** Whether a push to the branch deploys by itself. Default: `"off"`. A change takes effect at once, without a deployment. */
  readonly autoDeploy?: string;
  /** Keep backups of a database. Default: `true`. A change deploys the service. */
  readonly backupEnabled?: boolean | Resolvable;
  /** Days that backups are kept. Default: `7`. A change takes effect at once, without a deployment. */
  readonly backupRetentionDays?: number;
  /** Branch of the repository that is deployed. Default: `"main"`. A change deploys the service. */
  readonly branch?: string;
  /** Command that builds the application; empty lets the build method decide. Default: empty. A change deploys the service. */
  readonly buildCommand?: string;
  /** How the source becomes a release. Default: `"railpack"`. A change deploys the service. */
  readonly buildMethod?: string;
  /** Caching in front of the service. Default: `"none"`. A change deploys the service. */
  readonly cacheProfile?: string;
  /** Name of the database; empty lets the service choose. Default: empty. A change deploys the service. */
  readonly databaseName?: string;
  /** User of the database; empty lets the service choose. Default: empty. A change deploys the service. */
  readonly databaseUser?: string;
  /** Major version of the database. Default: `"16"`. A change deploys the service. */
  readonly databaseVersion?: string;
  /** Text shown with the service. Default: empty. A change takes effect at once, without a deployment. */
  readonly description?: string;
  /** Build context of a Docker build, relative to the root directory. Default: `"."`. A change deploys the service. */
  readonly dockerContext?: string;
  /** Path of the Dockerfile, relative to the root directory. Default: `"Dockerfile"`. A change deploys the service. */
  readonly dockerfilePath?: string;
  /** What a full key-value store drops. Default: `"allkeys-lru"`. A change deploys the service. */
  readonly evictionPolicy?: string;
  /** Path that must answer before a release serves; empty checks no path. Default: empty. A change deploys the service. */
  readonly healthCheckPath?: string;
  /** Changes below these paths start no automatic deployment; order does not count. Default: `[]`. A change deploys the service. */
  readonly ignorePaths?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Only changes below these paths start an automatic deployment; order does not count. Default: `[]`. A change deploys the service. */
  readonly includePaths?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Addresses that may connect; empty admits all. Order does not count. Default: `[]`. A change deploys the service. */
  readonly ipAllowList?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Container image to run in place of a build. Default: empty. A change deploys the service. */
  readonly image?: string;
  /** Show the maintenance page in place of the service. Default: `false`. A change deploys the service. */
  readonly maintenance?: boolean | Resolvable;
  /** Page shown during maintenance; empty shows the standard page. Default: empty. A change deploys the service. */
  readonly maintenancePage?: string;
  /** How many runs of a job may overlap. Default: `1`. A change deploys the service. */
  readonly maxConcurrency?: number;
  /** Fewest instances under automatic scaling. Default: `1`. A change deploys the service and may change the price. */
  readonly minReplicas?: number;
  /** Most instances under automatic scaling. Default: `3`. A change deploys the service and may change the price. */
  readonly maxReplicas?: number;
  /** Instances under manual scaling. Default: `1`. A change deploys the service and may change the price. */
  readonly replicas?: number;
  /** How often a failed job is tried again. Default: `3`. A change deploys the service. */
  readonly maxRetries?: number;
  /** Who is notified of deployments and failures. Default: `"workspace"`. A change takes effect at once, without a deployment. */
  readonly notifications?: string;
  /** Plan that sets resources and price; the catalog lists those available for a kind. Default: `"free"`. A change deploys the service and may change the price. */
  readonly plan?: "free" | (string & {});
  /** Serve under the domain of the platform. Default: `true`. A change deploys the service. */
  readonly platformDomainEnabled?: boolean | Resolvable;
  /** Port that the application listens on. Default: `8000`. A change deploys the service. */
  readonly port?: number;
  /** Command that runs before a release serves, such as a migration. Default: empty. A change deploys the service. */
  readonly preDeployCommand?: string;
  /** Hours after which a preview is removed. Default: `72`. A change takes effect at once, without a deployment. */
  readonly previewExpiryHours?: number;
  /** Which changes get a preview. Default: `"off"`. A change takes effect at once, without a deployment. */
  readonly previewMode?: string;
  /** Reachable for the other services under its internal host. Default: `true`. A change deploys the service. */
  readonly privateNetworking?: boolean | Resolvable;
  /** Directory that a static service publishes. Default: `"dist"`. A change deploys the service. */
  readonly publishDirectory?: string;
  /** Region it runs in; the catalog lists those available. Default: `"auto"`. A change deploys the service. */
  readonly region?: "auto" | (string & {});
  /** Registry with the credentials for a private image. Default: empty. A change deploys the service. */
  readonly registryId?: string;
  /** Repository URL. A trailing slash, `.git` and the case of the host make no difference. Default: empty. A change deploys the service. */
  readonly repository?: string;
  /** Directory of the application in its repository. Default: empty. A change deploys the service. */
  readonly rootDirectory?: string;
  /** Language runtime; the catalog lists those available. Default: `"auto"`. A change deploys the service. */
  readonly runtime?: "auto" | "python" | (string & {});
  /** Manual or automatic scaling. Default: `"manual"`. A change deploys the service and may change the price. */
  readonly scaling?: string;
  /** Cron expression of a scheduled job. Default: `"0 * * * *"`. A change deploys the service. */
  readonly schedule?: string;
  /** Where the release comes from. Default: `"repository"`. A change deploys the service. */
  readonly sourceType?: string;
  /** Command that starts the application; empty lets the build method decide. Default: empty. A change deploys the service. */
  readonly startCommand?: string;
  /** CPU use in percent that automatic scaling aims at. Default: `70`. A change deploys the service. */
  readonly targetCpu?: number;
  /** Memory use in percent that automatic scaling aims at. Default: `80`. A change deploys the service. */
  readonly targetMemory?: number;
  /** Seconds after which a job is stopped. Default: `3600`. A change deploys the service. */
  readonly timeoutSeconds?: number;
  /** Time zone of the schedule. Default: `"UTC"`. A change deploys the service. */
  readonly timezone?: string;
}

/** Settings of the service. Only the fields written here are managed. Read, its fields are references; set, they are written. */
export interface ServiceConfigurationOutputReference extends Resolvable {
  /** Whether a push to the branch deploys by itself. Default: `"off"`. A change takes effect at once, without a deployment. */
  autoDeploy: string;
  /** What the program gave as `autoDeploy`. */
  readonly autoDeployInput: string | undefined;
  /** It is left out again. */
  resetAutoDeploy(): void;
  /** Keep backups of a database. Default: `true`. A change deploys the service. */
  get backupEnabled(): Resolvable;
  set backupEnabled(value: boolean | Resolvable);
  /** What the program gave as `backupEnabled`. */
  readonly backupEnabledInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetBackupEnabled(): void;
  /** Days that backups are kept. Default: `7`. A change takes effect at once, without a deployment. */
  backupRetentionDays: number;
  /** What the program gave as `backupRetentionDays`. */
  readonly backupRetentionDaysInput: number | undefined;
  /** It is left out again. */
  resetBackupRetentionDays(): void;
  /** Branch of the repository that is deployed. Default: `"main"`. A change deploys the service. */
  branch: string;
  /** What the program gave as `branch`. */
  readonly branchInput: string | undefined;
  /** It is left out again. */
  resetBranch(): void;
  /** Command that builds the application; empty lets the build method decide. Default: empty. A change deploys the service. */
  buildCommand: string;
  /** What the program gave as `buildCommand`. */
  readonly buildCommandInput: string | undefined;
  /** It is left out again. */
  resetBuildCommand(): void;
  /** How the source becomes a release. Default: `"railpack"`. A change deploys the service. */
  buildMethod: string;
  /** What the program gave as `buildMethod`. */
  readonly buildMethodInput: string | undefined;
  /** It is left out again. */
  resetBuildMethod(): void;
  /** Caching in front of the service. Default: `"none"`. A change deploys the service. */
  cacheProfile: string;
  /** What the program gave as `cacheProfile`. */
  readonly cacheProfileInput: string | undefined;
  /** It is left out again. */
  resetCacheProfile(): void;
  /** Name of the database; empty lets the service choose. Default: empty. A change deploys the service. */
  databaseName: string;
  /** What the program gave as `databaseName`. */
  readonly databaseNameInput: string | undefined;
  /** It is left out again. */
  resetDatabaseName(): void;
  /** User of the database; empty lets the service choose. Default: empty. A change deploys the service. */
  databaseUser: string;
  /** What the program gave as `databaseUser`. */
  readonly databaseUserInput: string | undefined;
  /** It is left out again. */
  resetDatabaseUser(): void;
  /** Major version of the database. Default: `"16"`. A change deploys the service. */
  databaseVersion: string;
  /** What the program gave as `databaseVersion`. */
  readonly databaseVersionInput: string | undefined;
  /** It is left out again. */
  resetDatabaseVersion(): void;
  /** Text shown with the service. Default: empty. A change takes effect at once, without a deployment. */
  description: string;
  /** What the program gave as `description`. */
  readonly descriptionInput: string | undefined;
  /** It is left out again. */
  resetDescription(): void;
  /** Build context of a Docker build, relative to the root directory. Default: `"."`. A change deploys the service. */
  dockerContext: string;
  /** What the program gave as `dockerContext`. */
  readonly dockerContextInput: string | undefined;
  /** It is left out again. */
  resetDockerContext(): void;
  /** Path of the Dockerfile, relative to the root directory. Default: `"Dockerfile"`. A change deploys the service. */
  dockerfilePath: string;
  /** What the program gave as `dockerfilePath`. */
  readonly dockerfilePathInput: string | undefined;
  /** It is left out again. */
  resetDockerfilePath(): void;
  /** What a full key-value store drops. Default: `"allkeys-lru"`. A change deploys the service. */
  evictionPolicy: string;
  /** What the program gave as `evictionPolicy`. */
  readonly evictionPolicyInput: string | undefined;
  /** It is left out again. */
  resetEvictionPolicy(): void;
  /** Path that must answer before a release serves; empty checks no path. Default: empty. A change deploys the service. */
  healthCheckPath: string;
  /** What the program gave as `healthCheckPath`. */
  readonly healthCheckPathInput: string | undefined;
  /** It is left out again. */
  resetHealthCheckPath(): void;
  /** Changes below these paths start no automatic deployment; order does not count. Default: `[]`. A change deploys the service. */
  get ignorePaths(): string[];
  set ignorePaths(value: string[] | readonly (string | Readonly<Record<string, unknown>>)[]);
  /** What the program gave as `ignorePaths`. */
  readonly ignorePathsInput: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
  /** It is left out again. */
  resetIgnorePaths(): void;
  /** Only changes below these paths start an automatic deployment; order does not count. Default: `[]`. A change deploys the service. */
  get includePaths(): string[];
  set includePaths(value: string[] | readonly (string | Readonly<Record<string, unknown>>)[]);
  /** What the program gave as `includePaths`. */
  readonly includePathsInput: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
  /** It is left out again. */
  resetIncludePaths(): void;
  /** Addresses that may connect; empty admits all. Order does not count. Default: `[]`. A change deploys the service. */
  get ipAllowList(): string[];
  set ipAllowList(value: string[] | readonly (string | Readonly<Record<string, unknown>>)[]);
  /** What the program gave as `ipAllowList`. */
  readonly ipAllowListInput: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
  /** It is left out again. */
  resetIpAllowList(): void;
  /** Container image to run in place of a build. Default: empty. A change deploys the service. */
  image: string;
  /** What the program gave as `image`. */
  readonly imageInput: string | undefined;
  /** It is left out again. */
  resetImage(): void;
  /** Show the maintenance page in place of the service. Default: `false`. A change deploys the service. */
  get maintenance(): Resolvable;
  set maintenance(value: boolean | Resolvable);
  /** What the program gave as `maintenance`. */
  readonly maintenanceInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetMaintenance(): void;
  /** Page shown during maintenance; empty shows the standard page. Default: empty. A change deploys the service. */
  maintenancePage: string;
  /** What the program gave as `maintenancePage`. */
  readonly maintenancePageInput: string | undefined;
  /** It is left out again. */
  resetMaintenancePage(): void;
  /** How many runs of a job may overlap. Default: `1`. A change deploys the service. */
  maxConcurrency: number;
  /** What the program gave as `maxConcurrency`. */
  readonly maxConcurrencyInput: number | undefined;
  /** It is left out again. */
  resetMaxConcurrency(): void;
  /** Fewest instances under automatic scaling. Default: `1`. A change deploys the service and may change the price. */
  minReplicas: number;
  /** What the program gave as `minReplicas`. */
  readonly minReplicasInput: number | undefined;
  /** It is left out again. */
  resetMinReplicas(): void;
  /** Most instances under automatic scaling. Default: `3`. A change deploys the service and may change the price. */
  maxReplicas: number;
  /** What the program gave as `maxReplicas`. */
  readonly maxReplicasInput: number | undefined;
  /** It is left out again. */
  resetMaxReplicas(): void;
  /** Instances under manual scaling. Default: `1`. A change deploys the service and may change the price. */
  replicas: number;
  /** What the program gave as `replicas`. */
  readonly replicasInput: number | undefined;
  /** It is left out again. */
  resetReplicas(): void;
  /** How often a failed job is tried again. Default: `3`. A change deploys the service. */
  maxRetries: number;
  /** What the program gave as `maxRetries`. */
  readonly maxRetriesInput: number | undefined;
  /** It is left out again. */
  resetMaxRetries(): void;
  /** Who is notified of deployments and failures. Default: `"workspace"`. A change takes effect at once, without a deployment. */
  notifications: string;
  /** What the program gave as `notifications`. */
  readonly notificationsInput: string | undefined;
  /** It is left out again. */
  resetNotifications(): void;
  /** Plan that sets resources and price; the catalog lists those available for a kind. Default: `"free"`. A change deploys the service and may change the price. */
  get plan(): string;
  set plan(value: "free" | (string & {}));
  /** What the program gave as `plan`. */
  readonly planInput: "free" | (string & {}) | undefined;
  /** It is left out again. */
  resetPlan(): void;
  /** Serve under the domain of the platform. Default: `true`. A change deploys the service. */
  get platformDomainEnabled(): Resolvable;
  set platformDomainEnabled(value: boolean | Resolvable);
  /** What the program gave as `platformDomainEnabled`. */
  readonly platformDomainEnabledInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetPlatformDomainEnabled(): void;
  /** Port that the application listens on. Default: `8000`. A change deploys the service. */
  port: number;
  /** What the program gave as `port`. */
  readonly portInput: number | undefined;
  /** It is left out again. */
  resetPort(): void;
  /** Command that runs before a release serves, such as a migration. Default: empty. A change deploys the service. */
  preDeployCommand: string;
  /** What the program gave as `preDeployCommand`. */
  readonly preDeployCommandInput: string | undefined;
  /** It is left out again. */
  resetPreDeployCommand(): void;
  /** Hours after which a preview is removed. Default: `72`. A change takes effect at once, without a deployment. */
  previewExpiryHours: number;
  /** What the program gave as `previewExpiryHours`. */
  readonly previewExpiryHoursInput: number | undefined;
  /** It is left out again. */
  resetPreviewExpiryHours(): void;
  /** Which changes get a preview. Default: `"off"`. A change takes effect at once, without a deployment. */
  previewMode: string;
  /** What the program gave as `previewMode`. */
  readonly previewModeInput: string | undefined;
  /** It is left out again. */
  resetPreviewMode(): void;
  /** Reachable for the other services under its internal host. Default: `true`. A change deploys the service. */
  get privateNetworking(): Resolvable;
  set privateNetworking(value: boolean | Resolvable);
  /** What the program gave as `privateNetworking`. */
  readonly privateNetworkingInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetPrivateNetworking(): void;
  /** Directory that a static service publishes. Default: `"dist"`. A change deploys the service. */
  publishDirectory: string;
  /** What the program gave as `publishDirectory`. */
  readonly publishDirectoryInput: string | undefined;
  /** It is left out again. */
  resetPublishDirectory(): void;
  /** Region it runs in; the catalog lists those available. Default: `"auto"`. A change deploys the service. */
  get region(): string;
  set region(value: "auto" | (string & {}));
  /** What the program gave as `region`. */
  readonly regionInput: "auto" | (string & {}) | undefined;
  /** It is left out again. */
  resetRegion(): void;
  /** Registry with the credentials for a private image. Default: empty. A change deploys the service. */
  registryId: string;
  /** What the program gave as `registryId`. */
  readonly registryIdInput: string | undefined;
  /** It is left out again. */
  resetRegistryId(): void;
  /** Repository URL. A trailing slash, `.git` and the case of the host make no difference. Default: empty. A change deploys the service. */
  repository: string;
  /** What the program gave as `repository`. */
  readonly repositoryInput: string | undefined;
  /** It is left out again. */
  resetRepository(): void;
  /** Directory of the application in its repository. Default: empty. A change deploys the service. */
  rootDirectory: string;
  /** What the program gave as `rootDirectory`. */
  readonly rootDirectoryInput: string | undefined;
  /** It is left out again. */
  resetRootDirectory(): void;
  /** Language runtime; the catalog lists those available. Default: `"auto"`. A change deploys the service. */
  get runtime(): string;
  set runtime(value: "auto" | "python" | (string & {}));
  /** What the program gave as `runtime`. */
  readonly runtimeInput: "auto" | "python" | (string & {}) | undefined;
  /** It is left out again. */
  resetRuntime(): void;
  /** Manual or automatic scaling. Default: `"manual"`. A change deploys the service and may change the price. */
  scaling: string;
  /** What the program gave as `scaling`. */
  readonly scalingInput: string | undefined;
  /** It is left out again. */
  resetScaling(): void;
  /** Cron expression of a scheduled job. Default: `"0 * * * *"`. A change deploys the service. */
  schedule: string;
  /** What the program gave as `schedule`. */
  readonly scheduleInput: string | undefined;
  /** It is left out again. */
  resetSchedule(): void;
  /** Where the release comes from. Default: `"repository"`. A change deploys the service. */
  sourceType: string;
  /** What the program gave as `sourceType`. */
  readonly sourceTypeInput: string | undefined;
  /** It is left out again. */
  resetSourceType(): void;
  /** Command that starts the application; empty lets the build method decide. Default: empty. A change deploys the service. */
  startCommand: string;
  /** What the program gave as `startCommand`. */
  readonly startCommandInput: string | undefined;
  /** It is left out again. */
  resetStartCommand(): void;
  /** CPU use in percent that automatic scaling aims at. Default: `70`. A change deploys the service. */
  targetCpu: number;
  /** What the program gave as `targetCpu`. */
  readonly targetCpuInput: number | undefined;
  /** It is left out again. */
  resetTargetCpu(): void;
  /** Memory use in percent that automatic scaling aims at. Default: `80`. A change deploys the service. */
  targetMemory: number;
  /** What the program gave as `targetMemory`. */
  readonly targetMemoryInput: number | undefined;
  /** It is left out again. */
  resetTargetMemory(): void;
  /** Seconds after which a job is stopped. Default: `3600`. A change deploys the service. */
  timeoutSeconds: number;
  /** What the program gave as `timeoutSeconds`. */
  readonly timeoutSecondsInput: number | undefined;
  /** It is left out again. */
  resetTimeoutSeconds(): void;
  /** Time zone of the schedule. Default: `"UTC"`. A change deploys the service. */
  timezone: string;
  /** What the program gave as `timezone`. */
  readonly timezoneInput: string | undefined;
  /** It is left out again. */
  resetTimezone(): void;
}

/** Settings of the service. Only the fields written here are managed. As a data source shows it. */
export interface ServiceConfigurationReadings extends Resolvable {
  /** Whether a push to the branch deploys by itself. Default: `"off"`. A change takes effect at once, without a deployment. */
  readonly autoDeploy: string;
  /** Keep backups of a database. Default: `true`. A change deploys the service. */
  readonly backupEnabled: Resolvable;
  /** Days that backups are kept. Default: `7`. A change takes effect at once, without a deployment. */
  readonly backupRetentionDays: number;
  /** Branch of the repository that is deployed. Default: `"main"`. A change deploys the service. */
  readonly branch: string;
  /** Command that builds the application; empty lets the build method decide. Default: empty. A change deploys the service. */
  readonly buildCommand: string;
  /** How the source becomes a release. Default: `"railpack"`. A change deploys the service. */
  readonly buildMethod: string;
  /** Caching in front of the service. Default: `"none"`. A change deploys the service. */
  readonly cacheProfile: string;
  /** Name of the database; empty lets the service choose. Default: empty. A change deploys the service. */
  readonly databaseName: string;
  /** User of the database; empty lets the service choose. Default: empty. A change deploys the service. */
  readonly databaseUser: string;
  /** Major version of the database. Default: `"16"`. A change deploys the service. */
  readonly databaseVersion: string;
  /** Text shown with the service. Default: empty. A change takes effect at once, without a deployment. */
  readonly description: string;
  /** Build context of a Docker build, relative to the root directory. Default: `"."`. A change deploys the service. */
  readonly dockerContext: string;
  /** Path of the Dockerfile, relative to the root directory. Default: `"Dockerfile"`. A change deploys the service. */
  readonly dockerfilePath: string;
  /** What a full key-value store drops. Default: `"allkeys-lru"`. A change deploys the service. */
  readonly evictionPolicy: string;
  /** Path that must answer before a release serves; empty checks no path. Default: empty. A change deploys the service. */
  readonly healthCheckPath: string;
  /** Changes below these paths start no automatic deployment; order does not count. Default: `[]`. A change deploys the service. */
  readonly ignorePaths: string[];
  /** Only changes below these paths start an automatic deployment; order does not count. Default: `[]`. A change deploys the service. */
  readonly includePaths: string[];
  /** Addresses that may connect; empty admits all. Order does not count. Default: `[]`. A change deploys the service. */
  readonly ipAllowList: string[];
  /** Container image to run in place of a build. Default: empty. A change deploys the service. */
  readonly image: string;
  /** Show the maintenance page in place of the service. Default: `false`. A change deploys the service. */
  readonly maintenance: Resolvable;
  /** Page shown during maintenance; empty shows the standard page. Default: empty. A change deploys the service. */
  readonly maintenancePage: string;
  /** How many runs of a job may overlap. Default: `1`. A change deploys the service. */
  readonly maxConcurrency: number;
  /** Fewest instances under automatic scaling. Default: `1`. A change deploys the service and may change the price. */
  readonly minReplicas: number;
  /** Most instances under automatic scaling. Default: `3`. A change deploys the service and may change the price. */
  readonly maxReplicas: number;
  /** Instances under manual scaling. Default: `1`. A change deploys the service and may change the price. */
  readonly replicas: number;
  /** How often a failed job is tried again. Default: `3`. A change deploys the service. */
  readonly maxRetries: number;
  /** Who is notified of deployments and failures. Default: `"workspace"`. A change takes effect at once, without a deployment. */
  readonly notifications: string;
  /** Plan that sets resources and price; the catalog lists those available for a kind. Default: `"free"`. A change deploys the service and may change the price. */
  readonly plan: string;
  /** Serve under the domain of the platform. Default: `true`. A change deploys the service. */
  readonly platformDomainEnabled: Resolvable;
  /** Port that the application listens on. Default: `8000`. A change deploys the service. */
  readonly port: number;
  /** Command that runs before a release serves, such as a migration. Default: empty. A change deploys the service. */
  readonly preDeployCommand: string;
  /** Hours after which a preview is removed. Default: `72`. A change takes effect at once, without a deployment. */
  readonly previewExpiryHours: number;
  /** Which changes get a preview. Default: `"off"`. A change takes effect at once, without a deployment. */
  readonly previewMode: string;
  /** Reachable for the other services under its internal host. Default: `true`. A change deploys the service. */
  readonly privateNetworking: Resolvable;
  /** Directory that a static service publishes. Default: `"dist"`. A change deploys the service. */
  readonly publishDirectory: string;
  /** Region it runs in; the catalog lists those available. Default: `"auto"`. A change deploys the service. */
  readonly region: string;
  /** Registry with the credentials for a private image. Default: empty. A change deploys the service. */
  readonly registryId: string;
  /** Repository URL. A trailing slash, `.git` and the case of the host make no difference. Default: empty. A change deploys the service. */
  readonly repository: string;
  /** Directory of the application in its repository. Default: empty. A change deploys the service. */
  readonly rootDirectory: string;
  /** Language runtime; the catalog lists those available. Default: `"auto"`. A change deploys the service. */
  readonly runtime: string;
  /** Manual or automatic scaling. Default: `"manual"`. A change deploys the service and may change the price. */
  readonly scaling: string;
  /** Cron expression of a scheduled job. Default: `"0 * * * *"`. A change deploys the service. */
  readonly schedule: string;
  /** Where the release comes from. Default: `"repository"`. A change deploys the service. */
  readonly sourceType: string;
  /** Command that starts the application; empty lets the build method decide. Default: empty. A change deploys the service. */
  readonly startCommand: string;
  /** CPU use in percent that automatic scaling aims at. Default: `70`. A change deploys the service. */
  readonly targetCpu: number;
  /** Memory use in percent that automatic scaling aims at. Default: `80`. A change deploys the service. */
  readonly targetMemory: number;
  /** Seconds after which a job is stopped. Default: `3600`. A change deploys the service. */
  readonly timeoutSeconds: number;
  /** Time zone of the schedule. Default: `"UTC"`. A change deploys the service. */
  readonly timezone: string;
}

/** Fields of a service. A service is built from a repository, or configured by other fields, and served at a URL. */
export interface ServiceFields {
  /** Name of the service; its logical name unless given. A change deploys the service. */
  readonly name?: string;
  /** Kind of service, such as `web` or `static`. A change replaces it. */
  readonly kind: "web" | "static" | (string & {});
  /** Environment of its project, by name (in any case of letters) or id; Production unless given. A change replaces it. */
  readonly environment?: string;
  /** True prevents new deployments. What runs keeps running. A change takes effect at once, without a deployment. */
  readonly archived?: boolean | Resolvable;
  /** Settings of the service. Only the fields written here are managed. */
  readonly configuration?: ServiceConfiguration;
}

/** Fields of a service as its construct has them: read, they are references; `…Input` is what the program gave. */
export interface ServiceProperties {
  /** Name of the service; its logical name unless given. A change deploys the service. */
  name: string;
  /** What the program gave as `name`. */
  readonly nameInput: string;
  /** It is the name of the construct again. */
  resetName(): void;
  /** Kind of service, such as `web` or `static`. A change replaces it. */
  get kind(): string;
  set kind(value: "web" | "static" | (string & {}));
  /** What the program gave as `kind`. */
  readonly kindInput: "web" | "static" | (string & {});
  /** Environment of its project, by name (in any case of letters) or id; Production unless given. A change replaces it. */
  environment: string;
  /** What the program gave as `environment`. */
  readonly environmentInput: string | undefined;
  /** It is left out again. */
  resetEnvironment(): void;
  /** True prevents new deployments. What runs keeps running. A change takes effect at once, without a deployment. */
  get archived(): Resolvable;
  set archived(value: boolean | Resolvable);
  /** What the program gave as `archived`. */
  readonly archivedInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetArchived(): void;
  /** ID of its project. */
  projectId: string;
  /** What the program gave as `projectId`. */
  readonly projectIdInput: string | undefined;
  /** It is left out again. */
  resetProjectId(): void;
  /** Settings of the service. Only the fields written here are managed. */
  readonly configuration: ServiceConfigurationOutputReference;
  /** What the program gave as `configuration`. */
  readonly configurationInput: ServiceConfiguration | undefined;
  /** Writes these fields in place of those before. */
  putConfiguration(value: ServiceConfiguration): void;
  /** It is left out again. */
  resetConfiguration(): void;
  /** How long to wait for the service. */
  readonly timeouts: TimeoutsOutputReference;
  /** What the program gave as `timeouts`. */
  readonly timeoutsInput: Timeouts | undefined;
  /** Writes these fields in place of those before. */
  putTimeouts(value: Timeouts): void;
  /** It is left out again. */
  resetTimeouts(): void;
}

/** Attributes of a service that the service decides, as tokens. */
export interface ServiceAttributes {
  /** Id of the service. */
  readonly id: string;
  /** Public URL. */
  readonly url: string;
  /** Host name inside the private network. */
  readonly internalHost: string;
  /** Id of its environment. */
  readonly environmentId: string;
  /** Ids of linked environment groups. */
  readonly environmentGroupIds: Resolvable;
  /** When it was created, ISO 8601. */
  readonly createdAt: string;
}

/** A service as a data source shows it, with what moves by itself. */
export interface ServiceReadings extends ServiceAttributes {
  /** Name of the service; its logical name unless given. A change deploys the service. */
  name: string;
  /** What the program gave as `name`. */
  readonly nameInput: string | undefined;
  /** It is left out again. */
  resetName(): void;
  /** Kind of service, such as `web` or `static`. A change replaces it. */
  readonly kind: string;
  /** Environment of its project, by name (in any case of letters) or id; Production unless given. A change replaces it. */
  readonly environment: string;
  /** True prevents new deployments. What runs keeps running. A change takes effect at once, without a deployment. */
  readonly archived: Resolvable;
  /** Settings of the service. Only the fields written here are managed. */
  readonly configuration: ServiceConfigurationReadings;
  /** ID of its project. */
  projectId: string;
  /** What the program gave as `projectId`. */
  readonly projectIdInput: string | undefined;
  /** It is left out again. */
  resetProjectId(): void;
  /** What the program gave as `id`. */
  readonly idInput: string | undefined;
  /** It is left out again. */
  resetId(): void;
  /** Status as the service reports it. */
  readonly status: string;
  /** Status as the dashboard shows it. */
  readonly displayStatus: string;
  /** Phase of its life, such as `active`. */
  readonly lifecycleStatus: string;
  /** Result of the last health check. */
  readonly healthStatus: string;
  /** Id of the latest deployment. */
  readonly deploymentId: string;
  /** Id of the deployment that serves. */
  readonly liveDeploymentId: string;
  /** Estimated monthly price in USD. */
  readonly estimatedMonthlyUsd: number;
  /** Estimated monthly price in NGN. */
  readonly estimatedMonthlyNgn: number;
  /** When it last changed, ISO 8601. */
  readonly updatedAt: string;
}

/** Fields of a variable. An encrypted variable of one service. Plans compare fingerprints and times, never values. */
export interface VariableFields {
  /** Name of the variable; its logical name unless given. A change deploys the service. */
  readonly key?: string;
  /** Value: text, or one of `fromEnv`, `fromFile`, `fromCommand`, `generate`. Never shown, never stored. A change deploys the service. */
  readonly value?: string | SecretSource;
  /** True: the variable exists at the service and its value is not ours to set. It is not sent. */
  readonly preserve?: boolean | Resolvable;
}

/** Fields of a variable as its construct has them: read, they are references; `…Input` is what the program gave. */
export interface VariableProperties {
  /** Name of the variable; its logical name unless given. A change deploys the service. */
  key: string;
  /** What the program gave as `key`. */
  readonly keyInput: string;
  /** It is the name of the construct again. */
  resetKey(): void;
  /** Value: text, or one of `fromEnv`, `fromFile`, `fromCommand`, `generate`. Never shown, never stored. A change deploys the service. */
  get value(): string;
  set value(value: string | SecretSource);
  /** What the program gave as `value`. */
  readonly valueInput: string | SecretSource | undefined;
  /** It is left out again. */
  resetValue(): void;
  /** True: the variable exists at the service and its value is not ours to set. It is not sent. */
  get preserve(): Resolvable;
  set preserve(value: boolean | Resolvable);
  /** What the program gave as `preserve`. */
  readonly preserveInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetPreserve(): void;
  /** ID of its service. */
  serviceId: string;
  /** What the program gave as `serviceId`. */
  readonly serviceIdInput: string | undefined;
  /** How long to wait for the service. */
  readonly timeouts: TimeoutsOutputReference;
  /** What the program gave as `timeouts`. */
  readonly timeoutsInput: Timeouts | undefined;
  /** Writes these fields in place of those before. */
  putTimeouts(value: Timeouts): void;
  /** It is left out again. */
  resetTimeouts(): void;
}

/** Attributes of a variable that the service decides, as tokens. */
export interface VariableAttributes {
  /** Id of the variable. */
  readonly id: string;
  /** When it was created, ISO 8601. */
  readonly createdAt: string;
  /** When its name or value last changed, ISO 8601. */
  readonly updatedAt: string;
}

/** Fields of a deployment. Deploys its service once per run, after the service and its variables have changed. */
export interface DeploymentFields {
  /** Deploy when something of the service changed (`changed`, the default) or in every run (`always`); in a manifest or a program, `never` too. It is not sent. */
  readonly when?: "changed" | "always" | "never";
  /** Commit that must serve; the configured branch unless given. */
  readonly commit?: string;
  /** Wait until the deployment has ended. Default: true. It is not sent. */
  readonly wait?: boolean | Resolvable;
  /** How long to wait, such as `45m`. Default: 30m. It is not sent. */
  readonly timeout?: string;
}

/** Fields of a deployment as its construct has them: read, they are references; `…Input` is what the program gave. */
export interface DeploymentProperties {
  /** Deploy when something of the service changed (`changed`, the default) or in every run (`always`); in a manifest or a program, `never` too. It is not sent. */
  get when(): string;
  set when(value: string | "changed" | "always" | "never");
  /** What the program gave as `when`. */
  readonly whenInput: "changed" | "always" | "never" | undefined;
  /** It is left out again. */
  resetWhen(): void;
  /** Commit that must serve; the configured branch unless given. */
  commit: string;
  /** What the program gave as `commit`. */
  readonly commitInput: string | undefined;
  /** It is left out again. */
  resetCommit(): void;
  /** Wait until the deployment has ended. Default: true. It is not sent. */
  get wait(): Resolvable;
  set wait(value: boolean | Resolvable);
  /** What the program gave as `wait`. */
  readonly waitInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetWait(): void;
  /** How long to wait, such as `45m`. Default: 30m. It is not sent. */
  timeout: string;
  /** What the program gave as `timeout`. */
  readonly timeoutInput: string | undefined;
  /** It is left out again. */
  resetTimeout(): void;
  /** ID of its service. */
  serviceId: string;
  /** What the program gave as `serviceId`. */
  readonly serviceIdInput: string | undefined;
  /** How long to wait for the service. */
  readonly timeouts: TimeoutsOutputReference;
  /** What the program gave as `timeouts`. */
  readonly timeoutsInput: Timeouts | undefined;
  /** Writes these fields in place of those before. */
  putTimeouts(value: Timeouts): void;
  /** It is left out again. */
  resetTimeouts(): void;
}

/** Attributes of a deployment that the service decides, as tokens. */
export interface DeploymentAttributes {
  /** Id of the deployment that serves. */
  readonly id: string;
  /** Commit of that deployment, where it is known. */
  readonly commitSha: string;
}

/** Fields of a layout. The shared layout of a project's canvas. It changes no service. */
export interface LayoutFields {
  /** `auto` gives a place to every service that has none; or places by service name, service id or group id. Nodes not named here keep their places. */
  readonly positions?: "auto" | Readonly<Record<string, { readonly x: number; readonly y: number }>>;
  /** What the canvas shows first: centre and zoom. */
  readonly viewport?: { readonly x: number; readonly y: number; readonly zoom: number };
}

/** Fields of a layout as its construct has them: read, they are references; `…Input` is what the program gave. */
export interface LayoutProperties {
  /** `auto` gives a place to every service that has none; or places by service name, service id or group id. Nodes not named here keep their places. */
  get positions(): Resolvable;
  set positions(value:
    | Resolvable
    | "auto"
    | Readonly<Record<string, { readonly x: number; readonly y: number }>>);
  /** What the program gave as `positions`. */
  readonly positionsInput:
    | "auto"
    | Readonly<Record<string, { readonly x: number; readonly y: number }>>
    | undefined;
  /** It is left out again. */
  resetPositions(): void;
  /** What the canvas shows first: centre and zoom. */
  get viewport(): Resolvable;
  set viewport(value: Resolvable | { readonly x: number; readonly y: number; readonly zoom: number });
  /** What the program gave as `viewport`. */
  readonly viewportInput: { readonly x: number; readonly y: number; readonly zoom: number } | undefined;
  /** It is left out again. */
  resetViewport(): void;
  /** ID of its project. */
  projectId: string;
  /** What the program gave as `projectId`. */
  readonly projectIdInput: string | undefined;
  /** How long to wait for the service. */
  readonly timeouts: TimeoutsOutputReference;
  /** What the program gave as `timeouts`. */
  readonly timeoutsInput: Timeouts | undefined;
  /** Writes these fields in place of those before. */
  putTimeouts(value: Timeouts): void;
  /** It is left out again. */
  resetTimeouts(): void;
}

/** Attributes of a layout that the service decides, as tokens. */
export interface LayoutAttributes {
  /** Id of the project. */
  readonly id: string;
  /** Revision of the saved layout; 0 while none is saved. */
  readonly revision: number;
}

/** Every project of the workspace. */
export interface ProjectsListed {
  /** The projects, sorted by name. */
  readonly projects: Resolvable;
}

/** Every active service of the workspace, or of one project, with its configuration. */
export interface ServicesQuery {
  /** Only services of this project. */
  readonly projectId?: string;
  /** Only services of this kind. */
  readonly kind?: string;
}

/** Every active service of the workspace, or of one project, with its configuration. */
export interface ServicesListed {
  /** Only services of this project. */
  projectId: string;
  /** What the program gave as `projectId`. */
  readonly projectIdInput: string | undefined;
  /** It is left out again. */
  resetProjectId(): void;
  /** Only services of this kind. */
  kind: string;
  /** What the program gave as `kind`. */
  readonly kindInput: string | undefined;
  /** It is left out again. */
  resetKind(): void;
  /** The services, sorted by name. */
  readonly services: Resolvable;
}

/** One deployment of a service: the one of an id, or the one that serves now. */
export interface OneDeploymentQuery {
  /** Id of the service. */
  readonly serviceId: string;
  /** Id of the deployment; that of the one that serves unless given. */
  readonly id?: string;
}

/** One deployment of a service: the one of an id, or the one that serves now. */
export interface OneDeploymentListed {
  /** Id of the service. */
  serviceId: string;
  /** What the program gave as `serviceId`. */
  readonly serviceIdInput: string | undefined;
  /** Id of the deployment; that of the one that serves unless given. */
  id: string;
  /** What the program gave as `id`. */
  readonly idInput: string | undefined;
  /** It is left out again. */
  resetId(): void;
  /** Status: `queued`, `live`, `failed` and so on. */
  readonly status: string;
  /** What started it. */
  readonly trigger: string;
  /** Who started it. */
  readonly actor: string;
  /** Branch it was made of. */
  readonly branch: string;
  /** Commit it was made of; empty where none was named. */
  readonly commitSha: string;
  /** First line of that commit. */
  readonly commitMessage: string;
  /** Why it waits in the queue; empty where nothing holds it. */
  readonly blockedReason: string;
  /** Why it failed. */
  readonly error: string;
  /** Of a rollback: the deployment whose release it serves again. */
  readonly sourceDeploymentId: string;
  /** When it was queued, ISO 8601. */
  readonly createdAt: string;
  /** When it began, ISO 8601. */
  readonly startedAt: string;
  /** When it ended, ISO 8601. */
  readonly finishedAt: string;
  /** True if its cancellation was requested. */
  readonly cancelRequested: Resolvable;
  /** Whether the service can go back to it. */
  readonly canRollback: Resolvable;
  /** Its steps, with their times. */
  readonly steps: Resolvable;
}

/** The latest deployments of one service, newest first. */
export interface DeploymentsQuery {
  /** Id of the service. */
  readonly serviceId: string;
  /** How many, 1 to 200. Default: 20. */
  readonly limit?: number;
}

/** The latest deployments of one service, newest first. */
export interface DeploymentsListed {
  /** Id of the service. */
  serviceId: string;
  /** What the program gave as `serviceId`. */
  readonly serviceIdInput: string | undefined;
  /** How many, 1 to 200. Default: 20. */
  limit: number;
  /** What the program gave as `limit`. */
  readonly limitInput: number | undefined;
  /** It is left out again. */
  resetLimit(): void;
  /** False where hosting is off and nothing runs. */
  readonly available: Resolvable;
  /** The deployments. */
  readonly items: Resolvable;
  /** Why none are available. */
  readonly reason: Resolvable;
}

/** The variables of one service: their names and times, never their values. */
export interface VariablesQuery {
  /** Id of the service. */
  readonly serviceId: string;
}

/** The variables of one service: their names and times, never their values. */
export interface VariablesListed {
  /** Id of the service. */
  serviceId: string;
  /** What the program gave as `serviceId`. */
  readonly serviceIdInput: string | undefined;
  /** Their names, sorted. */
  readonly keys: Resolvable;
  /** The variables, sorted by name. */
  readonly variables: Resolvable;
}

/** Services, groups and references of the workspace, of a project or of one environment, with the saved layout. */
export interface CanvasQuery {
  /** Only this project. */
  readonly projectId?: string;
  /** Only this environment of the project. */
  readonly environmentId?: string;
}

/** Services, groups and references of the workspace, of a project or of one environment, with the saved layout. */
export interface CanvasListed {
  /** Only this project. */
  projectId: string;
  /** What the program gave as `projectId`. */
  readonly projectIdInput: string | undefined;
  /** It is left out again. */
  resetProjectId(): void;
  /** Only this environment of the project. */
  environmentId: string;
  /** What the program gave as `environmentId`. */
  readonly environmentIdInput: string | undefined;
  /** It is left out again. */
  resetEnvironmentId(): void;
  /** Services. */
  readonly nodes: Resolvable;
  /** Environment groups. */
  readonly groups: Resolvable;
  /** References between them: names of variables only. */
  readonly edges: Resolvable;
  /** Saved places and view. */
  readonly layout: Resolvable;
}

/** Settings of the provider. What is left out comes from the environment. */
export interface ProviderFields {
  /** Address of the service, ending in `/api/v1`; `embedded` runs it in the provider. Default: `RNV_BASE_URL`. */
  readonly baseUrl?: string;
  /** UUID of the workspace. Default: `RNV_WORKSPACE_ID`. */
  readonly workspaceId?: string;
  /** API key of the workspace. Default: `RNV_API_KEY`, or the file that `RNV_API_KEY_FILE` names. */
  readonly apiKey?: string | SecretSource;
  /** Most requests in flight at once. Default: 32. */
  readonly maxConcurrency?: number;
  /** True: no plan may delete or replace a project or a service. Default: false. */
  readonly deletionProtection?: boolean | Resolvable;
  /** True: resources that the platform no longer shows are gone, however many. For one apply after they were deleted elsewhere. Default: false. */
  readonly acceptMissing?: boolean | Resolvable;
}

/** Settings of the provider as its construct has them. */
export interface ProviderProperties {
  /** Address of the service, ending in `/api/v1`; `embedded` runs it in the provider. Default: `RNV_BASE_URL`. */
  baseUrl: string | undefined;
  /** What the program gave as `baseUrl`. */
  readonly baseUrlInput: string | undefined;
  /** It is left out again. */
  resetBaseUrl(): void;
  /** UUID of the workspace. Default: `RNV_WORKSPACE_ID`. */
  workspaceId: string | undefined;
  /** What the program gave as `workspaceId`. */
  readonly workspaceIdInput: string | undefined;
  /** It is left out again. */
  resetWorkspaceId(): void;
  /** API key of the workspace. Default: `RNV_API_KEY`, or the file that `RNV_API_KEY_FILE` names. */
  apiKey: string | SecretSource | undefined;
  /** What the program gave as `apiKey`. */
  readonly apiKeyInput: string | SecretSource | undefined;
  /** It is left out again. */
  resetApiKey(): void;
  /** Most requests in flight at once. Default: 32. */
  maxConcurrency: number | undefined;
  /** What the program gave as `maxConcurrency`. */
  readonly maxConcurrencyInput: number | undefined;
  /** It is left out again. */
  resetMaxConcurrency(): void;
  /** True: no plan may delete or replace a project or a service. Default: false. */
  deletionProtection: boolean | Resolvable | undefined;
  /** What the program gave as `deletionProtection`. */
  readonly deletionProtectionInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetDeletionProtection(): void;
  /** True: resources that the platform no longer shows are gone, however many. For one apply after they were deleted elsewhere. Default: false. */
  acceptMissing: boolean | Resolvable | undefined;
  /** What the program gave as `acceptMissing`. */
  readonly acceptMissingInput: boolean | Resolvable | undefined;
  /** It is left out again. */
  resetAcceptMissing(): void;
}

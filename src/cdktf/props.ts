// Written by `npm run props` from the resource types; test/unit/cdktf/props.test.ts holds it current.
import type { Resolvable } from "./resolvable";
import type { SecretSource } from "./secrets";

/** Fields of a project. A project groups services. Creating one also creates its Production environment. */
export interface ProjectFields {
  /** Name of the project; its logical name unless given. A change takes effect at once, without a deployment. */
  readonly name?: string;
  /** Text shown with the project. A change takes effect at once, without a deployment. */
  readonly description?: string;
  /** Color in the dashboard, such as "#2f6fed"; "#64748b" unless given. A change takes effect at once, without a deployment. */
  readonly color?: string;
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

/** Those that move by themselves too: a data source reads them. */
export interface ProjectReadings extends ProjectAttributes {
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
  /** Plan that sets resources and price; the catalog lists those on offer for a kind. Default: `"free"`. A change deploys the service and may change the price. */
  readonly plan?: string;
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
  /** Region it runs in; the catalog lists those on offer. Default: `"auto"`. A change deploys the service. */
  readonly region?: string;
  /** Registry with the credentials for a private image. Default: empty. A change deploys the service. */
  readonly registryId?: string;
  /** Repository URL. A trailing slash, `.git` and the case of the host make no difference. Default: empty. A change deploys the service. */
  readonly repository?: string;
  /** Directory of the application in its repository. Default: empty. A change deploys the service. */
  readonly rootDirectory?: string;
  /** Language runtime; the catalog lists those on offer. Default: `"auto"`. A change deploys the service. */
  readonly runtime?: string;
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

/** Fields of a service. A service is built from a repository, or configured by other fields, and served at a URL. */
export interface ServiceFields {
  /** Name of the service; its logical name unless given. A change deploys the service. */
  readonly name?: string;
  /** Kind of service, such as `web` or `static`. A change deletes it and makes it anew. */
  readonly kind: string;
  /** Environment of its project, by name (in any case of letters) or id; Production unless given. A change deletes it and makes it anew. */
  readonly environment?: string;
  /** True prevents new deployments. What runs keeps running. A change takes effect at once, without a deployment. */
  readonly archived?: boolean | Resolvable;
  /** Settings of the service. Only the fields written here are managed. */
  readonly configuration?: ServiceConfiguration;
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

/** Those that move by themselves too: a data source reads them. */
export interface ServiceReadings extends ServiceAttributes {
  /** Status as the service reports it. */
  readonly status: string;
  /** Status as the dashboard shows it. */
  readonly displayStatus: string;
  /** Where it stands in its life. */
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

/** Attributes of a layout that the service decides, as tokens. */
export interface LayoutAttributes {
  /** Id of the project. */
  readonly id: string;
  /** Revision of the saved layout; 0 while none is saved. */
  readonly revision: number;
}

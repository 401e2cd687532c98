import type { Position, Viewport } from "../api/wire/canvas";

/** What the store keeps. Times are ISO 8601; `dueAt` is the next move on the clock, in ms, null while waiting. */

export interface StoredEnvironment {
  readonly id: string;
  readonly name: string;
  /** A reveal in a protected environment needs an admin or owner. */
  readonly protected: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StoredProject {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly color: string;
  readonly environments: readonly StoredEnvironment[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type Configuration = Readonly<Record<string, unknown>>;

export interface StoredService {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly kind: string;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly environmentGroupIds: readonly string[];
  readonly archived: boolean;
  readonly configuration: Configuration;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  readonly deletionRequestedAt: string | null;
  readonly deploymentId: string | null;
  readonly deploymentStatus: DeploymentStatus | null;
  readonly deploymentUpdatedAt: string | null;
  readonly liveDeploymentId: string | null;
  readonly healthCheckedAt: string | null;
  /** Infrastructure exists from the first release that went live. */
  readonly runtime: "none" | "running" | "suspended";
  /** Paid plans whose checkout was completed in the dashboard. */
  readonly paidPlans: readonly string[];
}

export const deploymentStages = [
  "queued",
  "preparing",
  "cloning",
  "building",
  "predeploy",
  "deploying",
  "checking",
  "live",
] as const;
export type DeploymentStatus = (typeof deploymentStages)[number] | "failed" | "cancelled" | "superseded";

export interface StoredDeployment {
  readonly id: string;
  readonly workspaceId: string;
  readonly serviceId: string;
  readonly status: DeploymentStatus;
  readonly trigger: string;
  readonly actor: string;
  readonly branch: string;
  readonly commitSha: string;
  readonly commitMessage: string;
  readonly blockedReason: string;
  readonly error: string;
  readonly cancelRequested: boolean;
  readonly sourceDeploymentId: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly stageStartedAt: string;
  readonly steps: readonly {
    readonly name: string;
    readonly startedAt: string;
    readonly finishedAt: string;
  }[];
  readonly dueAt: number | null;
  /** Scripted failure: the text it will end with. */
  readonly failure: string | null;
  /** Key of a deployment queued before receipts existed (Idempotency rule 5). */
  readonly legacyKey: string | null;
}

export interface StoredOperation {
  readonly id: string;
  readonly workspaceId: string;
  /** Empty for an operation of a project. */
  readonly serviceId: string;
  /** A queued deletion of something that is no service: where it stands. */
  readonly deletes?: { readonly table: "projects" | "variables"; readonly id: string };
  /** The action, or `delete`. */
  readonly kind: string;
  readonly status: "queued" | "running" | "complete" | "failed";
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly dueAt: number | null;
  readonly fails: boolean;
}

export interface StoredVariable {
  readonly id: string;
  readonly workspaceId: string;
  readonly serviceId: string;
  readonly key: string;
  /** Encrypted; see `seal.ts`. */
  readonly sealedValue: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StoredGroup {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly serviceIds: readonly string[];
}

/** A configured reference: `consumer` uses variables of `provider`. */
export interface StoredReference {
  readonly id: string;
  readonly workspaceId: string;
  readonly consumer: string;
  readonly provider: string;
  readonly keys: readonly string[];
}

export interface StoredLayout {
  readonly id: string;
  readonly revision: number;
  readonly positions: Readonly<Record<string, Position>>;
  readonly viewport: Viewport | null;
}

export interface StoredReceipt {
  readonly id: string;
  readonly payload: string;
  readonly status: number;
  readonly body: unknown;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface AuditEvent {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: "variable.reveal";
  readonly actor: string;
  readonly serviceId: string;
  readonly variableId: string;
  readonly at: string;
}

export interface Tables {
  readonly projects: StoredProject;
  readonly services: StoredService;
  readonly deployments: StoredDeployment;
  readonly operations: StoredOperation;
  readonly variables: StoredVariable;
  readonly groups: StoredGroup;
  readonly references: StoredReference;
  readonly layouts: StoredLayout;
  readonly receipts: StoredReceipt;
  readonly audit: AuditEvent;
}

export type TableName = keyof Tables;

export const tableNames: readonly TableName[] = [
  "projects",
  "services",
  "deployments",
  "operations",
  "variables",
  "groups",
  "references",
  "layouts",
  "receipts",
  "audit",
];

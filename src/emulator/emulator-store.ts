import type { Condition } from "./conditions";
import type { Lags } from "./lag";
import type {
  AuditEvent,
  Configuration,
  StoredDeployment,
  StoredEnvironment,
  StoredGroup,
  StoredOperation,
  StoredProject,
  StoredReference,
  StoredService,
  StoredVariable,
} from "./records";

export interface ProjectSeed {
  readonly name?: string;
  readonly color?: string;
  readonly description?: string;
}

export interface ServiceSeed {
  readonly name: string;
  /** Default `web`. */
  readonly kind?: string;
  /** Its Production environment unless `environmentId` says otherwise. */
  readonly projectId?: string;
  readonly environmentId?: string;
  /** Over the catalog's defaults; not validated. */
  readonly configuration?: Configuration;
  /** True: it was deployed and serves. */
  readonly live?: boolean;
}

/** Typed access to the data, for seeding and for changes made behind the caller's back. Every change is kept. */
export interface EmulatorStore {
  projects(): readonly StoredProject[];
  /** Deleted ones excluded. */
  services(): readonly StoredService[];
  service(id: string): StoredService | undefined;
  /** Oldest first. */
  deployments(serviceId: string): readonly StoredDeployment[];
  operations(): readonly StoredOperation[];
  variables(serviceId: string): readonly StoredVariable[];
  /** The plain value, without an audit event. */
  variableValue(variableId: string): string | undefined;
  auditEvents(): readonly AuditEvent[];

  addProject(seed?: ProjectSeed): StoredProject;
  addEnvironment(projectId: string, name: string, options?: { protected?: boolean }): StoredEnvironment;
  addService(seed: ServiceSeed): StoredService;
  addVariable(serviceId: string, key: string, value: string): StoredVariable;
  addGroup(seed: Pick<StoredGroup, "name" | "serviceIds"> & Partial<StoredGroup>): StoredGroup;
  /** An edge of the canvas: `consumer` uses the variables `keys` of `provider`. */
  addReference(consumer: string, provider: string, keys?: readonly string[]): StoredReference;
  /** A deployment from before receipts existed: its key answers `idempotency_legacy_conflict`. */
  addLegacyDeployment(serviceId: string, key: string): StoredDeployment;

  editProject(id: string, change: Partial<StoredProject>): StoredProject;
  /** Moves `updatedAt` unless the change sets it. */
  editService(id: string, change: (service: StoredService) => Partial<StoredService>): StoredService;
  editConfiguration(id: string, fields: Configuration): StoredService;
  renameService(id: string, name: string): StoredService;
  editVariable(id: string, change: { readonly key?: string; readonly value?: string }): StoredVariable;
  editDeployment(id: string, change: Partial<StoredDeployment>): StoredDeployment;
  deleteServiceNow(id: string): void;
  deleteProjectNow(id: string): void;
  deleteVariableNow(id: string): void;

  /** What the user does in the dashboard: pays for the service's plan. */
  completeCheckout(serviceId: string): void;
  setCondition(condition: Condition, holds: boolean): void;
  /** How far reads are behind from here on; without an argument they are not. */
  setLag(lags?: Lags): void;
  /** How many answers to reads differed, for their lag, from what there was when they were given. */
  answersBehind(): number;
  /** Queues a deployment as another user would. */
  deploy(serviceId: string, options?: { actor?: string; commitSha?: string }): StoredDeployment;
  /** The next deployment of the service (`*`: of any) fails while building, with this text. */
  failNextDeployment(serviceId: string, error?: string): void;
  failNextOperation(serviceId: string): void;
  /** Makes every move that is scheduled, now: what can finish is finished. */
  settle(): void;
}

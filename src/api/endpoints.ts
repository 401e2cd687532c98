import type { Catalog } from "../model/catalog";
import type { DocumentSchema } from "../model/large-document";
import type { Secret } from "../model/secret";
import type { GapSettings } from "./gaps";
import type { AnswerReading } from "./parse-answer";
import type { ApiRequest, Send } from "./send";
import type {
  Canvas,
  CanvasPosition,
  CatalogAnswer,
  Deletion,
  Deployment,
  Operation,
  Page,
  Project,
  Service,
  ServiceAction,
  Variable,
  Viewport,
} from "./wire/shapes";

export interface CanvasScope {
  readonly projectId?: string;
  /** Needs `projectId`. */
  readonly environmentId?: string;
}

export interface ServiceDraft {
  readonly name: string;
  readonly kind: string;
  readonly configuration: Readonly<Record<string, unknown>>;
  /** False saves without deploying. */
  readonly deploy: boolean;
  /** Given together with `environmentId`, or neither. */
  readonly projectId?: string;
  readonly environmentId?: string;
}

export interface DeploymentsPage {
  readonly available: boolean;
  readonly items: readonly Deployment[];
  readonly page?: Page;
  readonly reason?: string | null;
}

/** One function per endpoint of the interface. Every answer is parsed by its wire schema; all throw `ApiError`. */
export interface Endpoints {
  /** With the assumptions of `gaps.ts` that planning rests on. */
  catalog(): Promise<CatalogAnswer & Pick<Catalog, "assumed">>;

  /** The complete list: neither `limit` nor `cursor` is sent. */
  listProjects(): Promise<readonly Project[]>;
  getProject(projectId: string): Promise<Project>;
  /** Gap "project color": a color is sent where none is given, because the service requires it. */
  createProject(body: { name: string; color?: string; description?: string }): Promise<Project>;
  /** Gaps "project color" and "rename a project". */
  updateProject(
    projectId: string,
    body: { name?: string; color?: string; description?: string },
  ): Promise<Project>;
  deleteProject(projectId: string, confirm: string): Promise<Deletion>;

  /** Gap "read one service". */
  getService(serviceId: string): Promise<Service>;
  createService(draft: ServiceDraft): Promise<Service>;
  /** Gap "change a service": nested body first, the flat one once after a 400. */
  updateService(
    serviceId: string,
    change: { name?: string; configuration?: Readonly<Record<string, unknown>> },
  ): Promise<Service>;
  deleteService(serviceId: string, confirm: string): Promise<Deletion>;
  archiveService(serviceId: string): Promise<Service>;
  restoreService(serviceId: string): Promise<Service>;
  /** `restart`, `suspend`, `resume`. */
  runAction(serviceId: string, action: Exclude<ServiceAction, "deploy" | "clear-cache">): Promise<Operation>;
  /** `deploy`, `clear-cache`: the action that answers with a deployment. */
  runDeployAction(serviceId: string, action: "deploy" | "clear-cache"): Promise<Deployment>;
  getOperation(serviceId: string, operationId: string): Promise<Operation>;
  /** Gap "operations of a project". */
  getProjectOperation(projectId: string, operationId: string): Promise<Operation>;

  /** One page, newest first. */
  listDeployments(serviceId: string, page?: { limit?: number; cursor?: string }): Promise<DeploymentsPage>;
  getDeployment(serviceId: string, deploymentId: string): Promise<Deployment>;
  queueDeployment(serviceId: string, body: { commitSha?: string }): Promise<Deployment>;
  cancelDeployment(serviceId: string, deploymentId: string): Promise<void>;
  /** Gap "roll back". `confirm` is the exact service name. */
  rollBack(serviceId: string, deploymentId: string, confirm: string): Promise<Deployment>;

  /** Gap "list variables"; all pages. */
  listVariables(serviceId: string): Promise<readonly Variable[]>;
  createVariable(serviceId: string, body: { key: string; value: Secret | string }): Promise<Variable>;
  /** Gap "change a variable". */
  updateVariable(
    serviceId: string,
    variableId: string,
    body: { key?: string; value?: Secret | string },
  ): Promise<Variable>;
  deleteVariable(serviceId: string, variableId: string): Promise<Deletion>;
  /** Audited by the service; never keyed, never logged. */
  revealVariable(serviceId: string, variableId: string): Promise<Secret>;
  /** As `revealVariable`, as plain text that the caller hands on and keeps no copy of: for Terraform's ephemeral values. */
  revealVariableText(serviceId: string, variableId: string): Promise<string>;

  canvas(scope?: CanvasScope): Promise<Canvas>;
  saveCanvas(
    scope: CanvasScope,
    body: {
      revision: number;
      positions: Readonly<Record<string, CanvasPosition>>;
      viewport: Viewport | null;
    },
  ): Promise<Canvas>;
}

/** The bodies that the service was seen to take where its documents show none; shared by the endpoint sets of a process. */
export interface DetectedPatchFormat {
  patchService?: "nested" | "flat";
  patchVariable?: string;
}

/** The parts that every endpoint is made of, bound to `send` and the workspace. */
export interface EndpointCall {
  readonly send: Send;
  /** `/workspaces/{workspaceId}` and below. */
  readonly path: (...segments: readonly string[]) => string;
  readonly gaps: GapSettings;
  readonly detected: DetectedPatchFormat;
  readonly read: <T>(
    schema: DocumentSchema<T>,
    request: ApiRequest,
    reading?: AnswerReading<T>,
  ) => Promise<T>;
  /** Sends a write marked (I), or one of a gap that is treated so. */
  readonly write: <T>(
    schema: DocumentSchema<T>,
    request: ApiRequest,
    reading?: AnswerReading<T>,
  ) => Promise<T>;
}

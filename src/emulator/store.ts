import type { Condition } from "./behaviour";
import type { Lags } from "./lag";
import { progress, putDeployment, queueDeployment, removeService, unblock } from "./progress";
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
import { newProject } from "./routes/project-routes";
import { newService } from "./routes/service-routes";
import { editedVariable, newVariable } from "./routes/variable-routes";
import type { World } from "./world";

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
export interface EmulatorStore extends Readers, Seeding, Edits, Dashboard {
  /** Makes every move that is scheduled, now: what can finish is finished. */
  settle(): void;
}

interface Readers {
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
}

interface Seeding {
  addProject(seed?: ProjectSeed): StoredProject;
  addEnvironment(projectId: string, name: string, options?: { protected?: boolean }): StoredEnvironment;
  addService(seed: ServiceSeed): StoredService;
  addVariable(serviceId: string, key: string, value: string): StoredVariable;
  addGroup(seed: Pick<StoredGroup, "name" | "serviceIds"> & Partial<StoredGroup>): StoredGroup;
  /** An edge of the canvas: `consumer` uses the variables `keys` of `provider`. */
  addReference(consumer: string, provider: string, keys?: readonly string[]): StoredReference;
  /** A deployment from before receipts existed: its key answers `idempotency_legacy_conflict`. */
  addLegacyDeployment(serviceId: string, key: string): StoredDeployment;
}

interface Edits {
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
}

interface Dashboard {
  /** Pays for the plan of a service, as its user does in the dashboard. */
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
}

/** `commit` keeps what a change wrote. */
export function createEmulatorStore(world: World, workspaceId: string, commit: () => void): EmulatorStore {
  const { store } = world;
  const kept = <Result>(result: Result): Result => {
    commit();
    return result;
  };
  return {
    ...readers(world),
    ...seeding(world, workspaceId, kept),
    ...edits(world, kept),
    ...dashboard(world, kept),
    settle() {
      for (let due = store.nextDue(); due !== undefined; due = store.nextDue()) progress(world, due.at);
      commit();
    },
  };
}

type Keep = <Result>(result: Result) => Result;

const missing = (id: string): never => {
  throw new Error(`the emulator holds no ${id}`);
};

const readers = ({ store, seal }: World): Readers => ({
  projects: () => [...store.all("projects")],
  services: () => [...store.all("services")].filter((service) => service.deletedAt === null),
  service: (id) => store.get("services", id),
  deployments: (serviceId) => store.ofService("deployments", serviceId),
  operations: () => [...store.all("operations")],
  variables: (serviceId) => store.ofService("variables", serviceId),
  variableValue(id) {
    const variable = store.get("variables", id);
    return variable && seal.open(variable.sealedValue);
  },
  auditEvents: () => [...store.all("audit")],
});

function seeding(world: World, workspaceId: string, keep: Keep): Seeding {
  const { store } = world;
  return {
    addProject: ({ name = "Project", color = "#2f6fed", description = "" } = {}) =>
      keep(newProject(world, workspaceId, { name, color, description })),
    addEnvironment(projectId, name, options = {}) {
      const project = store.get("projects", projectId) ?? missing(projectId);
      const at = store.stamp();
      const environment = {
        id: store.newId(),
        name,
        protected: options.protected ?? false,
        createdAt: at,
        updatedAt: at,
      };
      store.put("projects", { ...project, environments: [...project.environments, environment] });
      return keep(environment);
    },
    addService(seed) {
      const { projectId = null } = seed;
      const production =
        projectId === null
          ? undefined
          : (store.get("projects", projectId) ?? missing(projectId)).environments[0];
      const service = newService(world, {
        workspaceId,
        name: seed.name,
        kind: seed.kind ?? "web",
        projectId,
        environmentId: seed.environmentId ?? production?.id ?? null,
        configuration: { ...world.catalog.defaults, ...seed.configuration },
      });
      if (seed.live) goLiveNow(world, service);
      return keep(store.get("services", service.id) ?? service);
    },
    addVariable: (serviceId, key, value) =>
      keep(newVariable(world, store.get("services", serviceId) ?? missing(serviceId), key, value)),
    addGroup: (seed) =>
      keep(
        store.put("groups", {
          id: store.newId(),
          workspaceId,
          projectId: null,
          environmentId: null,
          ...seed,
        }),
      ),
    addReference: (consumer, provider, keys = []) =>
      keep(store.put("references", { id: store.newId(), workspaceId, consumer, provider, keys })),
    addLegacyDeployment(serviceId, key) {
      const service = store.get("services", serviceId) ?? missing(serviceId);
      return keep(queueDeployment(world, service, { actor: "dashboard", legacyKey: key }));
    },
  };
}

function goLiveNow(world: World, service: StoredService): void {
  const at = world.store.stamp();
  const deployment = queueDeployment(world, service, { actor: "dashboard" });
  putDeployment(world, {
    ...deployment,
    status: "live",
    blockedReason: "",
    startedAt: at,
    finishedAt: at,
    dueAt: null,
  });
}

function edits(world: World, keep: Keep): Edits {
  const { store } = world;
  const editService: EmulatorStore["editService"] = (id, change) => {
    const service = store.get("services", id) ?? missing(id);
    return keep(store.put("services", { ...service, updatedAt: store.stamp(), ...change(service) }));
  };
  return {
    editService,
    editConfiguration: (id, fields) =>
      editService(id, (service) => ({ configuration: { ...service.configuration, ...fields } })),
    renameService: (id, name) => editService(id, () => ({ name })),
    editProject(id, change) {
      const project = store.get("projects", id) ?? missing(id);
      return keep(store.put("projects", { ...project, updatedAt: store.stamp(), ...change }));
    },
    editVariable(id, { key, value }) {
      const variable = store.get("variables", id) ?? missing(id);
      return keep(editedVariable(world, variable, key, value));
    },
    editDeployment: (id, change) =>
      keep(putDeployment(world, { ...(store.get("deployments", id) ?? missing(id)), ...change })),
    deleteServiceNow: (id) => keep(removeService(world, id)),
    deleteProjectNow: (id) => keep(store.remove("projects", id)),
    deleteVariableNow: (id) => keep(store.remove("variables", id)),
  };
}

function dashboard(world: World, keep: Keep): Dashboard {
  const { store, switches } = world;
  return {
    completeCheckout(serviceId) {
      const service = store.get("services", serviceId) ?? missing(serviceId);
      const paidPlans = [...service.paidPlans, String(service.configuration.plan)];
      store.put("services", { ...service, paidPlans });
      keep(unblock(world));
    },
    setCondition(condition, holds) {
      if (holds) switches.conditions.add(condition);
      else switches.conditions.delete(condition);
      world.replicas.note({ condition, holds });
      keep(unblock(world));
    },
    setLag: (lags) => world.replicas.setLag(lags),
    answersBehind: () => world.replicas.answersBehind,
    deploy: (serviceId, { actor = "dashboard", commitSha } = {}) =>
      keep(
        queueDeployment(world, store.get("services", serviceId) ?? missing(serviceId), { actor, commitSha }),
      ),
    failNextDeployment(serviceId, error = "The build failed") {
      const failures = world.deploymentFailures.get(serviceId) ?? [];
      world.deploymentFailures.set(serviceId, [...failures, error]);
    },
    failNextOperation(serviceId) {
      world.operationFailures.add(serviceId);
    },
  };
}

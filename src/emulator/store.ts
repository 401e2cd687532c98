import type { Condition } from "./behaviour";
import type { Lags } from "./lag";
import { progress, putDeployment, queueDeployment, release, removeService, unblock } from "./queued-work";
import type {
  Configuration,
  StoredDeployment,
  StoredEnvironment,
  StoredGroup,
  StoredProject,
  StoredService,
  StoredVariable,
} from "./records";
import { newEnvironment, newProject, productionOf } from "./routes/project-routes";
import { newService } from "./routes/service-routes";
import { editedVariable, newVariable } from "./routes/variable-routes";
import { touch } from "./times";
import type { World } from "./world";

export type ProjectSeed = Partial<Pick<StoredProject, "name" | "color" | "description">>;

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
export type EmulatorStore = ReturnType<typeof createEmulatorStore>;

/** `commit` saves the records that a change wrote. */
export function createEmulatorStore(world: World, workspaceId: string, commit: () => void) {
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
    /** Makes every scheduled move now: all that can finish does. */
    settle(): void {
      for (let due = store.nextDue(); due !== undefined; due = store.nextDue()) progress(world, due.at);
      commit();
    },
  };
}

type Keep = <Result>(result: Result) => Result;

const missing = (id: string): never => {
  throw new Error(`the emulator holds no ${id}`);
};

const readers = ({ store, seal }: World) => ({
  projects: (): readonly StoredProject[] => [...store.all("projects")],
  /** Deleted ones excluded. */
  services: (): readonly StoredService[] =>
    [...store.all("services")].filter((service) => service.deletedAt === null),
  service: (id: string): StoredService | undefined => store.get("services", id),
  /** Oldest first. */
  deployments: (serviceId: string): readonly StoredDeployment[] => store.ofService("deployments", serviceId),
  operations: () => [...store.all("operations")],
  variables: (serviceId: string): readonly StoredVariable[] => store.ofService("variables", serviceId),
  /** The plain value, without an audit event. */
  variableValue(variableId: string): string | undefined {
    const variable = store.get("variables", variableId);
    return variable && seal.open(variable.sealedValue);
  },
  auditEvents: () => [...store.all("audit")],
});

function seeding(world: World, workspaceId: string, keep: Keep) {
  const { store } = world;
  return {
    addProject: ({ name = "Project", color = "#2f6fed", description = "" }: ProjectSeed = {}) =>
      keep(newProject(world, workspaceId, { name, color, description })),
    addEnvironment(
      projectId: string,
      name: string,
      options: { protected?: boolean } = {},
    ): StoredEnvironment {
      const project = store.get("projects", projectId) ?? missing(projectId);
      const at = store.stamp();
      const environment = newEnvironment(world, name, at, options.protected);
      store.put("projects", { ...project, environments: [...project.environments, environment] });
      return keep(environment);
    },
    addService(seed: ServiceSeed): StoredService {
      const { projectId = null } = seed;
      const project =
        projectId === null ? undefined : (store.get("projects", projectId) ?? missing(projectId));
      const production = project && productionOf(world, project);
      const environmentId = seed.environmentId ?? production?.id ?? null;
      const configuration = { ...world.catalog.defaults, ...seed.configuration };
      const { name, kind = "web" } = seed;
      const service = newService(world, { workspaceId, name, kind, projectId, environmentId, configuration });
      if (seed.live) release(world, service, { actor: "dashboard" });
      return keep(store.get("services", service.id) ?? service);
    },
    addVariable: (serviceId: string, key: string, value: string) =>
      keep(newVariable(world, store.get("services", serviceId) ?? missing(serviceId), key, value)),
    addGroup: (seed: Pick<StoredGroup, "name" | "serviceIds"> & Partial<StoredGroup>) =>
      keep(
        store.put("groups", {
          id: store.newId(),
          workspaceId,
          projectId: null,
          environmentId: null,
          ...seed,
        }),
      ),
    /** An edge of the canvas: `consumer` uses the variables `keys` of `provider`. */
    addReference: (consumer: string, provider: string, keys: readonly string[] = []) =>
      keep(store.put("references", { id: store.newId(), workspaceId, consumer, provider, keys })),
    /** A deployment from before receipts existed: its key answers `idempotency_legacy_conflict`. */
    addLegacyDeployment(serviceId: string, key: string): StoredDeployment {
      const service = store.get("services", serviceId) ?? missing(serviceId);
      return keep(queueDeployment(world, service, { actor: "dashboard", legacyKey: key }));
    },
  };
}

function edits(world: World, keep: Keep) {
  const { store } = world;
  const editService = (
    id: string,
    change: (service: StoredService) => Partial<StoredService>,
  ): StoredService => {
    const service = store.get("services", id) ?? missing(id);
    return keep(store.put("services", { ...service, updatedAt: store.stamp(), ...change(service) }));
  };
  return {
    /** Moves `updatedAt` unless the change sets it. */
    editService,
    editConfiguration: (id: string, fields: Configuration) =>
      editService(id, (service) => ({ configuration: { ...service.configuration, ...fields } })),
    renameService: (id: string, name: string) => editService(id, () => ({ name })),
    editProject(id: string, change: Partial<StoredProject>): StoredProject {
      const project = store.get("projects", id) ?? missing(id);
      return keep(store.put("projects", { ...project, updatedAt: store.stamp(), ...change }));
    },
    editVariable(
      id: string,
      { key, value }: { readonly key?: string; readonly value?: string },
    ): StoredVariable {
      const variable = store.get("variables", id) ?? missing(id);
      return keep(editedVariable(world, variable, key, value));
    },
    editDeployment(id: string, change: Partial<StoredDeployment>) {
      const deployment = store.get("deployments", id) ?? missing(id);
      return keep(putDeployment(world, { ...deployment, ...change }));
    },
    deleteServiceNow: (id: string) => keep(removeService(world, id)),
    deleteProjectNow: (id: string) => keep(store.remove("projects", id)),
    deleteVariableNow: (id: string) => keep(store.remove("variables", id)),
  };
}

function dashboard(world: World, keep: Keep) {
  const { store, switches } = world;
  return {
    /** Pays for the plan of a service, as its user does in the dashboard. */
    completeCheckout(serviceId: string): void {
      const service = store.get("services", serviceId) ?? missing(serviceId);
      const paidPlans = [...service.paidPlans, String(service.configuration.plan)];
      store.put("services", { ...service, paidPlans });
      touch(world, serviceId, "payment");
      keep(unblock(world, serviceId));
    },
    setCondition(condition: Condition, holds: boolean): void {
      if (holds) switches.conditions.add(condition);
      else switches.conditions.delete(condition);
      keep(unblock(world));
    },
    setLag: (lags?: Lags) => world.replicas.setLag(lags),
    /** Queues a deployment as another user would. */
    deploy(serviceId: string, options: { actor?: string; commitSha?: string } = {}): StoredDeployment {
      const service = store.get("services", serviceId) ?? missing(serviceId);
      return keep(queueDeployment(world, service, { actor: "dashboard", ...options }));
    },
    /** The next deployment of the service (`*`: of any) fails while building, with this text. */
    failNextDeployment(serviceId: string, error = "The build failed"): void {
      const failures = world.deploymentFailures.get(serviceId) ?? [];
      world.deploymentFailures.set(serviceId, [...failures, error]);
    },
    failNextOperation(serviceId: string): void {
      world.operationFailures.add(serviceId);
    },
  };
}

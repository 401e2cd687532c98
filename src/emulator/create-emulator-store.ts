import type { EmulatorStore } from "./emulator-store";
import { progress, putDeployment, removeService, unblock } from "./progress";
import type { StoredService } from "./records";
import { newProject } from "./routes/project-routes";
import { queueDeployment } from "./routes/queue-deployment";
import { newService } from "./routes/service-routes";
import type { World } from "./world";

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

type Readers = Pick<
  EmulatorStore,
  | "projects"
  | "services"
  | "service"
  | "deployments"
  | "operations"
  | "variables"
  | "variableValue"
  | "auditEvents"
>;

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

type Seeding = Pick<
  EmulatorStore,
  | "addProject"
  | "addEnvironment"
  | "addService"
  | "addVariable"
  | "addGroup"
  | "addReference"
  | "addLegacyDeployment"
>;

function seeding(world: World, workspaceId: string, keep: Keep): Seeding {
  const { store, seal } = world;
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
    addVariable(serviceId, key, value) {
      const service = store.get("services", serviceId) ?? missing(serviceId);
      const at = store.stamp();
      return keep(
        store.put("variables", {
          id: store.newId(),
          workspaceId: service.workspaceId,
          serviceId,
          key,
          sealedValue: seal.close(value),
          createdAt: at,
          updatedAt: at,
        }),
      );
    },
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

type Edits = Pick<
  EmulatorStore,
  | "editProject"
  | "editService"
  | "editConfiguration"
  | "renameService"
  | "editVariable"
  | "editDeployment"
  | "deleteServiceNow"
  | "deleteProjectNow"
  | "deleteVariableNow"
>;

function edits(world: World, keep: Keep): Edits {
  const { store, seal } = world;
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
      return keep(
        store.put("variables", {
          ...variable,
          key: key ?? variable.key,
          sealedValue: value === undefined ? variable.sealedValue : seal.close(value),
          updatedAt: store.stamp(),
        }),
      );
    },
    editDeployment: (id, change) =>
      keep(putDeployment(world, { ...(store.get("deployments", id) ?? missing(id)), ...change })),
    deleteServiceNow: (id) => keep(removeService(world, id)),
    deleteProjectNow: (id) => keep(store.remove("projects", id)),
    deleteVariableNow: (id) => keep(store.remove("variables", id)),
  };
}

type Dashboard = Pick<
  EmulatorStore,
  | "completeCheckout"
  | "setCondition"
  | "setLag"
  | "answersBehind"
  | "deploy"
  | "failNextDeployment"
  | "failNextOperation"
>;

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

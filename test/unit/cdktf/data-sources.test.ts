import { propertyAccess, TerraformOutput, type TerraformStack, Token } from "cdktf";
import {
  DataRnvCanvas,
  DataRnvCatalog,
  DataRnvDeployment,
  DataRnvDeployments,
  DataRnvProject,
  DataRnvProjects,
  DataRnvService,
  DataRnvServices,
  DataRnvVariables,
  Deployment,
  Project,
  Service,
} from "../../../src/cdktf/cdktf";
import { createWorkbench, type Workbench } from "../../support/workbench";
import { synthesizeStack } from "./synthesize";

const stack = { files: ["cdktf.out"] };
let one: Workbench;
beforeEach(() => {
  one = createWorkbench();
});

const program = (define: (made: TerraformStack) => void): void =>
  synthesizeStack(one.folder, "guest", define);

const configuration = { repository: "https://git.example.com/guest" };
const errors = async (request: Parameters<Workbench["plan"]>[0] = {}) =>
  (await one.plan({ ...stack, ...request })).diagnostics.map(({ code, summary }) => `${code} ${summary}`);

/** A service of ours beside one that another team declares, in their project. */
function guest(made: TerraformStack): Service {
  const theirs = new DataRnvProject(made, "theirs", { name: "Theirs" });
  const api = new DataRnvService(made, "api", { name: "api", projectId: theirs.id });
  const catalog = new DataRnvCatalog(made, "catalog");
  const service = new Service(made, "guest", {
    kind: "web",
    projectId: theirs.id,
    environment: theirs.productionEnvironmentId,
    configuration: {
      ...configuration,
      startCommand: `serve ${api.id} in ${Token.asString(propertyAccess(catalog.regions, [0, "id"]))}`,
    },
  });
  service.addVariable("API_URL", `${api.url}/v1`);
  new TerraformOutput(made, "apiUrl", { value: api.url });
  new TerraformOutput(made, "runtimes", { value: catalog.runtimes });
  return service;
}

function theirWorkspace() {
  const { store } = one.emulator;
  const project = store.addProject({ name: "Theirs" });
  const service = store.addService({ name: "api", kind: "web", projectId: project.id });
  return { project, service };
}

describe("data sources in a run", () => {
  it("are looked up with the reads that every plan sends, and applied to nothing left", async () => {
    const { project, service } = theirWorkspace();
    program((made) => guest(made));
    const applied = await one.apply(stack);
    expect(applied.diagnostics).toEqual([]);
    expect(applied.exitCode).toBe(0);
    const made = one.emulator.store.services().find(({ name }) => name === "guest");
    expect(made).toMatchObject({
      projectId: project.id,
      configuration: { startCommand: `serve ${service.id} in auto` },
    });
    expect(applied.outputs).toMatchObject({
      apiUrl: expect.stringContaining("api-"),
      runtimes: expect.arrayContaining(["node"]),
    });

    one.emulator.resetLog();
    const { plan, diagnostics } = await one.plan(stack);
    expect(diagnostics).toEqual([]);
    expect(plan?.changes.map(({ address, action }) => `${action} ${address}`)).toEqual([
      "no-op deployment.guest",
      "no-op service.guest",
      "no-op variable.guest.API_URL",
    ]);
    expect(plan?.unmanaged).toEqual([]);
    const paths = one.emulator.log.map(({ path }) => path.replace(/^.*\/workspaces\/[^/]+/, ""));
    expect(paths.filter((path) => !path.endsWith("/variables")).length).toBe(3);
    expect((await one.drift(stack)).exitCode).toBe(0);
  });

  it("stop the run before anything is written where they find nothing, and do not stop a destroy", async () => {
    theirWorkspace();
    program((made) => guest(made));
    await one.apply(stack);
    program((made) => {
      const lost = new DataRnvService(made, "lost", { name: "absent" });
      new Service(made, "guest", {
        kind: "web",
        configuration: { ...configuration, startCommand: lost.url },
      });
    });
    one.emulator.resetLog();
    const refused = await one.apply(stack);
    expect(refused.exitCode).toBe(1);
    expect(refused.diagnostics).toMatchObject([
      {
        code: "live.data_missing",
        summary: 'guest/lost: there is no service with name "absent"',
        range: { file: expect.stringContaining("cdk.tf.json") },
      },
    ]);
    expect(one.writes()).toEqual([]);
    expect(await errors({ mode: "destroy" })).toEqual([]);
  });

  it("are asked for with a target that needs them, also by way of others, and with no other", async () => {
    program((made) => {
      const lost = new DataRnvProject(made, "lost", { name: "absent" });
      const api = new DataRnvService(made, "api", { name: "api", projectId: lost.id });
      new Service(made, "front", { kind: "web", configuration: { ...configuration, startCommand: api.id } });
      new Service(made, "beside", { kind: "web", configuration });
    });
    expect(await errors({ targets: ["service.front"] })).toContainEqual(
      expect.stringContaining("live.data_missing guest/lost"),
    );
    expect(await errors({ targets: ["service.beside"] })).toEqual([]);
  });

  it("are refused where the field that they are looked up by has no value", async () => {
    const held = (made: TerraformStack): Service => {
      const service = new Service(made, "held", { kind: "worker", configuration });
      new Deployment(made, "release", { serviceId: service.id, when: "never" });
      return service;
    };
    program((made) => void held(made));
    expect((await one.apply(stack)).exitCode).toBe(0);
    program((made) => {
      const api = new DataRnvService(made, "api", { name: held(made).url });
      new Service(made, "front", {
        kind: "web",
        configuration: { ...configuration, startCommand: api.name },
      });
    });
    expect(await errors()).toEqual([
      "plan.data_unusable guest/api: what it is looked up by has no value now",
    ]);
  });

  it("name the resource to apply first where this plan creates it, and are read after that", async () => {
    const { store } = one.emulator;
    program((made) => {
      const shop = new Project(made, "shop", { name: "Shop" });
      const api = new DataRnvService(made, "api", { name: "api", projectId: shop.id });
      new Service(made, "front", { kind: "web", configuration: { ...configuration, startCommand: api.id } });
    });
    expect(await errors()).toEqual([
      "plan.data_deferred guest/api depends on project.shop, which this plan changes",
    ]);
    expect((await one.apply({ ...stack, targets: ["project.shop"] })).exitCode).toBe(0);
    const [shop] = store.projects();
    const api = store.addService({ name: "api", kind: "web", projectId: shop?.id as string });
    expect((await one.apply(stack)).exitCode).toBe(0);
    const front = store.services().find(({ name }) => name === "front");
    expect(front?.configuration.startCommand).toBe(api.id);
  });
});

describe("a list of the platform", () => {
  it("is read by a run: services, projects, variables, deployments and the canvas", async () => {
    const { project, service } = theirWorkspace();
    const { store } = one.emulator;
    store.addService({ name: "worker", kind: "worker", projectId: project.id });
    store.addVariable(service.id, "TOKEN", "canary-value");
    program((made) => {
      const theirs = new DataRnvProject(made, "theirs", { name: "Theirs" });
      const all = new DataRnvServices(made, "all", { projectId: theirs.id });
      const web = new DataRnvServices(made, "web", { kind: "web" });
      const api = Token.asString(propertyAccess(all.services, [0, "id"]));
      const known = new DataRnvVariables(made, "known", { serviceId: api });
      const past = new DataRnvDeployments(made, "past", { serviceId: api, limit: 5 });
      const canvas = new DataRnvCanvas(made, "board", { projectId: theirs.id });
      const projects = new DataRnvProjects(made, "every");
      const mine = new Service(made, "mine", {
        kind: "web",
        configuration: { ...configuration, startCommand: `serve ${api}` },
      });
      mine.addVariable("FIRST", Token.asString(propertyAccess(known.keys, [0])));
      const values: Record<string, unknown> = {
        names: propertyAccess(all.services, [1, "name"]),
        port: propertyAccess(web.services, [0, "configuration", "health_check_path"]),
        keys: known.keys,
        available: past.available,
        nodes: propertyAccess(canvas.nodes, [0, "project_id"]),
        projects: propertyAccess(projects.projects, [0, "name"]),
      };
      for (const [name, value] of Object.entries(values)) new TerraformOutput(made, name, { value });
    });
    const applied = await one.apply(stack);
    expect(applied.diagnostics).toEqual([]);
    expect(applied.outputs).toMatchObject({
      names: "worker",
      port: "",
      keys: ["TOKEN"],
      available: true,
      nodes: project.id,
      projects: "Theirs",
    });
    const mine = store.services().find(({ name }) => name === "mine");
    expect(mine?.configuration.startCommand).toBe(`serve ${service.id}`);
    expect(JSON.stringify(applied)).not.toContain("canary-value");
    expect(await one.acting(stack)).toEqual([]);
  });

  it("is a single deployment: the deployment that serves, or that of an id", async () => {
    const { project } = theirWorkspace();
    const { store } = one.emulator;
    const live = store.addService({ name: "web", kind: "web", projectId: project.id, live: true });
    const declare = (name: string, id?: string) =>
      program((made) => {
        const theirs = new DataRnvProject(made, "theirs", { name: "Theirs" });
        const api = new DataRnvService(made, "api", { name, projectId: theirs.id });
        // An empty lifecycle says nothing.
        const serving = new DataRnvDeployment(made, "serving", {
          serviceId: api.id,
          ...(id === undefined ? {} : { id }),
          lifecycle: {},
        });
        const values: Record<string, unknown> = {
          id: serving.id,
          status: serving.status,
          said: `${serving.status} of ${serving.serviceId}`,
          queued: serving.createdAt,
          steps: serving.steps,
        };
        for (const [name, value] of Object.entries(values)) new TerraformOutput(made, name, { value });
      });
    declare("api");
    expect(await errors()).toEqual([
      'live.data_missing guest/serving: no deployment of the service "api" serves',
    ]);
    const [made] = store.deployments(live.id);
    for (const id of [undefined, made?.id]) {
      declare("web", id);
      const applied = await one.apply(stack);
      expect(applied).toMatchObject({ diagnostics: [], exitCode: 0 });
      expect(applied.outputs).toMatchObject({
        id: made?.id,
        status: "live",
        said: `live of ${live.id}`,
        queued: made?.createdAt,
        steps: [],
      });
    }
    const gone = "99999999-9999-4999-8999-999999999999";
    declare("web", gone);
    expect(await errors()).toEqual([expect.stringContaining(`has no deployment of the id ${gone}`)]);
    for (const text of ["..", "web/1"]) {
      declare("web", text);
      expect(await errors()).toEqual([expect.stringContaining(`"${text}" is not an id: ids are UUIDs`)]);
    }
  });
});

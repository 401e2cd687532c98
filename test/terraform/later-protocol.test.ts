import { existsSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, embeddedWorkspaceId } from "../../src/emulator/emulator";
import type { Fault } from "../../src/emulator/faults";
import { type EmulatorServer, serveEmulator } from "../../src/emulator/http-server";
import {
  type Answer,
  dynamic,
  identityData,
  identityIn,
  PluginClient,
  plain,
  wholeOf,
} from "../support/plugin-client";
import { newFolder } from "../support/temp-folder";

describe("requests of a later Terraform, on the wire", () => {
  const emulator = createEmulator({ deploySeconds: 0.1, operationSeconds: 0.1 });
  const { store } = emulator;
  const folder = newFolder("later");
  let server: EmulatorServer;
  let client: PluginClient;
  let schema: Answer;
  const shop = store.addProject({ name: "Shop" });
  const configuration = { repository: "https://git.example.com/shop/api" };
  const api = store.addService({ name: "api", kind: "web", projectId: shop.id, configuration });
  const docs = store.addService({ name: "docs", kind: "static" });
  const token = store.addVariable(api.id, "TOKEN", "hidden-value");
  const workspace = { workspace_id: embeddedWorkspaceId };

  const start = async (): Promise<PluginClient> => {
    const started = await PluginClient.start(folder, server.url, "fast-clock");
    schema = await started.schema();
    expect((await started.configure()).diagnostics).toEqual([]);
    return started;
  };
  beforeAll(async () => {
    store.deploy(api.id);
    store.settle();
    server = await serveEmulator(emulator);
    client = await start();
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  /** A service that others made, and that is deployed if `live`. */
  const addService = (name: string, live: boolean) => {
    const added = store.addService({ name, kind: "web", projectId: shop.id, configuration });
    if (live) store.deploy(added.id);
    store.settle();
    return added;
  };
  /** The configuration of an action, a list or a resource, as a core sends it. */
  const actionConfig = (type: string, given: Readonly<Record<string, unknown>>) =>
    dynamic(wholeOf(schema.action_schemas[type].schema, given));
  const listConfig = (type: string, given: Readonly<Record<string, unknown>>) =>
    dynamic(wholeOf(schema.list_resource_schemas[type], given));
  const resourceConfig = (type: string, given: Readonly<Record<string, unknown>>) =>
    dynamic(wholeOf(schema.resource_schemas[type], given));
  /** Invokes an action: its events, and the findings at its end. */
  const invoke = async (type: string, given: Readonly<Record<string, unknown>>) => {
    emulator.resetLog();
    const config = actionConfig(type, given);
    const events = await client.events("InvokeAction", { action_type: type, config });
    expect(events.filter(({ completed }) => completed)).toHaveLength(1);
    return { events, found: events.at(-1)?.completed?.diagnostics as readonly Answer[] };
  };
  const posts = () =>
    emulator.log
      .filter(({ method }) => method === "POST")
      .map(({ path }) => path.replace(/^.*\/services\//, ""));

  describe("identities", () => {
    it("have a schema for every resource type", async () => {
      const { identity_schemas: identities } = await client.call("GetResourceIdentitySchemas");
      expect(Object.keys(identities).sort()).toEqual(Object.keys(schema.resource_schemas).sort());
      const shown = (name: string) =>
        identities[name].identity_attributes.map((one: Answer) => [
          one.name,
          `${Buffer.from(one.type)}`,
          one.required_for_import === true,
          one.optional_for_import === true,
        ]);
      const optional = ["workspace_id", '"string"', false, true];
      expect(shown("rnv_service")).toEqual([optional, ["id", '"string"', true, false]]);
      expect(shown("rnv_variable").map(([name]: string[]) => name)).toEqual([
        "workspace_id",
        "service_id",
        "id",
      ]);
      expect(shown("rnv_deployment").map(([name]: string[]) => name)).toEqual(["workspace_id", "service_id"]);
    });

    it("import what they name, and come back with it and with every read", async () => {
      const wanted = { workspace_id: null, service_id: api.id, id: token.id };
      const {
        imported_resources: [imported],
        diagnostics,
      } = await client.call("ImportResourceState", {
        type_name: "rnv_variable",
        identity: identityData(wanted),
      });
      expect(diagnostics).toEqual([]);
      expect(plain(imported.state)).toMatchObject({ id: token.id, key: "TOKEN", service_id: api.id });
      expect(identityIn(imported.identity)).toEqual({ ...wanted, ...workspace });
      const read = await client.call("ReadResource", {
        type_name: "rnv_variable",
        current_state: imported.state,
        private: imported.private,
      });
      expect(identityIn(read.new_identity)).toEqual({ ...wanted, ...workspace });
    });

    it("are refused where they are of another workspace, or of nothing", async () => {
      const asked = async (identity: object) => {
        const answer = await client.call("ImportResourceState", {
          type_name: "rnv_service",
          identity: identityData(identity),
        });
        expect(answer.imported_resources).toEqual([]);
        return answer.diagnostics.map(({ summary }: Answer) => summary);
      };
      const other = "00000000-0000-4000-8000-00000000ffff";
      expect(await asked({ workspace_id: other, id: api.id })).toEqual([
        `This identity is of the workspace ${other}`,
      ]);
      expect(await asked({ workspace_id: null, id: null })).toEqual(["The identity has no id"]);
      expect(await asked({ workspace_id: null, id: other })).toHaveLength(1);
    });

    it("stay through a plan, are new with a creation, and are upgraded as they are", async () => {
      const type = "rnv_project";
      const config = resourceConfig(type, { name: "Second" });
      const planned = await client.call("PlanResourceChange", {
        type_name: type,
        prior_state: dynamic(null),
        proposed_new_state: config,
        config,
      });
      expect(planned.diagnostics).toEqual([]);
      const applied = await client.call("ApplyResourceChange", {
        type_name: type,
        prior_state: dynamic(null),
        planned_state: planned.planned_state,
        config,
        planned_private: planned.planned_private,
      });
      const identity = identityIn(applied.new_identity);
      expect(identity).toEqual({ ...workspace, id: plain(applied.new_state).id });
      const again = await client.call("PlanResourceChange", {
        type_name: type,
        prior_state: applied.new_state,
        proposed_new_state: applied.new_state,
        config,
        prior_private: applied.private,
        prior_identity: applied.new_identity,
      });
      expect(identityIn(again.planned_identity)).toEqual(identity);
      const upgraded = await client.call("UpgradeResourceIdentity", {
        type_name: type,
        raw_identity: { json: Buffer.from(JSON.stringify(identity)) },
      });
      expect(identityIn(upgraded.upgraded_identity)).toEqual(identity);
    });
  });

  it("names what a project holds in the second plan of its replacement, which has no prior state", async () => {
    const type = "rnv_project";
    const config = resourceConfig(type, { name: "Shop" });
    const { imported_resources: imported } = await client.call("ImportResourceState", {
      type_name: type,
      id: shop.id,
    });
    const plan = (more: object) =>
      client.call("PlanResourceChange", { type_name: type, config, proposed_new_state: config, ...more });
    const prior = { prior_state: imported[0].state, prior_private: imported[0].private };
    const first = await plan({ ...prior, proposed_new_state: imported[0].state });
    expect(first.diagnostics).toEqual([]);
    const replacement = { prior_state: dynamic(null), prior_private: first.planned_private };
    const second = await plan(replacement);
    expect(second.diagnostics).toMatchObject([
      {
        severity: 2,
        summary: 'Project "Shop" can only be replaced while it is empty',
        detail: expect.stringMatching(
          /^It holds the service "api"\.\n\nReplace or destroy these too, or rename/,
        ),
      },
    ]);
    expect((await plan({ prior_state: dynamic(null) })).diagnostics).toEqual([]);
  });

  describe("list resources", () => {
    const list = (type: string, given = {}, more = {}) =>
      client.events("ListResource", {
        type_name: type,
        config: listConfig(type, given),
        limit: 100,
        ...more,
      });

    /** A process that has read nothing yet. */
    const restart = async () => {
      client.close();
      client = await start();
    };

    it("are announced, and list what exists with identities", async () => {
      expect(Object.keys(schema.list_resource_schemas).sort()).toEqual([
        "rnv_project",
        "rnv_service",
        "rnv_variable",
      ]);
      const events = await list("rnv_service");
      expect(events.map(({ display_name }) => display_name)).toEqual(["Shop/api", "docs"]);
      expect(events.map(({ identity }) => identityIn(identity).id)).toEqual([api.id, docs.id]);
      expect(events.map(({ resource_object }) => resource_object ?? null)).toEqual([null, null]);
    });

    it("filter, stop at the limit, and show whole resources where asked", async () => {
      const [only, ...none] = await list(
        "rnv_service",
        { project_id: shop.id },
        { include_resource_object: true },
      );
      expect(none).toEqual([]);
      expect(plain(only.resource_object)).toMatchObject({ name: "api", kind: "web", project_id: shop.id });
      expect(Object.keys(plain(only.resource_object)).sort()).toEqual(
        Object.keys(wholeOf(schema.resource_schemas.rnv_service, {})).sort(),
      );
      expect(await list("rnv_service", {}, { limit: 1 })).toHaveLength(1);
      const [variable] = await list(
        "rnv_variable",
        { service_id: api.id },
        { include_resource_object: true },
      );
      expect(plain(variable.resource_object)).toMatchObject({ key: "TOKEN", value: null });
      expect(JSON.stringify(plain(variable.resource_object))).not.toContain("hidden");
    });

    it("are named as imports name them, with the id where names do not find one alone", async () => {
      const projects = ["Twice", "Twice", "a/b", "Dié".normalize("NFD")].map((name) =>
        store.addProject({ name }),
      );
      const staging = store.addEnvironment(shop.id, "Staging").id;
      const placed = [...projects.map(({ id }) => ({ projectId: id })), { environmentId: staging }].map(
        (place) => store.addService({ name: "b", kind: "web", projectId: shop.id, ...place }),
      );
      const other = store.addService({ name: "b", kind: "web", projectId: shop.id });
      await restart();
      const keys = new Map(placed.map(({ id }) => [id, store.addVariable(id, "B", "hidden-value").id]));
      const named = async (...asked: Parameters<typeof list>) =>
        (await list(...asked)).map((one) => one.display_name ?? one.diagnostic[0].summary);
      const [one = "", two = "", slash = "", , here = ""] = placed.map(({ id }) => id);
      const twice = (ids: readonly string[], path: string) => [...ids].sort().map((id) => `${path} (${id})`);
      expect(await named("rnv_service")).toEqual([
        ...[`${projects[3]?.name}/b`, "Shop/api"],
        ...[...twice([here, other.id], "Shop/b"), ...twice([one, two], "Twice/b")],
        ...[`a/b/b (${slash})`, "docs"],
      ]);
      expect(await named("rnv_variable", { service: "Twice/b" })).toEqual(
        [one, two].sort().map((id) => `Twice/b/B (${keys.get(id)})`),
      );
      expect(await named("rnv_variable", { project: "Shop" }, { limit: 1 })).toEqual(["Shop/api/TOKEN"]);
      expect(await named("rnv_variable", { service: "Dié/b" })).toEqual([`${projects[3]?.name}/b/B`]);
      expect(await named("rnv_service", { project: "Shop", environment: "staging" })).toEqual([
        `Shop/b (${here})`,
      ]);
      for (const [given, told] of [
        [{ project: "shop" }, 'There is no project "shop"'],
        [{ project: "Shop", environment: "Stage" }, 'There is no environment "Stage" in the project "Shop"'],
        [{ service: "Shop/c", environment: "Staging" }, 'There is no service "Shop/c"'],
        [{ service_id: other.id, environment: "Staging" }, `There is no service of the id ${other.id}`],
      ] as const)
        expect(await named("rnv_variable", given)).toEqual([told]);
      const [bare] = await list("rnv_variable", { project: "Dié", service: "b" });
      expect(bare.diagnostic[0].detail).toContain(`Did you mean "${projects[3]?.name}/b"?`);
      for (const { id } of [...placed, other]) store.deleteServiceNow(id);
      for (const { id } of projects) store.deleteProjectNow(id);
    });

    it("read the lists of variables in order, until the limit is full", async () => {
      const busy = store.addProject({ name: "Busy" });
      for (let n = 100; n < 356; n += 1)
        store.addVariable(store.addService({ name: `s${n}`, kind: "web", projectId: busy.id }).id, "B", "x");
      await restart();
      emulator.resetLog();
      const names = (await list("rnv_variable", { project: "Busy" }, { limit: 3 })).map(
        (one) => one.display_name,
      );
      expect(names).toEqual(["Busy/s100/B", "Busy/s101/B", "Busy/s102/B"]);
      expect(emulator.log.filter(({ path }) => path.endsWith("/variables"))).toHaveLength(3);
    });

    it("are an error at the attribute of a project that is not there, or that is given twice", async () => {
      const at = (name: string) => [{ severity: 1, attribute: { steps: [{ attribute_name: name }] } }];
      const [event] = await list("rnv_service", { project_id: "00000000-0000-4000-8000-00000000ffff" });
      expect(event.diagnostic).toMatchObject(at("project_id"));
      const given = { project: "Shop", project_id: shop.id };
      const asked = { type_name: "rnv_service", config: listConfig("rnv_service", given) };
      const { diagnostics } = await client.call("ValidateListResourceConfig", asked);
      expect(diagnostics).toMatchObject(at("project"));
    });
  });

  describe("actions", () => {
    it("are announced, and checked where their values are known", async () => {
      expect(Object.keys(schema.action_schemas).sort()).toEqual([
        "rnv_clear_cache",
        "rnv_deploy",
        "rnv_restart",
        "rnv_resume",
        "rnv_rollback",
        "rnv_suspend",
      ]);
      const wrong = { service_id: "", timeout: "soon", commit: "main" };
      const { diagnostics } = await client.call("ValidateActionConfig", {
        type_name: "rnv_deploy",
        config: actionConfig("rnv_deploy", wrong),
      });
      expect(diagnostics.map(({ attribute }: Answer) => attribute.steps[0].attribute_name).sort()).toEqual(
        Object.keys(wrong).sort(),
      );
      const nothing = await client.call("ValidateActionConfig", {
        type_name: "rnv_rollback",
        config: actionConfig("rnv_rollback", {}),
      });
      expect(nothing.diagnostics.map(({ summary }: Answer) => summary)).toEqual([
        "service_id must not be null",
        "Confirm must not be null",
      ]);
      const nowhere = "00000000-0000-4000-8000-00000000ffff";
      const planned = await client.call("PlanAction", {
        action_type: "rnv_restart",
        config: actionConfig("rnv_restart", { service_id: nowhere }),
      });
      expect(planned.diagnostics).toMatchObject([
        {
          severity: 2,
          summary: `The service ${nowhere} does not exist`,
          detail: expect.stringContaining("configuration.reference_unknown"),
        },
      ]);
    });

    it.each([
      ["rnv_restart", `${api.id}/actions`],
      ["rnv_suspend", `${api.id}/actions`],
      ["rnv_resume", `${api.id}/actions`],
      ["rnv_clear_cache", `${api.id}/actions`],
      ["rnv_deploy", `${api.id}/deploys`],
    ])("%s sends its request once, waits for its end, and writes no file", async (type, path) => {
      const { found } = await invoke(type, { service_id: api.id });
      expect(found).toEqual([]);
      expect(posts()).toEqual([path]);
      expect(existsSync(join(folder, ".terraform"))).toBe(false);
    });

    it("a rollback wants the name of the service, and goes back to the deployment before", async () => {
      const refused = await invoke("rnv_rollback", { service_id: api.id, confirm: "docs" });
      expect(refused.found).toMatchObject([
        { severity: 1, attribute: { steps: [{ attribute_name: "confirm" }] } },
      ]);
      const nowhere = "00000000-0000-4000-8000-00000000ffff";
      const gone = { service_id: api.id, confirm: "api", deployment_id: nowhere };
      const unknown = await invoke("rnv_rollback", gone);
      const planned = await client.call("PlanAction", {
        action_type: "rnv_rollback",
        config: actionConfig("rnv_rollback", gone),
      });
      for (const found of [unknown.found, planned.diagnostics])
        expect(found).toMatchObject([
          {
            summary: `Service "api" has no deployment of the id ${nowhere}`,
            attribute: { steps: [{ attribute_name: "deployment_id" }] },
          },
        ]);
      expect(posts()).toEqual([]);
      const { found } = await invoke("rnv_rollback", { service_id: api.id, confirm: "api" });
      expect(found).toEqual([]);
      expect(posts()).toHaveLength(1);
    });

    it("are refused for a service that runs nothing, with the reason and the next step", async () => {
      const [undeployed, failed] = [addService("new", false), addService("bad", false)];
      store.failNextDeployment(failed.id, "out of memory");
      store.deploy(failed.id);
      store.settle();
      const hint = "Deploy it: apply its rnv_deployment, or invoke the action rnv_deploy.";
      for (const [id, summary] of [
        [undeployed.id, 'Nothing of service "new" runs: it was never deployed'],
        [
          failed.id,
          'Nothing of service "bad" runs: the status of its last deployment is failed (out of memory)',
        ],
      ])
        expect((await invoke("rnv_suspend", { service_id: id })).found).toMatchObject([
          { severity: 1, summary, detail: expect.stringContaining(hint) },
        ]);
      await invoke("rnv_restart", { service_id: api.id });
      expect(emulator.log.filter(({ path }) => path.endsWith("/deploys"))).toEqual([]);
      emulator.setFaults((_, { method }) =>
        method === "POST" ? { kind: "status", status: 409 } : undefined,
      );
      const cleared = await invoke("rnv_clear_cache", { service_id: api.id });
      emulator.setFaults(undefined);
      expect(cleared.found).toMatchObject([
        { summary: expect.stringContaining('Service "api": cannot deploy without the cache') },
      ]);
    });

    it("an error tells what the service says, in no words of the command line", async () => {
      store.failNextDeployment("*", "the build ran out of memory");
      const { found } = await invoke("rnv_deploy", { service_id: api.id });
      expect(found).toMatchObject([
        { severity: 1, summary: expect.stringContaining("the build ran out of memory") },
      ]);
      expect(JSON.stringify(found)).not.toMatch(/\brnv (restart|deploy|drift)\b|service\.api/);
      const { diagnostics } = await client.call("ValidateActionConfig", {
        type_name: "rnv_rollback",
        config: actionConfig("rnv_rollback", { service_id: "api", confirm: "api", deployment_id: "last" }),
      });
      expect(diagnostics.map(({ summary }: Answer) => summary).sort()).toEqual([
        "deployment_id: expected an id, which is a UUID",
        "service_id: expected an id, which is a UUID",
      ]);
    });
  });

  const faults: readonly Fault[] = [
    { kind: "reset-before" },
    { kind: "reset-after" },
    { kind: "truncate" },
    { kind: "malformed" },
    { kind: "status", status: 503, when: "before" },
    { kind: "status", status: 500, when: "after", receipt: false },
    { kind: "html", status: 502, when: "after" },
  ];
  it.each(faults.map((fault) => [JSON.stringify(fault), fault] as const))(
    "a deployment asked for by an action is queued once, whatever becomes of its answer: %s",
    async (_title, fault) => {
      const one = addService(`faulty ${_title}`, true);
      const before = store.deployments(one.id).length;
      let hasFailed = false;
      emulator.setFaults((_index, { method }) => {
        if (method !== "POST" || hasFailed) return undefined;
        hasFailed = true;
        return fault;
      });
      const { found } = await invoke("rnv_deploy", { service_id: one.id });
      emulator.setFaults(undefined);
      expect(hasFailed).toBe(true);
      expect(found).toEqual([]);
      expect(store.deployments(one.id)).toHaveLength(before + 1);
    },
  );

  it("an action that does not end in time says why it waits", async () => {
    const queued = addService("queued", true);
    const before = store.deployments(queued.id).length;
    store.setCondition("worker-offline", true);
    const { events, found } = await invoke("rnv_deploy", { service_id: queued.id, timeout: "1s" });
    expect(found[0]).toMatchObject({
      severity: 1,
      summary: expect.stringContaining("still queued after 1s"),
    });
    expect(JSON.stringify(found)).not.toMatch(/\brnv [a-z]|--/);
    expect(JSON.stringify(events)).toContain("no worker is online");
    store.setCondition("worker-offline", false);
    expect(store.deployments(queued.id)).toHaveLength(before + 1);
  });

  it("the nonce of a plan stays that of its second plan, where the core keeps it (protocol 6.11)", async () => {
    const config = resourceConfig("rnv_project", { name: "Planned" });
    const request = {
      type_name: "rnv_project",
      config,
      proposed_new_state: config,
      prior_state: dynamic(null),
    };
    const first = await client.call("PlanResourceChange", request);
    const second = await client.call("PlanResourceChange", {
      ...request,
      planned_private: first.planned_private,
    });
    expect(`${second.planned_private}`).toBe(`${first.planned_private}`);
    const other = await client.call("PlanResourceChange", request);
    expect(`${other.planned_private}`).not.toBe(`${first.planned_private}`);
  });

  it("a move from another type is an error that says how to do it", async () => {
    expect(schema.server_capabilities.move_resource_state).toBe(true);
    for (const [source, provider, target] of [
      ["rnv_variable", "registry.terraform.io/rnv/rnv", "rnv_variables"],
      ["aws_instance", "registry.opentofu.org/hashicorp/aws", "rnv_service"],
    ]) {
      const { target_state: state, diagnostics } = await client.call("MoveResourceState", {
        ...{ source_type_name: source, source_provider_address: provider, target_type_name: target },
      });
      expect(state ?? null).toBeNull();
      expect(diagnostics).toMatchObject([
        { severity: 1, summary: `A moved block cannot turn ${source} into ${target}` },
      ]);
      expect(diagnostics[0].detail).toMatch(
        /removed block and destroy = false.*import block.*guides\/adopt-what-exists, "Stop managing something"/s,
      );
    }
  });

  it("configuration is generated from a state: what a configuration may say, and nothing at its default (6.11)", async () => {
    const resource = schema.resource_schemas.rnv_service;
    const state = dynamic(
      wholeOf(resource, {
        ...{ id: api.id, name: "api", kind: "web", archived: false, revision: "1", url: "https://api" },
        configuration: {
          ...Object.fromEntries(
            resource.block.block_types[0].block.attributes.map(({ name }: Answer) => [name, null]),
          ),
          branch: "develop",
          replicas: 1,
        },
      }),
    );
    const { config } = await client.call("GenerateResourceConfig", { type_name: "rnv_service", state });
    const generated = plain(config);
    expect(generated).toMatchObject({
      name: "api",
      kind: "web",
      archived: null,
      id: null,
      revision: null,
      url: null,
    });
    expect(generated.configuration).toMatchObject({ branch: "develop", replicas: null });
  });

  it("a part of another resource is imported by the id of that resource", async () => {
    for (const [type, part, id] of [
      ["rnv_variables", "service_id", api.id],
      ["rnv_deployment", "service_id", api.id],
    ] as const) {
      const identity = { workspace_id: embeddedWorkspaceId, [part]: id };
      const { imported_resources: imported, diagnostics } = await client.call("ImportResourceState", {
        type_name: type,
        identity: identityData(identity),
      });
      expect(diagnostics).toEqual([]);
      expect(imported.map((one: Answer) => [plain(one.state)[part], identityIn(one.identity)])).toEqual([
        [id, identity],
      ]);
    }
  });
});

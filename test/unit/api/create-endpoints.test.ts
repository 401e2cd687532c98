import { createEndpoints } from "../../../src/api/create-endpoints";
import type { DetectedPatchFormat } from "../../../src/api/endpoints";
import { defaultGaps } from "../../../src/api/gap-settings";
import type { ApiRequest } from "../../../src/api/send";
import { Secret } from "../../../src/model/secret";
import { canvasOf, fakeSend, serviceNamed, workspace } from "./fake-send";

const project = { id: "p1", name: "Shop" };
const deployment = { id: "d1", status: "queued" };
const operation = { id: "o1", kind: "restart", status: "queued" };
const variable = { id: "v1", key: "A", value: null, updatedAt: "2026-01-01T00:00:00Z" };
const deletion = { deleted: true };
const draft = { name: "s1", kind: "web", configuration: {}, deploy: false };
type Set = ReturnType<typeof createEndpoints>;

describe("every endpoint", () => {
  const body: Record<string, unknown> = {
    project,
    service: serviceNamed("s1"),
    deployment,
    operation,
    variable,
  };
  const cases: readonly [
    string,
    (e: ReturnType<typeof createEndpoints>) => Promise<unknown>,
    string,
    unknown,
    unknown,
  ][] = [
    ["getProject", (e) => e.getProject("p1"), "GET /projects/p1", undefined, body],
    [
      "createProject",
      (e) => e.createProject({ name: "Shop", color: "#1" }),
      "POST /projects",
      { name: "Shop", color: "#1" },
      body,
    ],
    ["updateProject", (e) => e.updateProject("p1", { name: "b" }), "PATCH /projects/p1", { name: "b" }, body],
    [
      "deleteProject",
      (e) => e.deleteProject("p1", "Shop"),
      "DELETE /projects/p1",
      { confirm: "Shop" },
      deletion,
    ],
    [
      "deleteService",
      (e) => e.deleteService("s1", "api"),
      "DELETE /services/s1",
      { confirm: "api" },
      deletion,
    ],
    ["archiveService", (e) => e.archiveService("s1"), "POST /services/s1/archive", {}, body],
    ["restoreService", (e) => e.restoreService("s1"), "POST /services/s1/restore", {}, body],
    [
      "runAction",
      (e) => e.runAction("s1", "restart"),
      "POST /services/s1/actions",
      { action: "restart" },
      { queued: true, operation },
    ],
    [
      "runDeployAction",
      (e) => e.runDeployAction("s1", "clear-cache"),
      "POST /services/s1/actions",
      { action: "clear-cache" },
      body,
    ],
    [
      "getOperation",
      (e) => e.getOperation("s1", "o1"),
      "GET /services/s1/operations/o1",
      undefined,
      operation,
    ],
    [
      "getProjectOperation",
      (e) => e.getProjectOperation("p1", "o1"),
      "GET /projects/p1/operations/o1",
      undefined,
      operation,
    ],
    ["getDeployment", (e) => e.getDeployment("s1", "d1"), "GET /services/s1/deploys/d1", undefined, body],
    [
      "queueDeployment",
      (e) => e.queueDeployment("s1", { commitSha: "a" }),
      "POST /services/s1/deploys",
      { commitSha: "a" },
      body,
    ],
    [
      "cancelDeployment",
      (e) => e.cancelDeployment("s1", "d1"),
      "POST /services/s1/deploys/d1/cancel",
      {},
      { cancelRequested: true },
    ],
    [
      "rollBack",
      (e) => e.rollBack("s1", "d1", "api"),
      "POST /services/s1/deploys/d1/rollback",
      { confirm: "api" },
      body,
    ],
    ["deleteVariable", (e) => e.deleteVariable("s1", "v1"), "DELETE /services/s1/variables/v1", {}, deletion],
    [
      "listDeployments",
      (e) => e.listDeployments("s1", { limit: 1 }),
      "GET /services/s1/deploys?limit=1",
      undefined,
      { available: true, items: [deployment] },
    ],
    [
      "canvas",
      (e) => e.canvas({ projectId: "p1" }),
      "GET /canvas?projectId=p1",
      undefined,
      canvasOf([], "p1"),
    ],
  ];

  it.each(cases)("%s asks as the interface says", async (name, run, line, sent, answered) => {
    const { send, lines, requests } = fakeSend(() => answered);
    await run(createEndpoints(send, workspace));
    expect(lines()).toEqual([line]);
    expect(requests[0]).toMatchObject({ operation: name, keyed: !line.startsWith("GET") });
    expect(requests[0]?.body).toEqual(sent);
  });

  it.each(cases)("%s is malformed when the answer is another shape", async (_name, run) => {
    const { send } = fakeSend(() => ({ surprise: 1 }));
    await expect(run(createEndpoints(send, workspace))).rejects.toMatchObject({
      kind: "malformed",
      status: 200,
    });
  });

  const otherwise = { ...body, project: { ...project, id: "p9" }, service: serviceNamed("s9") };
  const others: readonly [string, (e: Set) => Promise<unknown>, unknown][] = [
    ["getProject", (e) => e.getProject("p1"), otherwise],
    ["createProject", (e) => e.createProject({ name: "Other" }), body],
    ["updateProject", (e) => e.updateProject("p1", { name: "b" }), otherwise],
    ["getService", (e) => e.getService("s1"), otherwise],
    ["updateService", (e) => e.updateService("s1", { name: "b" }), otherwise],
    ["archiveService", (e) => e.archiveService("s1"), otherwise],
    ["restoreService", (e) => e.restoreService("s1"), otherwise],
    ["createService of a name", (e) => e.createService(draft), { service: serviceNamed("other") }],
    ["createService of a kind", (e) => e.createService({ ...draft, kind: "static" }), body],
    [
      "createService in a project",
      (e) => e.createService({ ...draft, projectId: "p1", environmentId: "e1" }),
      { service: serviceNamed("s1", { projectId: "p2" }) },
    ],
    ["getOperation", (e) => e.getOperation("s1", "o2"), operation],
    ["getProjectOperation", (e) => e.getProjectOperation("p1", "o2"), operation],
    ["getDeployment", (e) => e.getDeployment("s1", "d2"), body],
    ["createVariable", (e) => e.createVariable("s1", { key: "B", value: new Secret("x") }), { variable }],
    ["updateVariable", (e) => e.updateVariable("s1", "v2", { key: "A" }), { variable }],
  ];

  it.each(others)(
    "%s is malformed when the answer is about another resource",
    async (_name, run, answered) => {
      const { send, requests } = fakeSend(() => answered);
      await expect(run(createEndpoints(send, workspace))).rejects.toMatchObject({ kind: "malformed" });
      expect(requests[0]?.about?.(answered)).toMatchObject({
        mismatch: expect.stringMatching(
          /^(project|service|variable|deployment|operation|scope)\.\w+ is not /,
        ),
      });
    },
  );

  it("takes a name in another form for the one that was sent, and other letters for something else", async () => {
    const named = (id: string, name: string) => fakeSend(() => ({ project: { ...project, id, name } })).send;
    const asked = createEndpoints(named("P1-ABC", "Shop"), workspace);
    expect(await asked.getProject("p1-abc")).toMatchObject({ name: "Shop" });
    for (const name of ["Shop", "shop", " SHOP "])
      expect(await asked.createProject({ name, color: "#000000" })).toMatchObject({ id: "P1-ABC" });
    for (const name of ["shops", "s", "ship"])
      await expect(asked.createProject({ name, color: "#000000" })).rejects.toMatchObject({
        message: expect.stringContaining(`project.name is not "${name}"`),
      });
  });

  it("names the path in a malformed body, never the value", async () => {
    const { send } = fakeSend(() => ({ variable: { id: "v1", key: 5, value: "hunter2" } }));
    const asked = createEndpoints(send, workspace).createVariable("s1", { key: "A", value: new Secret("x") });
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining("variable.key") });
    await expect(asked).rejects.not.toMatchObject({ message: expect.stringContaining("hunter2") });
  });

  it("keeps fields it does not know", async () => {
    const { send } = fakeSend(() => ({ project: { ...project, later: 1 }, more: 2 }));
    expect(await createEndpoints(send, workspace).getProject("p1")).toMatchObject({ later: 1 });
  });

  it("puts no id into a path that a URL parser would rewrite", async () => {
    const { send, requests } = fakeSend(() => deletion);
    const endpoints = createEndpoints(send, workspace);
    for (const id of ["", ".", ".."]) expect(() => endpoints.deleteService(id, "x")).toThrow("is not an id");
    await endpoints.deleteService("a/../b?c", "x");
    expect(requests[0]?.path).toBe(`/workspaces/${workspace}/services/a%2F..%2Fb%3Fc`);
  });

  it("marks the requests that hold secrets, and sends a reveal without key and body", async () => {
    const { send, requests } = fakeSend((request) =>
      request.operation === "revealVariable" ? { value: "hunter2" } : { variable },
    );
    const endpoints = createEndpoints(send, workspace);
    await endpoints.createVariable("s1", { key: "A", value: new Secret("x") });
    await endpoints.updateVariable("s1", "v1", { value: new Secret("y") });
    expect(String(await endpoints.revealVariable("s1", "v1"))).toBe("(sensitive)");
    expect(requests.map(({ sensitive }) => sensitive)).toEqual([true, true, true]);
    expect(requests[2]).toMatchObject({ method: "POST", keyed: false });
    expect(requests[2]?.body).toBeUndefined();
  });
});

describe("updateService", () => {
  const change = { name: "api", configuration: { branch: "next", replicas: 2 } };
  const nested = { name: "api", configuration: { branch: "next", replicas: 2 } };
  const flat = { name: "api", branch: "next", replicas: 2 };
  const taken = { service: serviceNamed("s1", { configuration: { branch: "next", replicas: 2 } }) };
  const isFlat = (request: ApiRequest) => "branch" in (request.body as object);

  it("tries the flat body once after a 400, and keeps to the form that took, in later endpoint sets too", async () => {
    const { send, requests } = fakeSend((request) => (isFlat(request) ? taken : 400));
    const detected: DetectedPatchFormat = {};
    await createEndpoints(send, workspace, defaultGaps, detected).updateService("s1", change);
    await createEndpoints(send, workspace, defaultGaps, detected).updateService("s1", change);
    expect(requests.map(({ body }) => body)).toEqual([nested, flat, flat]);
  });

  it("keeps to the nested body once it took: a later 400 is a refusal", async () => {
    const { send, requests } = fakeSend((_, index) => (index === 0 ? taken : 400));
    const endpoints = createEndpoints(send, workspace);
    await endpoints.updateService("s1", change);
    await expect(endpoints.updateService("s1", change)).rejects.toMatchObject({ status: 400 });
    expect(requests.map(({ body }) => body)).toEqual([nested, nested]);
  });

  it("reports the first refusal when the flat body is refused too, or is ignored", async () => {
    for (const second of [400, { service: serviceNamed("s1") }]) {
      const { send, requests } = fakeSend((request) => (isFlat(request) ? second : 400));
      const endpoints = createEndpoints(send, workspace);
      await expect(endpoints.updateService("s1", change)).rejects.toMatchObject({ status: 400 });
      await expect(endpoints.updateService("s1", change)).rejects.toMatchObject({ status: 400 });
      expect(requests).toHaveLength(4);
    }
  });

  it("tries the flat body too where the nested one is taken and none of its fields is, and ends with the first answer", async () => {
    const ignored = { service: serviceNamed("s1") };
    const isTaken = fakeSend((request) => (isFlat(request) ? taken : ignored));
    const detected: DetectedPatchFormat = {};
    await createEndpoints(isTaken.send, workspace, defaultGaps, detected).updateService("s1", change);
    expect(isTaken.requests.map(({ body }) => body)).toEqual([nested, flat]);
    expect(detected.patchService).toBe("flat");
    const never = fakeSend(() => ignored);
    const last = await createEndpoints(never.send, workspace).updateService("s1", change);
    expect(last.configuration).toEqual(serviceNamed("s1").configuration);
  });

  it("does not try again after another status, nor for a name alone", async () => {
    const forbidden = fakeSend(() => 403);
    await expect(createEndpoints(forbidden.send, workspace).updateService("s1", change)).rejects.toThrow();
    expect(forbidden.requests).toHaveLength(1);
    const invalid = fakeSend(() => 400);
    await expect(
      createEndpoints(invalid.send, workspace).updateService("s1", { name: "x" }),
    ).rejects.toThrow();
    expect(invalid.requests.map(({ body }) => body)).toEqual([{ name: "x" }]);
  });

  it.each([["nested", nested] as const, ["flat", flat] as const])(
    "sends only the %s body when set so",
    async (patchService, body) => {
      const { send, requests } = fakeSend(() => 400);
      const endpoints = createEndpoints(send, workspace, { ...defaultGaps, patchService });
      await expect(endpoints.updateService("s1", change)).rejects.toMatchObject({ status: 400 });
      expect(requests.map((request) => request.body)).toEqual([body]);
    },
  );
});

describe("a gap route", () => {
  it("is not asked for when it is turned off", async () => {
    const { send, requests } = fakeSend(() => 500);
    const off = {
      ...defaultGaps,
      readService: "off",
      listVariables: "off",
      patchVariable: "off",
      rollBack: "off",
      renameProject: "off",
    } as const;
    const endpoints = createEndpoints(send, workspace, off);
    const turnedOff = async (asked: Promise<unknown>, name: string, line: string) => {
      const [method, below] = line.split(" ");
      await expect(asked).rejects.toMatchObject({
        ...{ kind: "refused", code: "gap_off", attempts: 0 },
        ...{ method, path: `/workspaces/${workspace}${below}` },
      });
      await expect(asked).rejects.toThrow(`turned off by ${name};`);
    };
    await turnedOff(endpoints.getService("s1"), "RNV_GAP_READ_SERVICE", "GET /services/s1");
    await turnedOff(endpoints.listVariables("s1"), "RNV_GAP_LIST_VARIABLES", "GET /services/s1/variables");
    await turnedOff(
      endpoints.updateVariable("s1", "v1", { key: "A" }),
      "RNV_GAP_PATCH_VARIABLE",
      "PATCH /services/s1/variables/v1",
    );
    await turnedOff(endpoints.rollBack("s1", "d1", "api"), "RNV_GAP_ROLL_BACK", "POST /services/s1");
    await turnedOff(
      endpoints.updateProject("p1", { name: "Shop" }),
      "RNV_GAP_RENAME_PROJECT",
      "PATCH /projects/p1",
    );
    const unwatched = createEndpoints(send, workspace, { ...off, projectOperation: "off" });
    await expect((async () => unwatched.getProjectOperation("p1", "o1"))()).rejects.toMatchObject({
      ...{ code: "gap_off", method: "GET", path: `/workspaces/${workspace}/projects/p1` },
    });
    expect(requests).toHaveLength(0);
    const recolored = fakeSend(() => ({ project }));
    await createEndpoints(recolored.send, workspace, off).updateProject("p1", { color: "#000000" });
    expect(recolored.lines()).toEqual(["PATCH /projects/p1"]);
  });

  it("reads the service that was asked for, or nothing", async () => {
    const { send } = fakeSend(() => ({ service: serviceNamed("s2") }));
    await expect(createEndpoints(send, workspace).getService("s1")).rejects.toMatchObject({
      kind: "malformed",
    });
  });

  it("rolls back at the path that is set, and points to the dashboard where there is none", async () => {
    const { send, lines } = fakeSend(() => 404);
    const gaps = { ...defaultGaps, rollBack: "/releases/{deploymentId}/restore" };
    await expect(createEndpoints(send, workspace, gaps).rollBack("s1", "d1", "api")).rejects.toMatchObject({
      ...{ kind: "refused", status: 404, hint: expect.stringMatching(/dashboard.*RNV_GAP_ROLL_BACK=/) },
    });
    expect(lines()).toEqual(["POST /services/s1/releases/d1/restore"]);
  });

  it("puts the deployment into the body where the path has no place for it", async () => {
    const { send, lines, requests } = fakeSend(() => deployment);
    const gaps = { ...defaultGaps, rollBack: "/rollback" };
    await createEndpoints(send, workspace, gaps).rollBack("s1", "d1", "api");
    await createEndpoints(send, workspace, {
      ...gaps,
      ...{ rollBackBody: '{"to": {"id": "{deploymentId}"}, "confirm": "{confirm}"}', routeKeys: "on" },
    }).rollBack("s1", "d1", "api");
    expect(lines()).toEqual(["POST /services/s1/rollback", "POST /services/s1/rollback"]);
    expect(requests.map(({ body }) => body)).toEqual([
      { confirm: "api", deploymentId: "d1" },
      { to: { id: "d1" }, confirm: "api" },
    ]);
  });

  it("changes a service at the path and with the body that are set, without a key where none is taken", async () => {
    const { send, lines, requests } = fakeSend(() => serviceNamed("s1"));
    const endpoints = createEndpoints(send, workspace, {
      ...defaultGaps,
      patchServicePath: "/apps/{serviceId}/settings",
      patchService: '{"app": {"title": "{name}", "settings": "{configuration}"}}',
      routeKeys: "off",
    });
    const changed = await endpoints.updateService("s1", { configuration: { branch: "next" } });
    expect(changed.id).toBe("s1");
    expect(lines()).toEqual(["PATCH /apps/s1/settings"]);
    expect(requests[0]).toMatchObject({ body: { app: { settings: { branch: "next" } } }, omitsKey: true });
  });

  it("lists variables where they are set to be", async () => {
    const { send, lines } = fakeSend(() => ({ items: [variable] }));
    const endpoints = createEndpoints(send, workspace, {
      ...defaultGaps,
      listVariables: "/apps/{serviceId}/environment",
    });
    expect(await endpoints.listVariables("s1")).toHaveLength(1);
    expect(lines()).toEqual(["GET /apps/s1/environment"]);
  });

  it("reads the service, or lists the variables, where the answer to a change does not show them", async () => {
    const { send, lines } = fakeSend(({ operation: asked }) => {
      if (asked === "getService") return serviceNamed("s1");
      return asked === "listVariables" ? { items: [variable] } : { ok: true };
    });
    const endpoints = createEndpoints(send, workspace);
    expect((await endpoints.updateService("s1", { name: "b" })).id).toBe("s1");
    expect((await endpoints.updateVariable("s1", "v1", { key: "A" })).key).toBe("A");
    expect(lines()).toEqual([
      "PATCH /services/s1",
      "GET /services/s1",
      "PATCH /services/s1/variables/v1",
      "GET /services/s1/variables",
    ]);
  });

  it("takes a variable that stands in the answer by itself, and asks for a bare list where that is set", async () => {
    const { send, lines, requests } = fakeSend((request) =>
      request.operation === "listVariables" ? [variable] : variable,
    );
    const gaps = { ...defaultGaps, variableItems: "." };
    const endpoints = createEndpoints(send, workspace, gaps);
    expect((await endpoints.updateVariable("s1", "v1", { value: new Secret("x") })).key).toBe("A");
    expect(requests[0]?.body).toEqual({ value: expect.any(Secret) });
    expect(await endpoints.listVariables("s1")).toHaveLength(1);
    expect(lines()).toEqual(["PATCH /services/s1/variables/v1", "GET /services/s1/variables"]);
    expect(requests.map(({ mayBeList }) => mayBeList)).toEqual([undefined, true]);
  });

  it("tries name and value once where key and value are refused, and keeps to what was taken", async () => {
    const { send, requests } = fakeSend(({ body }) => ("key" in (body as object) ? 400 : { variable }));
    const endpoints = createEndpoints(send, workspace);
    await endpoints.updateVariable("s1", "v1", { key: "A" });
    await endpoints.updateVariable("s1", "v1", { key: "B" });
    expect(requests.map(({ body }) => body)).toEqual([{ key: "A" }, { name: "A" }, { name: "B" }]);
  });

  it.each([
    ["patch a service", "RNV_GAP_PATCH_SERVICE_PATH=", (e: Set) => e.updateService("s1", { name: "b" })],
    ["read a service", "RNV_GAP_READ_SERVICE=", (e: Set) => e.getService("s1")],
    ["list variables", "RNV_GAP_LIST_VARIABLES=", (e: Set) => e.listVariables("s1")],
    ["patch a variable", "RNV_GAP_PATCH_VARIABLE=", (e: Set) => e.updateVariable("s1", "v1", { key: "A" })],
    ["roll back", "RNV_GAP_ROLL_BACK=", (e: Set) => e.rollBack("s1", "d1", "api")],
  ] as const)("that does not %s as assumed names the setting that says otherwise", async (_, name, ask) => {
    for (const status of [400, 404, 405]) {
      const { send } = fakeSend(() => status);
      const asked = ask(createEndpoints(send, workspace));
      await expect(asked).rejects.toMatchObject({ status, hint: expect.stringContaining(name) });
    }
  });
});

describe("a refused project", () => {
  it("may be so because of its color, where it has one", async () => {
    const hint = (change: { readonly color?: string; readonly description?: string }) =>
      createEndpoints(fakeSend(() => 400).send, workspace)
        .updateProject("p1", change)
        .then(
          () => "none",
          (failure: { readonly hint?: string }) => failure.hint ?? "",
        );
    expect(await hint({ color: "teal" })).toContain('"teal"');
    expect(await hint({ description: "x" })).toBe("");
  });
});

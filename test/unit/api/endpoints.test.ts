import { createEndpoints } from "../../../src/api/endpoints";
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
      "restart the service",
      (e) => e.runAction("s1", "restart"),
      "POST /services/s1/actions",
      { action: "restart" },
      { queued: true, operation },
    ],
    [
      "deploy without the cache",
      (e) => e.clearCache("s1"),
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
    ["updateProject", (e) => e.updateProject("p1", { name: "b" }), otherwise],
    ["getService", (e) => e.getService("s1"), otherwise],
    ["updateService", (e) => e.updateService("s1", { name: "b" }), otherwise],
    ["archiveService", (e) => e.archiveService("s1"), otherwise],
    ["restoreService", (e) => e.restoreService("s1"), otherwise],
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

  it("names the path in a malformed body, never the value", async () => {
    const { send } = fakeSend(() => ({ variable: { id: "v1", key: 5, value: "hunter2" } }));
    const asked = createEndpoints(send, workspace).createVariable("s1", { key: "A", value: new Secret("x") });
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining("variable.key") });
    await expect(asked).rejects.not.toMatchObject({ message: expect.stringContaining("hunter2") });
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

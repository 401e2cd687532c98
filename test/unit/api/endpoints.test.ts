import { join } from "node:path";
import { createEndpoints } from "../../../src/api/endpoints";
import { Secret } from "../../../src/model/secret";
import { casesIn } from "../../support/rows";
import { canvasOf, fakeSend, serviceNamed, workspace } from "./fake-send";

const project = { id: "p1", name: "Shop" };
const deployment = { id: "d1", status: "queued" };
const operation = { id: "o1", kind: "restart", status: "queued" };
const variable = { id: "v1", key: "A", value: null, updatedAt: "2026-01-01T00:00:00Z" };
const deletion = { deleted: true };
type Set = ReturnType<typeof createEndpoints>;

describe("every endpoint", () => {
  const body: Record<string, unknown> = {
    project,
    service: serviceNamed("s1"),
    deployment,
    operation,
    variable,
  };
  const answers: Record<string, unknown> = {
    ...{ body, deletion, operation, canvas: canvasOf([], "p1"), queued: { queued: true, operation } },
    otherwise: { ...body, project: { ...project, id: "p9" }, service: serviceNamed("s9") },
    elsewhere: { service: serviceNamed("s1", { projectId: "p2" }) },
    ...{ cancelled: { cancelRequested: true }, deployments: { available: true, items: [deployment] } },
  };
  const cases = casesIn<[string, keyof Set, readonly unknown[], string, object | null, string]>(
    join(__dirname, "endpoints.json"),
  );
  const call = (endpoints: Set, name: keyof Set, given: readonly unknown[]) =>
    (endpoints[name] as (...given: readonly unknown[]) => Promise<unknown>)(...given);

  it.each(cases)("%s asks as the interface says", async (name, method, given, line, sent, answered) => {
    const { send, lines, requests } = fakeSend(() => answers[answered]);
    await call(createEndpoints(send, workspace), method, given);
    expect(lines()).toEqual([line]);
    expect(requests[0]).toMatchObject({ operation: name, keyed: !line.startsWith("GET") });
    expect(requests[0]?.body).toEqual(sent ?? undefined);
  });

  it.each(cases)("%s is malformed when the answer is another shape", async (_name, method, given) => {
    const { send } = fakeSend(() => ({ surprise: 1 }));
    await expect(call(createEndpoints(send, workspace), method, given)).rejects.toMatchObject({
      kind: "malformed",
      status: 200,
    });
  });

  const others = casesIn<[keyof Set, readonly unknown[], string]>(join(__dirname, "other-resources.json"));

  it.each(others)(
    "%s is malformed when the answer is about another resource",
    async (method, given, answered) => {
      const { send, requests } = fakeSend(() => answers[answered]);
      const asked = call(createEndpoints(send, workspace), method, given);
      await expect(asked).rejects.toMatchObject({ kind: "malformed" });
      expect(requests[0]?.about?.(answers[answered])).toMatchObject({
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

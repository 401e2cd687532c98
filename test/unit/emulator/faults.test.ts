import { embeddedApiKey } from "../../../src/emulator/emulator";
import type { Fault } from "../../../src/emulator/faults";
import { serveEmulator } from "../../../src/emulator/server";
import { listsWithout, withOtherId } from "../../support/edited-answers";
import { type Started, start } from "./start";

const draft = { name: "Shop", color: "#101010" };

/** What one keyed `POST …/projects` came to under a fault, and how many projects it left. */
async function postUnder(fault: Fault): Promise<{ started: Started; outcome: unknown; projects: number }> {
  const started = start();
  started.emulator.setFaults((index) => (index === 0 ? fault : undefined));
  const outcome = await started
    .call("POST", `${started.workspace}/projects`, draft, { "idempotency-key": "k" })
    .catch((cause: { code?: string } & Error) => cause.code ?? cause.name);
  return { started, outcome, projects: started.emulator.store.projects().length };
}

const broken: readonly [Fault, string, number][] = [
  [{ kind: "refuse" }, "ECONNREFUSED", 0],
  [{ kind: "reset-before" }, "ECONNRESET", 0],
  [{ kind: "reset-after" }, "ECONNRESET", 1],
  [{ kind: "timeout-before" }, "ETIMEDOUT", 0],
  [{ kind: "timeout-after" }, "ETIMEDOUT", 1],
  [{ kind: "truncate" }, "ECONNRESET", 1],
  [{ kind: "malformed" }, "SyntaxError", 1],
  [{ kind: "html" }, "SyntaxError", 0],
  [{ kind: "html", when: "after" }, "SyntaxError", 1],
];

const answered: readonly [Fault, number, number][] = [
  [{ kind: "empty" }, 200, 1],
  [{ kind: "redirect" }, 302, 0],
  [{ kind: "redirect", when: "after" }, 302, 1],
  [{ kind: "twice" }, 200, 1],
  [{ kind: "status", status: 503 }, 503, 0],
  [{ kind: "status", status: 503, when: "after" }, 503, 1],
  [{ kind: "status", status: 429, retryAfter: 7 }, 429, 0],
];

describe("faults in-process", () => {
  it.each(broken)("%j rejects with %s and leaves %i projects", async (fault, code, count) => {
    const { outcome, projects } = await postUnder(fault);
    expect([outcome, projects]).toEqual([code, count]);
  });

  it.each(answered)("%j answers %i and leaves %i projects", async (fault, status, count) => {
    const { outcome, projects } = await postUnder(fault);
    expect(outcome).toMatchObject({ status });
    expect(projects).toBe(count);
  });

  it("a retry with the same key after a lost answer is a replay", async () => {
    const { started } = await postUnder({ kind: "reset-after" });
    const retry = await started.call("POST", `${started.workspace}/projects`, draft, {
      "idempotency-key": "k",
    });
    expect(retry.headers["idempotency-replayed"]).toBe("true");
    expect(started.emulator.store.projects()).toHaveLength(1);
  });

  it("a lost receipt makes the retry a second commit", async () => {
    const { started } = await postUnder({ kind: "status", status: 500, when: "after", receipt: false });
    await started.call("POST", `${started.workspace}/projects`, draft, { "idempotency-key": "k" });
    expect(started.emulator.store.projects()).toHaveLength(2);
  });

  it("a request that arrives twice without a key commits twice", async () => {
    const { call, emulator, workspace } = start({ faults: () => ({ kind: "twice" }) });
    await call("POST", `${workspace}/projects`, draft);
    expect(emulator.store.projects()).toHaveLength(2);
  });

  it("an injected status carries its code and Retry-After", async () => {
    const { outcome } = await postUnder({
      kind: "status",
      status: 409,
      code: "engine_unavailable",
      retryAfter: 3,
    });
    expect(outcome).toMatchObject({ body: { code: "engine_unavailable" }, headers: { "retry-after": "3" } });
  });

  it("a timeout spends its time on the clock, or ends with the caller's signal", async () => {
    const { clock, emulator } = start({ faults: () => ({ kind: "timeout-after", afterMs: 5000 }) });
    const get = { method: "GET", url: "http://embedded/api/v1/catalog", headers: {} };
    let outcome = "pending";
    const waiting = emulator.handle(get).catch((cause) => {
      outcome = cause.code;
    });
    await new Promise(setImmediate);
    expect(outcome).toBe("pending");
    clock.advance(5000);
    await waiting;
    expect(outcome).toBe("ETIMEDOUT");
    const abort = new AbortController();
    const aborted = emulator.handle({ ...get, signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
  });

  it("a stale list shows what was there when it was last read", async () => {
    const { call, emulator, workspace } = start({ faults: () => undefined });
    emulator.store.addProject({ name: "old" });
    await call("GET", `${workspace}/projects`);
    emulator.store.addProject({ name: "new" });
    emulator.setFaults((index) => (index === 0 ? { kind: "stale-list" } : undefined));
    const names = async () =>
      (await call("GET", `${workspace}/projects`)).body.projects.map(
        (project: { name: string }) => project.name,
      );
    expect(await names()).toEqual(["old"]);
    expect(await names()).toEqual(["old", "new"]);
  });

  it("a stale list can leave out chosen ids", async () => {
    const { call, emulator, workspace } = start();
    const { id } = emulator.store.addService({ name: "api" });
    emulator.store.addService({ name: "web" });
    emulator.setFaults(() => listsWithout([id]));
    const { nodes } = (await call("GET", `${workspace}/canvas`)).body;
    expect(nodes.map((node: { name: string }) => node.name)).toEqual(["web"]);
  });

  it("another id in the answer is not the one that was stored", async () => {
    const { started, outcome } = await postUnder(withOtherId());
    const { id } = (outcome as { body: { project: { id: string } } }).body.project;
    expect(started.emulator.store.projects().map((project) => project.id)).not.toContain(id);
  });

  it("hooks run on either side of the commit and go on with another fault", async () => {
    const seen: string[] = [];
    const note = (when: "before" | "after", then?: Fault): Fault => ({
      kind: "hook",
      when,
      run: (store) => void seen.push(`${when}: ${store.projects().length}`),
      then,
    });
    const { outcome } = await postUnder(note("before", note("after", { kind: "reset-after" })));
    expect(seen).toEqual(["before: 0", "after: 1"]);
    expect(outcome).toBe("ECONNRESET");
  });

  it("the log keeps the fault, and neither the key nor a variable's value", async () => {
    const { call, emulator, services } = start({ faults: () => ({ kind: "reset-after" }) });
    const { id } = emulator.store.addService({ name: "api" });
    await call("POST", `${services}/${id}/variables`, { key: "TOKEN", value: "hush-1234" }).catch(() => {});
    expect(emulator.log).toEqual([
      expect.objectContaining({
        status: 0,
        fault: "reset-after",
        body: { key: "TOKEN", value: "(sensitive)" },
      }),
    ]);
    expect(JSON.stringify(emulator.log)).not.toMatch(/hush-1234|rnv_embedded/);
  });
});

describe("faults over HTTP", () => {
  const overHttp = async (fault: Fault): Promise<{ outcome: unknown; projects: number }> => {
    const { emulator, workspace } = start({ faults: () => fault });
    const server = await serveEmulator(emulator);
    const outcome = await fetch(`${server.url}${workspace}/projects`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${embeddedApiKey}`, "content-type": "application/json" },
      body: JSON.stringify(draft),
      // Long enough for a busy machine; only what is held waits so long.
      signal: AbortSignal.timeout(fault.kind.startsWith("timeout") ? 1000 : 20_000),
    }).then(
      async (response) =>
        response.text().then(
          () => response.status,
          () => "cut",
        ),
      (cause: Error) => (cause.name === "TimeoutError" ? "held" : "reset"),
    );
    await server.close();
    return { outcome, projects: emulator.store.projects().length };
  };

  it.each([
    [{ kind: "reset-before" }, "reset", 0],
    [{ kind: "reset-after" }, "reset", 1],
    [{ kind: "truncate" }, "cut", 1],
    [{ kind: "timeout-before" }, "held", 0],
    [{ kind: "timeout-after" }, "held", 1],
    [{ kind: "redirect" }, 302, 0],
    [{ kind: "empty" }, 200, 1],
  ] as const)("%j ends as %s and leaves %i projects", async (fault, outcome, projects) => {
    expect(await overHttp(fault)).toEqual({ outcome, projects });
  });
});

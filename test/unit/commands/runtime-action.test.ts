import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api" }
`;

describe("runtimeAction", () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop);
    await bench.apply();
    bench.emulator.resetLog();
  });
  afterEach(() => bench.remove());

  const act: Workbench["act"] = (request) => bench.act(request);
  const service = () => bench.emulator.store.services()[0];
  const refusal = async (attempt: ReturnType<typeof act>) => {
    const { diagnostics, exitCode } = await attempt;
    return { code: diagnostics[0]?.code, exitCode };
  };

  it("returns at once with --no-wait", async () => {
    const outcome = await act({ action: "deploy", wait: false });
    expect(outcome).toMatchObject({ result: "accepted", exitCode: 0 });
    expect(service()?.liveDeploymentId).not.toBe(outcome.accepted?.id);
  });

  it("keys every invocation with a key of its own", async () => {
    await act({ action: "restart" });
    await act({ action: "restart" });
    const keys = bench.emulator.log
      .filter(({ method }) => method === "POST")
      .map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^rnv-1-[0-9a-f]{64}$/);
    expect(new Set(keys).size).toBe(2);
  });

  it("gives up after the timeout with exit code 7, and says that the service goes on", async () => {
    bench.emulator.store.setCondition("worker-offline", true);
    const waited: string[] = [];
    const onWaiting = (_seconds: number, status: string) => waited.push(status);
    const { exitCode, diagnostics } = await act({ action: "deploy", timeoutMs: 5000, onWaiting });
    expect(exitCode).toBe(7);
    expect(waited).toContain("queued");
    expect(diagnostics[0]?.code).toBe("apply.deploy_timeout");
  });

  it("has nothing to cancel when no deployment is in progress", async () => {
    expect(await refusal(act({ action: "cancel" }))).toEqual({ code: "command.usage", exitCode: 1 });
    expect(bench.writes()).toEqual([]);
  });

  it("rolls back to the newest release before the live one once its name is typed", async () => {
    const first = service()?.liveDeploymentId;
    await act({ action: "deploy" });
    const confirm = jest.fn(async () => "api");
    expect(await act({ action: "rollback", confirm })).toMatchObject({ result: "done" });
    expect(confirm).toHaveBeenCalledWith(expect.objectContaining({ name: "api", deploymentId: first }));
  });

  it.each(["Api", "", "service.shop.api"])("rolls nothing back when %j is typed", async (typed) => {
    await act({ action: "deploy" });
    bench.emulator.resetLog();
    const attempt = act({ action: "rollback", confirm: async () => typed });
    expect(await refusal(attempt)).toEqual({ code: "guard.name_changed", exitCode: 4 });
    expect(bench.writes()).toEqual([]);
  });

  it("does nothing when the rollback is cancelled", async () => {
    await act({ action: "deploy" });
    bench.emulator.resetLog();
    expect(await act({ action: "rollback" })).toMatchObject({ result: "cancelled", exitCode: 1 });
    expect(bench.writes()).toEqual([]);
  });

  it.each(["service.shop.apo", "api", "project.shop"])("refuses %s without a request", async (address) => {
    const { exitCode, diagnostics } = await act({ action: "restart", address });
    expect(exitCode).toBe(1);
    expect(diagnostics).toHaveLength(1);
    expect(bench.emulator.log).toEqual([]);
  });
});

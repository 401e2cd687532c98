import type { Fault, SeenRequest } from "../../../src/emulator/faults";
import { withOtherId } from "../../support/edited-answers";
import { createWorkbench, type Workbench, type WorkbenchOptions } from "../../support/workbench";

const shop = (kind = "worker", settings = "") => `projects:
  shop:
    services:
      api: { kind: ${kind}, deploy: { when: never }${settings} }
`;

describe("a write of unknown outcome", () => {
  let bench: Workbench;
  const open = (options?: WorkbenchOptions) => {
    bench = createWorkbench(options);
    bench.write("rnv.yaml", shop());
  };
  afterEach(() => bench.remove());

  const services = () => bench.emulator.store.services();
  const failOnce = (hits: (seen: SeenRequest) => boolean, fault: Fault) => {
    let isOver = false;
    bench.emulator.setFaults((_, seen) => {
      if (isOver || !hits(seen)) return undefined;
      isOver = true;
      return fault;
    });
  };
  const creates = ({ method, path }: SeenRequest) => method === "POST" && path.endsWith("/services");
  const lostReceipt: Fault = { kind: "status", status: 500, when: "after", receipt: false };

  it("is found where the receipt is lost and reads are nearly half a minute behind, and it is told", async () => {
    open();
    bench.emulator.store.setLag({ all: { ms: 25_000 } });
    failOnce(creates, lostReceipt);
    expect((await bench.apply()).exitCode).toBe(0);
    expect(services()).toHaveLength(1);
    const told = bench.events.filter((event) => event.type === "progress");
    expect(told).toEqual([
      {
        type: "progress",
        address: "service.shop.api",
        action: "create",
        note: "the service failed and may have done it: looking for it for at most 30 s",
      },
    ]);
  });

  it("is looked for as long as reads may lag before it is sent again, whatever the receipt says", async () => {
    open();
    failOnce(creates, { kind: "reset-before" });
    const startedAt = bench.clock.now();
    expect((await bench.apply()).exitCode).toBe(0);
    expect(bench.clock.now() - startedAt).toBeGreaterThanOrEqual(30_000);
    expect(services()).toHaveLength(1);
  });

  it.each([
    ["removed", "projects:\n  shop: {}\nremoved: [service.shop.api]\n", []],
    ["replaced", shop("web"), ["service.shop.api"]],
  ])("as a deletion is no longer open once the service that is %s is gone", async (_, next, confirmed) => {
    open({ emulator: { conditions: ["queued-deletions"] } });
    await bench.apply();
    bench.write("rnv.yaml", next);
    const confirmedDeletes = confirmed as readonly `service.${string}`[];
    await bench.applyUntilDeath({ write: 1, when: "after" }, { parallelism: 4, confirmedDeletes });
    expect((await bench.state())?.open).toMatchObject([{ method: "DELETE" }]);
    expect((await bench.apply({ confirmedDeletes })).exitCode).toBe(0);
    expect(await bench.state()).toMatchObject({ open: [], run: null });
  });

  it("as a variable that was answered with an id of nothing deploys nothing again", async () => {
    open();
    bench.write(
      "rnv.yaml",
      shop(
        "worker",
        ', configuration: { repository: "https://git.example.com/shop/api" }, variables: { LEVEL: info }',
      ).replace("when: never", "when: changed"),
    );
    failOnce(({ method, path }) => method === "POST" && path.endsWith("/variables"), withOtherId());
    for (let run = 0; run < 4; run += 1) {
      expect((await bench.apply()).exitCode).toBe(0);
      bench.clock.advance(180_000);
    }
    const [api] = services();
    expect(bench.emulator.store.deployments(api?.id ?? "")).toHaveLength(1);
  });
});

describe("a service that someone archived, and that one answer says is not there", () => {
  it.each([
    ["is not created again", shop()],
    ["is not forgotten", "projects:\n  shop: {}\nremoved: [service.shop.api]\n"],
  ])("%s", async (_, next) => {
    const bench = createWorkbench();
    bench.write("rnv.yaml", shop());
    await bench.apply();
    bench.clock.advance(180_000);
    const { store } = bench.emulator;
    const [api] = store.services();
    store.editService(api?.id ?? "", () => ({ archived: true }));
    bench.write("rnv.yaml", next);
    let isTold = false;
    bench.emulator.setFaults((_index, { method, path }) => {
      if (isTold || method !== "GET" || !path.endsWith(`/services/${api?.id}`)) return undefined;
      isTold = true;
      return { kind: "status", status: 404, code: "not_found" };
    });
    const { diagnostics } = await bench.apply();
    expect(isTold).toBe(true);
    expect(diagnostics.map(({ code }) => code)).toContain("live.gone_unproven");
    expect(store.services().map(({ id }) => id)).toEqual([api?.id]);
    expect(await bench.state()).toMatchObject({
      resources: { "service.shop.api": { id: api?.id } },
    });
    bench.remove();
  });
});

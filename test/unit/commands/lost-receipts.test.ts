import type { Fault, SeenRequest } from "../../../src/emulator/faults";
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
});

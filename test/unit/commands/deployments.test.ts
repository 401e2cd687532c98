import type { Reads } from "../../../src/api/reads";
import { deployments } from "../../../src/commands/status";
import type { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { createWorkbench } from "../../support/workbench";

it("a listing that says there is more, and not where, is an error and never a short list", async () => {
  const bench = createWorkbench();
  try {
    bench.write("rnv.yaml", "services: { docs: { kind: static, deploy: { when: never } } }");
    expect(await bench.apply()).toMatchObject({ exitCode: 0 });
    // What was written long ago is not looked for first.
    bench.clock.advance(120_000);
    let asked = 0;
    const connect = async () => {
      const connection = await bench.context.connect();
      const live = {
        ...connection.reads.live,
        listDeployments: async () => {
          asked += 1;
          return { available: true, items: [], page: { hasMore: true, limit: 20, nextCursor: "again" } };
        },
      };
      const service: Reads["service"] = (id) => connection.reads.service(id);
      return { ...connection, reads: { service, live, remember: () => undefined } as unknown as Reads };
    };
    const listing = deployments({ ...bench.context, connect }, { address: "service.docs", limit: 20 });
    const failure: DiagnosticsError = await listing.then(
      () => undefined,
      (cause) => cause,
    );
    expect(failure.diagnostics).toMatchObject([{ code: "api.malformed" }]);
    expect(asked).toBe(2);
  } finally {
    bench.remove();
  }
});

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator } from "../../src/emulator/emulator";
import { serveEmulator } from "../../src/emulator/http-server";
import { settingsOf } from "../support/settings";
import type { ServiceOptions, ServiceReport, Writes } from "./service";
import { warmUp } from "./warm-up";

/**
 * The emulator in a process of its own, for measurements. Options come as JSON on argv. A message "report" is answered with
 * the requests since the last report. A number is the latency from then on.
 */
async function main(): Promise<void> {
  await warmUp(2000);
  let { latencyMs = 0, ...options } = JSON.parse(process.argv[2] ?? "{}") as ServiceOptions;
  const emulator = createEmulator(options);
  let writes: Writes[] = [];
  let reads: string[] = [];
  const server = await serveEmulator({
    exchange: async (request) => {
      const at = performance.now();
      if (latencyMs > 0) await sleep(latencyMs);
      const exchange = await emulator.exchange(request);
      if (request.method === "GET") reads.push(request.url);
      else {
        const status = exchange.kind === "answer" ? exchange.response.status : 0;
        const isCreate = request.method === "POST" && request.url.endsWith("/services");
        writes.push({ at, end: performance.now(), status, isCreate });
      }
      return exchange;
    },
  });
  process.on("disconnect", () => process.exit());
  process.on("message", (message) => {
    if (typeof message === "number") {
      latencyMs = message;
      return;
    }
    emulator.resetLog();
    const report: ServiceReport = { writes, reads };
    writes = [];
    reads = [];
    process.send?.({ kind: "report", report });
  });
  process.send?.({ kind: "ready", env: settingsOf(server.url) });
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});

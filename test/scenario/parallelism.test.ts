import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openScenario } from "../support/cli";

/** Returns how many requests of a plan wait for their answers at once. */
async function mostAtOnce(...options: readonly string[]): Promise<number> {
  let waiting = 0;
  let most = 0;
  const server = createServer((_, response) => {
    waiting += 1;
    most = Math.max(most, waiting);
    setTimeout(() => {
      waiting -= 1;
      response.writeHead(401, { "content-type": "application/json" }).end('{"code": "unauthorized"}');
    }, 100);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const scenario = await openScenario();
  scenario.write("rnv.yaml", "projects:\n  shop: {}\n");
  const env = { RNV_BASE_URL: `http://127.0.0.1:${port}/api/v1` };
  expect(await scenario.runWith({ env }, "plan", ...options)).toMatchObject({ code: 1 });
  await scenario.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return most;
}

describe("-parallelism", () => {
  it("is how many requests are sent at once, by reads as well", async () => {
    expect(await mostAtOnce("-parallelism=1")).toBe(1);
    expect(await mostAtOnce()).toBeGreaterThan(1);
  });
});

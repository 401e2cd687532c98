import { createClient } from "../../src/api/client";
import { createEndpoints } from "../../src/api/endpoints";
import { createHttpTransport } from "../../src/api/http-transport";
import { createEmulator, embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { serveEmulator } from "../../src/emulator/http-server";
import { Secret } from "../../src/model/secret";
import { systemClock } from "../../src/model/time";
import { desiredServices } from "./data";

/**
 * A service that people use has run for days; an emulator that has just started would take half as long again for its
 * first thousand answers. Makes services at another emulator of this process, which is then thrown away.
 */
export async function warmUp(creates: number): Promise<void> {
  const server = await serveEmulator(createEmulator({ latencyMs: 1 }));
  const client = createClient({
    baseUrl: server.url,
    apiKey: new Secret(embeddedApiKey),
    transport: createHttpTransport(),
    clock: systemClock,
    random: Math.random,
  });
  let keys = 0;
  const withKey: typeof client.send = (request) => {
    keys += 1;
    return client.send(request.keyed ? { ...request, idempotencyKey: `warm-up-${keys}` } : request);
  };
  const { createService, canvas } = createEndpoints(withKey, embeddedWorkspaceId);
  const services = desiredServices({ count: creates, width: "lean" });
  await Promise.all(
    services.map(({ name, kind, fields }) =>
      createService({ name, kind, configuration: fields, deploy: false }),
    ),
  );
  await canvas({});
  await client.close();
  await server.close();
}

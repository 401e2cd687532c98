import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeTerraform, TerraformFolder } from "../support/terraform";
import { type Front, secureHost, serveProxy, serveSecurely } from "../support/tunnel";

describeTerraform("a provider whose service is behind a proxy and a private authority", () => {
  const world = new TerraformFolder();
  const open: Front[] = [];
  beforeAll(() => world.open());
  afterAll(async () => {
    for (const one of [...open, world]) await one.close();
  });

  it("sends every request through the tunnel that its environment names", async () => {
    const secure = await serveSecurely(Number(new URL(world.baseUrl).port));
    const proxy = await serveProxy({ [`${secureHost}:443`]: secure.port }, "rnv:word");
    open.push(proxy, secure);
    writeFileSync(join(world.folder, "authority.pem"), secure.authority);
    world.environment = {
      RNV_BASE_URL: `https://${secureHost}/api/v1`,
      NODE_EXTRA_CA_CERTS: join(world.folder, "authority.pem"),
      HTTPS_PROXY: `http://rnv:word@127.0.0.1:${proxy.port}`,
    };
    world.write(`resource "rnv_project" "shop" { name = "Shop" }\n`);
    await world.apply();
    expect(world.emulator.store.projects()).toHaveLength(1);
    expect(proxy.asked.length).toBeGreaterThan(0);
  }, 60_000);
});

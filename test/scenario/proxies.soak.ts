import { join } from "node:path";
import { approve, oneScenario, printing } from "../support/cli";
import { closing } from "../support/closing";
import { type ConnectProxy, closedPort, secureHost, serveProxy, serveSecurely } from "../support/tunnel";

const shop = "projects: { shop: { services: { api: { kind: web, deploy: { when: never } } } } }\n";
const password = "p%40ss-for-the-proxy";

describe("a service behind TLS with a private authority, reached through a proxy that asks for a password", () => {
  const scenario = oneScenario();
  let secure: Awaited<ReturnType<typeof serveSecurely>>;
  let proxy: ConnectProxy;
  let environment: Record<string, string>;
  beforeAll(async () => {
    secure = closing(await serveSecurely(Number(new URL(scenario.url).port)));
    proxy = closing(await serveProxy({ [`${secureHost}:443`]: secure.port }, "rnv:p@ss-for-the-proxy"));
    scenario.write("authority.pem", secure.authority);
    scenario.write("rnv.yaml", shop);
    environment = {
      RNV_BASE_URL: `https://${secureHost}/api/v1`,
      NODE_EXTRA_CA_CERTS: join(scenario.folder, "authority.pem"),
      HTTPS_PROXY: `http://rnv:${password}@127.0.0.1:${proxy.port}`,
    };
  });
  beforeEach(() => {
    proxy.refusal = undefined;
    proxy.asked.length = 0;
  });

  const run = (env: Record<string, string>, ...args: readonly string[]) =>
    scenario.runWith({ env: { ...environment, ...env } }, ...args);

  it("is applied to, and every request goes through a tunnel", async () => {
    const applied = await run({}, "apply", ...approve);
    expect(applied).toMatchObject(printing(0, "Apply complete!"));
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set([`${secureHost}:443`]));
    const again = await run({ HTTPS_PROXY: "", https_proxy: environment.HTTPS_PROXY ?? "" }, "plan");
    expect(again).toMatchObject(printing(0, "No changes."));
  });

  it("is not trusted without its authority, and nothing is sent", async () => {
    const { code, stderr } = await run({ NODE_EXTRA_CA_CERTS: "" }, "plan");
    expect(code).toBe(1);
    expect(stderr).toContain(`cannot connect to ${secureHost}: its certificate is not trusted`);
  });

  it("is not reached without the password: said at once, with the proxy's name and without the password", async () => {
    const wrong = `http://rnv:another-secret@127.0.0.1:${proxy.port}`;
    const { code, stdout, stderr } = await run({ HTTPS_PROXY: wrong }, "plan");
    expect(code).toBe(1);
    expect(stderr).toContain(
      `cannot connect to ${secureHost}: the proxy 127.0.0.1:${proxy.port} refused (HTTP 407)`,
    );
    expect(stderr).toContain("hint: check HTTPS_PROXY");
    expect(stdout + stderr).not.toContain("another-secret");
    // Catalog, projects and services, each asked for once.
    expect(proxy.asked.length).toBeLessThanOrEqual(3);
  });

  it("is not reached through a proxy that is down, which the message names", async () => {
    const port = await closedPort();
    const { code, stderr } = await run({ HTTPS_PROXY: `127.0.0.1:${port}` }, "plan");
    expect(code).toBe(1);
    expect(stderr).toContain(
      `cannot connect to ${secureHost} through the proxy 127.0.0.1:${port}: connection refused`,
    );
  });

  it("is reached without the proxy where NO_PROXY names it, and this machine always", async () => {
    const port = await closedPort();
    const direct = await run({ NO_PROXY: `.example, ${secureHost}`, RNV_STATE_TIMEOUT: "5" }, "plan");
    expect(direct.stderr).toContain(`cannot connect to ${secureHost}: host not found`);
    const down = `http://127.0.0.1:${port}`;
    const own = await run({ RNV_BASE_URL: scenario.url, HTTP_PROXY: down, HTTPS_PROXY: down }, "export");
    expect(own.code).toBe(0);
    expect(proxy.asked).toEqual([]);
  });
});

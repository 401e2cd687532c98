import { spawn } from "node:child_process";
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type EmulatorServer, serveEmulator } from "../../src/emulator/testing";
import { finished } from "../support/finished";
import { serveHttpState } from "../support/http-state-server";
import { installPackage } from "../support/install-package";
import { s3Environment, serveS3 } from "../support/s3-server";
import { settingsOf } from "../support/settings";
import { newFolder } from "../support/temp-folder";
import { secureHost, serveProxy, serveSecurely } from "../support/tunnel";

const manifest = `projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api" }
        variables: { TOKEN: { fromEnv: TOKEN } }
`;

jest.setTimeout(120_000);

describe("the packed package, installed into an empty folder without development dependencies", () => {
  let folder = "";
  let isInstalled = false;
  let server: EmulatorServer;
  const open: { readonly close: () => Promise<unknown> }[] = [];
  beforeAll(async () => {
    folder = newFolder("installed");
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    isInstalled = installPackage(folder);
    if (!isInstalled) console.warn("npm does not reach its registry: the package is not installed");
    copyFileSync(join(__dirname, "library.cjs"), join(folder, "library.cjs"));
    writeFileSync(join(folder, "rnv.yaml"), manifest);
  }, 300_000);
  beforeEach(async () => {
    server = await serveEmulator(createEmulator({ deploySeconds: 0.02, operationSeconds: 0.02 }));
    open.push(server);
  });
  afterEach(async () => {
    rmSync(join(folder, ".rnv"), { recursive: true, force: true });
    for (const one of open.splice(0)) await one.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a program in the folder with the settings of the service. */
  const run = (env: Readonly<Record<string, string>>, program: string, ...args: readonly string[]) => {
    const settings = {
      ...{ PATH: process.env.PATH, HOME: folder, TOKEN: "secret" },
      ...settingsOf(server.url),
    };
    return finished(spawn(program, args, { cwd: folder, env: { ...settings, ...env } }));
  };

  const useLibrary = (state: string, env: Readonly<Record<string, string>> = {}) =>
    run(env, process.execPath, "library.cjs", state);

  /** The outcome of `library.cjs` where all went well. */
  const done = {
    ...{ code: 0, stderr: "" },
    stdout: `${JSON.stringify({ planned: 4, applied: 4, left: 0, drift: false, destroyed: 4, diagnostics: [] })}\n`,
  };

  it("has no development dependency", () => {
    expect(existsSync(join(folder, "node_modules/terraform-provider-rnv/dist/index.js"))).toBe(true);
    // Links stand in for what is installed, with the development dependencies among them.
    if (isInstalled)
      for (const name of ["jest", "commander"])
        expect(existsSync(join(folder, "node_modules", name))).toBe(false);
  });

  it("plans and applies over HTTP as a library", async () => {
    expect(await useLibrary(".rnv/state.json")).toMatchObject(done);
    expect(existsSync(join(folder, ".rnv/state.json"))).toBe(true);
  });

  it("sends through a proxy, by TLS", async () => {
    const secure = await serveSecurely(Number(new URL(server.url).port));
    const proxy = await serveProxy({ [`${secureHost}:443`]: secure.port }, "rnv:password");
    open.unshift(proxy, secure);
    writeFileSync(join(folder, "authority.pem"), secure.authority);
    const environment = {
      RNV_BASE_URL: `https://${secureHost}/api/v1`,
      NODE_EXTRA_CA_CERTS: join(folder, "authority.pem"),
      HTTPS_PROXY: `http://rnv:password@127.0.0.1:${proxy.port}`,
    };
    expect(await useLibrary(".rnv/state.json", environment)).toMatchObject(done);
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set([`${secureHost}:443`]));
  });

  it("keeps its state at an HTTP server", async () => {
    const state = await serveHttpState();
    open.push(state);
    expect(await useLibrary(`${state.url}/state/shop`)).toMatchObject(done);
    expect([...state.stored.keys()]).toHaveLength(1);
  });

  it("keeps its state in a bucket of S3", async () => {
    const bucket = await serveS3();
    open.push(bucket);
    const address = `s3://bucket/shop.json?endpoint=${bucket.url}`;
    expect(await useLibrary(address, s3Environment)).toMatchObject(done);
    expect([...bucket.stored.keys()].join()).toContain("shop.json");
  });

  it("runs `npx rnv` against a service and with the embedded one", async () => {
    const rnv = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      run(env, "npx", "--no-install", "rnv", ...args);
    expect(await rnv({}, "version")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rnv /) });
    for (const url of [server.url, "embedded"]) {
      const applied = await rnv({ RNV_BASE_URL: url }, "apply", "--auto-approve");
      expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("Apply complete!") });
      const planned = await rnv({ RNV_BASE_URL: url }, "plan", "--detailed-exitcode");
      expect(planned).toMatchObject({ code: 0, stderr: "" });
      rmSync(join(folder, ".rnv"), { recursive: true, force: true });
    }
  });
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { approve, oneScenario, openScenario } from "../support/cli";
import { textIn } from "../support/rows";
import { secureCertificate, secureHost } from "../support/tunnel";
import { clientOf, describeWith, type Served, serveConfigured, serveMoto } from "./programs";

jest.setTimeout(180_000);

const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret", AWS_REGION: "us-east-1" };
const davModule = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so";

/** Settings of nginx: TLS before a store, and WebDAV over plain HTTP. */
const nginx = (before: string, server: string, more = ""): string =>
  textIn(join(__dirname, "nginx.txt"), { before, more, server });

describe("a store behind a proxy", () => {
  describeWith(["moto", "nginx", "squid"], () => {
    let store: Served;
    let secure: Served;
    let squid: Served;
    const scenario = oneScenario({ fresh: true });
    beforeAll(async () => {
      store = await serveMoto();
      await clientOf(store, keys).send(new CreateBucketCommand({ Bucket: "states" }));
      const { certificate, key } = secureCertificate();
      const tls = "ssl_certificate cert.pem; ssl_certificate_key key.pem;";
      const pass = `location / { proxy_pass ${store.url}; }`;
      secure = await serveConfigured(
        "nginx",
        (port) => nginx("", `listen 127.0.0.1:${port} ssl; ${tls} ${pass}`),
        { "cert.pem": certificate, "key.pem": key },
      );
      squid = await serveConfigured(
        "squid",
        (port, folder) => textIn(join(__dirname, "squid.txt"), { port, folder }),
        {
          hosts: `127.0.0.1 ${secureHost}\n`,
          check: '#!/bin/sh\nwhile read -r line; do [ "$line" = "rnv pass" ] && echo OK || echo ERR; done\n',
        },
      );
      scenario.write("authority.pem", certificate);
      scenario.write("rnv.yaml", "projects: { shop: { name: Shop } }\n");
    });
    afterAll(async () => {
      for (const one of [scenario, squid, secure, store]) await one?.close();
    });

    const run = (env: Record<string, string>, ...args: string[]) => {
      const state = `s3://states/shop.json?endpoint=https://${secureHost}:${secure.port}`;
      const ca = join(scenario.folder, "authority.pem");
      const proxy = `http://rnv:pass@127.0.0.1:${squid.port}`;
      const given = { ...keys, RNV_STATE: state, NODE_EXTRA_CA_CERTS: ca, HTTPS_PROXY: proxy };
      return scenario.runWith({ env: { ...given, ...env } }, ...args);
    };

    it("is reached through CONNECT with a password, TLS of a private authority and short connections", async () => {
      expect(await run({}, "apply", ...approve)).toMatchObject({ code: 0, stderr: "" });
      expect(await run({}, "state", "list")).toMatchObject({ code: 0, stdout: "project.shop\n" });
      expect(readFileSync(join(squid.folder, "access.log"), "utf8")).toContain(`CONNECT ${secureHost}`);
    });

    it("is not reached with a wrong password, without the authority, or where NO_PROXY names it", async () => {
      const wrong = await run({ HTTPS_PROXY: `http://rnv:no@127.0.0.1:${squid.port}` }, "state", "list");
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("refused (HTTP 407)") });
      const untrusted = await run({ NODE_EXTRA_CA_CERTS: "" }, "state", "list");
      expect(untrusted).toMatchObject({ code: 1, stderr: expect.stringContaining("is not trusted") });
      const direct = await run({ NO_PROXY: secureHost }, "state", "list");
      expect(direct).toMatchObject({ code: 1, stderr: expect.stringContaining("host not found") });
    });

    it("is down: the page of the proxy is no answer, and the status is named", async () => {
      await store.close();
      const failed = await run({}, "state", "list");
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("the server answered 502") });
    });
  });
});

describe("WebDAV", () => {
  describeWith(["nginx"], () => {
    (existsSync(davModule) ? it : it.skip)("is named, and its lock is given back", async () => {
      const dav = "dav_methods PUT DELETE; dav_ext_methods LOCK UNLOCK; dav_ext_lock zone=locks;";
      const server = await serveConfigured("nginx", (port) =>
        nginx(
          `load_module ${davModule};`,
          `listen 127.0.0.1:${port}; root .; ${dav}`,
          "dav_ext_lock_zone zone=locks:1m;",
        ),
      );
      const scenario = await openScenario();
      scenario.write("rnv.yaml", "projects: { shop: { name: Shop } }\n");
      const env = { RNV_STATE: `${server.url}/shop.json` };
      const [first, second] = [
        await scenario.runWith({ env }, "apply", ...approve),
        await scenario.runWith({ env }, "apply", ...approve),
      ];
      expect(first).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`delete ${server.url}/shop.json`),
      });
      expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("is a WebDAV server") });
      expect(
        readFileSync(join(server.folder, "access.log"), "utf8").match(/UNLOCK \S+ \S+ 204/g),
      ).toHaveLength(2);
      await server.close();
    });
  });
});

// Tests a manifest without an account: `rnv` runs against a service within this process. `node --test`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import {
  createEmulator,
  embeddedApiKey,
  embeddedWorkspaceId,
  serveEmulator,
} from "terraform-provider-rnv/testing";

const emulator = createEmulator({ deploySeconds: 0.05 });
let server;
before(async () => {
  server = await serveEmulator(emulator);
});
after(() => server.close());

/** Runs `rnv` against the service; resolves with its exit code. */
const rnv = (...args) =>
  new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      RNV_BASE_URL: server.url,
      RNV_WORKSPACE_ID: embeddedWorkspaceId,
      RNV_API_KEY: embeddedApiKey,
    };
    const child = spawn("node_modules/.bin/rnv", args, { env, stdio: "ignore" });
    child.once("error", reject);
    child.once("close", resolve);
  });

test("the shop is made once, also when the service fails in between", async () => {
  // The third write is carried out, and its answer is lost.
  let writes = 0;
  emulator.setFaults((_index, { method }) => {
    writes += method === "GET" ? 0 : 1;
    return method !== "GET" && writes === 3 ? { kind: "reset-after" } : undefined;
  });
  assert.equal(await rnv("apply", "-auto-approve", "-input=false"), 0);
  const names = emulator.store.services().map(({ name }) => name);
  assert.deepEqual(names.sort(), ["api", "worker"]);
  assert.ok(emulator.log.some(({ fault }) => fault === "reset-after"));
});

test("what it made plans to nothing", async () => {
  assert.equal(await rnv("plan", "-detailed-exitcode"), 0);
});

test("a change in the dashboard is drift", async () => {
  const [service] = emulator.store.services();
  emulator.store.editConfiguration(service.id, { healthCheckPath: "/elsewhere" });
  assert.equal(await rnv("drift"), 2);
});

import { hostname } from "node:os";
import { join } from "node:path";
import { embeddedWorkspaceId } from "../../src/emulator/emulator";
import { systemClock } from "../../src/model/time";
import { createLocalBackend } from "../../src/state/stores/local-backend";
import { approve, eachScenario } from "../support/cli";
import { closing } from "../support/closing";
import { serveHttpState } from "../support/http-state-server";

describe("a run that waits for the lock", () => {
  const at = eachScenario();
  let release: () => Promise<unknown>;
  beforeEach(async () => {
    at.write("rnv.yaml", "projects: { shop: {} }\n");
    const backend = createLocalBackend({
      path: join(at.folder, ".rnv/state.json"),
      ...{ host: hostname(), pid: process.pid, isAlive: () => true, clock: systemClock },
      ...{ workspaceId: embeddedWorkspaceId, baseUrl: at.url },
    });
    const since = new Date(Date.now() - 75_000).toISOString();
    const holder = { id: "0123456789abcdef", host: hostname(), pid: process.pid, command: "deploy", since };
    const session = await backend.lock(holder, 0);
    release = () => session.release();
  });
  const who = () => `deploy (pid ${process.pid} on ${hostname()})`;

  it("says at once who holds it and how long it is waited for, and goes on when it is free", async () => {
    const run = at.start({}, "apply", ...approve, "-lock-timeout=1m");
    await run.shows("waiting at most 1m more");
    await release();
    const { code, stderr } = await run.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^The state is locked by .* for 1m1\ds; waiting at most 1m more\n$/);
    expect(stderr).toContain(who());
    await at.isQuiet();
  });

  it("says nothing and ends at once where no wait is asked for", async () => {
    const { code, stderr } = await at.run("apply", ...approve);
    expect(code).toBe(6);
    expect(stderr).toContain(`error[state.lock_held]: the state is locked by ${who()}`);
    expect(stderr).not.toContain("waiting for it");
    await release();
  });

  it("warns of its own lock that the server of the state does not free", async () => {
    const server = closing(await serveHttpState());
    server.fault = ({ method }) => (method === "UNLOCK" ? { kind: "status", status: 500 } : undefined);
    const { code, stderr } = await at.run("apply", ...approve, "-state", `${server.url}/state/s`);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning\[state\.lock_held\]: http.* is still locked by this run\n/m);
    const { ID } = JSON.parse(server.locks.get("/state/s") ?? "");
    expect(stderr).toContain(`rnv force-unlock ${ID}`);
  });

  it("ends with Ctrl-C, and has sent nothing", async () => {
    const run = at.start({}, "apply", ...approve, "-lock-timeout=10m");
    await run.shows("waiting at most 10m more");
    run.process.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect(at.requests()).toEqual([]);
    await release();
  });
});

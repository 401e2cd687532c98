import { join } from "node:path";
import { serveHttpState } from "../../support/http-state-server";
import { s3Environment, serveS3 } from "../../support/s3-server";
import { secureHost, serveProxy, serveSecurely } from "../../support/tunnel";
import type { Story, World } from "../world";
import { approve, shop, twoServices, web } from "./shop";

const edited = twoServices.replace("/healthz", "/ready");

/** Applies twice and plans with a state that is elsewhere; `steps` reads it. */
async function applyThere(world: World, env: Record<string, string>, stored: () => string): Promise<void> {
  const rnv = (...args: readonly string[]) => world.rnvWith({ env }, ...args);
  world.write("rnv.yaml", twoServices);
  await rnv("apply", ...approve);
  world.write("stored.json", stored());
  await rnv("plan", "-detailed-exitcode");
  world.write("rnv.yaml", edited);
  const running = world.start({ env }, "apply", ...approve);
  world.atWrite(1, "after", async () => {
    running.process.kill("SIGKILL");
    await running.ended;
  });
  await world.finish(running);
  world.fail();
  await rnv("apply", ...approve);
  const lock = /"ID\\*": ?\\*"([^"\\]+)/.exec(stored())?.[1];
  if (lock !== undefined) await rnv("force-unlock", "-force", lock);
  await rnv("apply", ...approve);
  await rnv("state", "list");
  await rnv("history", "-json");
}

/** Where a state is, and what can be done with it. */
export const states: readonly Story[] = [
  {
    name: "saved plans",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("plan", "-out", "one.rnvplan");
      await world.rnv("show", "-json", "one.rnvplan");
      await world.rnv("apply", "-input=false", "-parallelism=1", "one.rnvplan");
      await world.rnv("apply", "-input=false", "one.rnvplan");
      world.write("rnv.yaml", edited);
      await world.rnv("plan", "-out", "two.rnvplan");
      world.store.editConfiguration(world.service("api").id, { healthCheckPath: "/else" });
      await world.rnv("apply", "-input=false", "two.rnvplan");
      await world.rnv("plan", "-out", "three.rnvplan");
      world.write("three.rnvplan", world.read("three.rnvplan").replace("/ready", "/reads"));
      await world.rnv("apply", "-input=false", "three.rnvplan");
      world.write("rnv.yaml", shop({ api: web() }));
      await world.rnv("plan", "-out", "four.rnvplan", "--confirm-delete", "service.shop.worker");
      await world.rnv("apply", "-input=false", "-parallelism=1", "four.rnvplan");
    },
  },
  {
    name: "the digest of a plan",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      const planned = await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve, "--expect-digest", "0".repeat(64));
      const { digest } = planned.output as { digest: string };
      await world.rnv("apply", ...approve, "--expect-digest", digest);
    },
  },
  {
    name: "a state over HTTP",
    play: async (world) => {
      const server = world.keep(await serveHttpState());
      world.names.place(server.url, "<state server>");
      await applyThere(world, { RNV_STATE: `${server.url}/state/shop` }, () =>
        JSON.stringify([[...server.stored], [...server.locks]]),
      );
    },
  },
  {
    name: "a state in S3",
    play: async (world) => {
      const server = world.keep(await serveS3());
      world.names.place(server.url, "<s3>");
      const env = { ...s3Environment, AWS_ENDPOINT_URL_S3: server.url, RNV_STATE: "s3://bucket/shop.json" };
      await applyThere(world, env, () => JSON.stringify([...server.stored]));
    },
  },
  {
    name: "an encrypted state",
    play: async (world) => {
      const env = { RNV_STATE_ENCRYPTION: "1", RNV_STATE_KEY: "ab".repeat(32) };
      world.write("rnv.yaml", twoServices);
      await world.rnvWith({ env }, "apply", ...approve);
      world.remove(".rnv/state.json.backup.1");
      await world.rnvWith({ env }, "plan", "-detailed-exitcode");
      await world.rnvWith({ env: { ...env, RNV_STATE_KEY: "cd".repeat(32) } }, "plan", "-json");
      await world.rnv("plan", "-json");
      await world.rnvWith({ env }, "state", "pull");
    },
  },
  {
    name: "the state key is lost",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("apply", ...approve);
      world.remove(".rnv/state.key");
      await world.rnv("plan", "-json");
      await world.rnvWith({ env: { RNV_STATE_KEY: "ab".repeat(32) } }, "plan", "-json");
      await world.rnv("drift", "-json");
    },
  },
  {
    name: "a state that is lost",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("apply", ...approve);
      world.remove(".rnv/state.json");
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve, "--adopt", "--verify-values");
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "verbs of the state",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("apply", ...approve);
      await world.rnvText("state", "list");
      await world.rnv("state", "show", "service.shop.api", "-json");
      await world.rnv("state", "mv", "service.shop.api", "service.shop.backend");
      await world.rnv("plan", "-json");
      await world.rnv("state", "mv", "service.shop.backend", "service.shop.api");
      await world.rnv("state", "rm", "service.shop.worker");
      await world.rnv("plan", "-json");
      await world.rnv("import", "service.shop.worker", world.service("worker").id);
      await world.rnv("plan", "-detailed-exitcode");
      await world.rnv("state", "pull");
      await world.rnv("show", "-json");
    },
  },
  {
    name: "in a CI job without a place for the state",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnvWith({ env: { CI: "true" } }, "apply", ...approve);
      await world.rnvWith({ env: { CI: "true", RNV_STATE: "state.json" } }, "apply", ...approve);
    },
  },
  {
    name: "through a proxy",
    play: async (world) => {
      const secure = world.keep(await serveSecurely(Number(new URL(world.url).port)));
      const proxy = world.keep(await serveProxy({ [`${secureHost}:443`]: secure.port }, "rnv:password"));
      world.names.place(`127.0.0.1:${proxy.port}`, "<proxy>");
      world.write("home/authority.pem", secure.authority);
      world.write("rnv.yaml", twoServices);
      const env = {
        RNV_BASE_URL: `https://${secureHost}/api/v1`,
        NODE_EXTRA_CA_CERTS: join(world.folder, "home/authority.pem"),
        HTTPS_PROXY: `http://rnv:password@127.0.0.1:${proxy.port}`,
      };
      await world.rnvWith({ env }, "apply", ...approve);
      await world.rnvWith({ env }, "plan", "-detailed-exitcode");
      await world.rnvWith({ env: { ...env, NODE_EXTRA_CA_CERTS: "" } }, "plan", "-json");
    },
  },
];

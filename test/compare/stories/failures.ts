import type { Fault } from "../../../src/emulator/testing";
import type { Story, World } from "../world";
import { approve, shop, twoServices, web } from "./shop";

/** Applies, is killed with a write, and applies again until nothing is left to do. */
const killed = (nth: number, when: "before" | "after", prepare?: (world: World) => Promise<void>): Story => ({
  name: `killed ${when} write ${nth}${prepare === undefined ? "" : " of an update"}`,
  play: async (world) => {
    world.write("rnv.yaml", twoServices);
    await prepare?.(world);
    await world.rnvKilled(nth, when, "apply", ...approve, "--confirm-delete", "service.shop.worker");
    await world.rnv("plan", "-json");
    await world.rnv("apply", ...approve, "--confirm-delete", "service.shop.worker");
    await world.rnv("plan", "-detailed-exitcode");
  },
});

/** A change of every kind, after a first apply. */
const update = async (world: World): Promise<void> => {
  await world.rnv("apply", ...approve);
  world.write(
    "rnv.yaml",
    shop({ api: web("healthCheckPath: /ready", "variables: { LOG_LEVEL: debug, NEW: value }") }),
  );
};

const oneService = shop({ api: web("", "variables: { LOG_LEVEL: info }") });

/** A create, an update and the rest of an apply meet these answers of the service. */
const answers = [
  ["429", { kind: "status", status: 429, retryAfter: 1 }],
  ["503 after the commit", { kind: "status", status: 503, when: "after" }],
  ["a reset after the commit", { kind: "reset-after" }],
  ["a reset before the commit", { kind: "reset-before" }],
  ["an answer that is cut", { kind: "truncate" }],
  ["400", { kind: "status", status: 400, message: "no" }],
] as const;

/** What goes wrong while rnv runs. */
export const failures: readonly Story[] = [
  killed(1, "after"),
  killed(2, "before"),
  killed(2, "after"),
  killed(4, "after"),
  killed(6, "after"),
  killed(1, "after", update),
  killed(3, "before", update),
  killed(5, "after", update),
  {
    name: "Ctrl-C",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      const running = world.start({}, "apply", ...approve);
      world.atWrite(3, "before", async () => {
        running.process.kill("SIGINT");
        // Long enough for the signal to arrive before the answer.
        await new Promise((resolve) => setTimeout(resolve, 300));
      });
      await world.finish(running);
      world.fail();
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "two writers at once",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      const first = world.start({}, "apply", ...approve);
      await new Promise<void>((resolve, reject) =>
        world.atWrite(2, "before", async () => {
          await world.rnv("apply", ...approve).then(() => resolve(), reject);
        }),
      );
      await world.finish(first);
      world.fail();
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "a lock whose holder is gone",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnvKilled(3, "before", "apply", ...approve);
      await world.rnv("force-unlock", "-force", "no-such-lock");
      await world.rnv("apply", ...approve);
    },
  },
  ...answers.map(
    ([name, fault]): Story => ({
      name: `the service answers a create with ${name}`,
      play: async (world) => {
        world.write("rnv.yaml", oneService);
        let creates = 0;
        world.fail(({ method, path }) => {
          if (method !== "POST" || !path.endsWith("/services")) return undefined;
          creates += 1;
          return creates === 1 ? fault : undefined;
        });
        await world.rnv("apply", ...approve);
        world.fail();
        await world.rnv("apply", ...approve);
        await world.rnv("plan", "-detailed-exitcode");
      },
    }),
  ),
  {
    name: "the service answers a deployment with a reset after the commit",
    play: async (world) => {
      world.write("rnv.yaml", oneService);
      let deployments = 0;
      world.fail(({ method, path }) => {
        if (method !== "POST" || !path.endsWith("/deploys")) return undefined;
        deployments += 1;
        return deployments === 1 ? { kind: "reset-after" } : undefined;
      });
      await world.rnv("apply", ...approve);
      world.fail();
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "refused: a read key, a wrong key, a workspace of another",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnvWith({ env: { RNV_API_KEY: "rnv_wrong" } }, "plan", "-json");
      const other = "00000000-0000-4000-8000-00000000abcd";
      await world.rnvWith({ env: { RNV_WORKSPACE_ID: other } }, "plan", "-json");
      await world.rnvWith({ env: { RNV_BASE_URL: "http://example.com/api/v1" } }, "plan");
      world.fail(({ method }) => (method === "GET" ? undefined : { kind: "status", status: 403 }));
      await world.rnv("apply", ...approve);
    },
  },
  {
    name: "lists that fail, are empty or hold too little",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("apply", ...approve);
      for (const fault of [{ kind: "status", status: 500 }, { kind: "malformed" }, { kind: "empty-lists" }]) {
        // The emulator of the fixed commit knows faults that this one does not have any more.
        world.fail(({ path }) =>
          path.endsWith("/projects") || path.endsWith("/canvas") ? (fault as Fault) : undefined,
        );
        await world.rnvWith({}, "plan", "-json", "--timeout", "2s");
      }
    },
  },
  {
    name: "reads that are behind the writes",
    emulator: { lag: { canvas: { reads: 2 }, projects: { reads: 1 } } as never },
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
      world.write("rnv.yaml", twoServices.replace("/healthz", "/ready"));
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
];

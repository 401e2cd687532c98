import { join } from "node:path";
import { approve, failing, printing } from "../support/cli";
import { serveHttpState } from "../support/http-state-server";
import { casesIn, rowsIn } from "../support/rows";
import { s3Environment, serveS3 } from "../support/s3-server";
import { isSoak, shareOf } from "../support/soak";
import { type StoredWorld, StoredWorlds } from "../support/stored-world";

const worlds = new StoredWorlds();

type Environment = Readonly<Record<string, string>>;

const database: Environment = { SHOP_DATABASE_URL: "postgres://shop:stored-secret@db.example.com/shop" };
const passphrase: Environment = {
  RNV_STATE_KEY: "correct horse battery staple",
  RNV_STATE_ENCRYPTION: "1",
  TOKEN: "stored-token",
};
const stateKey: Environment = { RNV_STATE_KEY: "ab".repeat(32) };

/** Runs `body` with a stored folder; tests of this file run beside each other. */
const itWith = (title: string, situation: string, body: (world: StoredWorld) => Promise<void>): void =>
  it.concurrent(title, async () => {
    const world = await worlds.open(situation);
    try {
      await body(world);
    } finally {
      await world.close();
    }
  });

/** Runs in a soak alone. */
const itInSoak: typeof itWith = isSoak ? itWith : () => {};

const nothing = { code: 0, stdout: expect.stringContaining("No changes."), stderr: "" };

/** Plans and demands that nothing is left to do. */
async function expectQuiet(world: StoredWorld, env: Environment, ...args: string[]): Promise<void> {
  expect(await world.runWith(env, "plan", "-detailed-exitcode", ...args)).toEqual(nothing);
}

/** Plans and applies, and demands that neither finds anything to do nor writes. */
async function expectNothingToDo(world: StoredWorld, env: Environment, ...args: string[]): Promise<void> {
  await expectQuiet(world, env, ...args);
  expect(await world.runWith(env, "apply", ...approve, ...args)).toEqual(nothing);
  expect(world.writes()).toEqual([]);
}

const addresses = (text: string): string[] => text.trim().split("\n");

describe("a state of version 0.1", () => {
  const ofShop = rowsIn(join(__dirname, "stored-addresses.tsv")).flat();

  itWith("lists and shows its resources, and plans to nothing", "state", async (world) => {
    expect(addresses((await world.run("state", "list")).stdout)).toEqual(ofShop);
    const api = await world.run("state", "show", "service.shop.api");
    expect(api).toMatchObject({ code: 0, stdout: expect.stringMatching(/configuration\.branch +"main"/) });
    const shown = await world.run("show");
    expect(shown).toMatchObject(printing(0, "service.shop.seasonal"));
    expect((await world.run("output", "-raw", "apiUrl")).stdout).toMatch(/^https:\/\/api-/);
    expect(await world.runWith(database, "drift")).toMatchObject({ code: 0 });
    await expectNothingToDo(world, database);
  });

  itWith("protects what it recorded as protected, and keeps what it retained", "state", async (world) => {
    world.scenario.write("rnv.yaml", "services: {}\n");
    const refused = await world.run("apply", ...approve, "-allow-empty");
    expect(refused).toMatchObject(printing(4, "service.shop.api"));
    expect(refused.stdout + refused.stderr).toContain("prevent");
    expect(refused.stdout).not.toMatch(/service\.shop\.seasonal will be/);
    expect(world.writes()).toEqual([]);
  });

  itInSoak(
    "belongs to its stage and instance where it has stages, and plans to nothing",
    "stages",
    async (world) => {
      const listed = await world.run("stage", "list");
      expect(listed.stdout).toMatch(/^production +4 .* protected$/m);
      expect(listed.stdout).toMatch(/^preview\/12 +4 .* disposable, expired$/m);
      for (const stage of ["production", "preview/12"]) {
        expect(addresses((await world.run("state", "list", "--stage", stage)).stdout)).toEqual([
          "project.shop",
          "service.shop.api",
          "variable.shop.api.STAGE",
          "deployment.shop.api",
        ]);
        await expectNothingToDo(world, {}, "--stage", stage);
      }
      expect((await world.run("output", "-raw", "stage", "--stage", "preview/12")).stdout).toBe("preview");
    },
  );

  itInSoak(
    "is read with the values of the other stack where it has stacks, and plans to nothing",
    "stacks",
    async (world) => {
      expect(addresses((await world.run("state", "list", "--stack", "base")).stdout)).toEqual([
        "project.shop",
      ]);
      expect(addresses((await world.run("state", "list", "--stack", "apps")).stdout)).toEqual([
        "service.api",
        "variable.api.A",
        "variable.api.B",
        "variable.api.PROJECT",
        "deployment.api",
      ]);
      await expectNothingToDo(world, {}, "-f", "synthesized");
    },
  );

  itWith(
    "is decrypted with its passphrase, stays encrypted and plans to nothing",
    "encrypted",
    async (world) => {
      const listed = await world.runWith(passphrase, "state", "list");
      expect(addresses(listed.stdout)).toEqual(["service.docs", "variable.docs.TOKEN", "deployment.docs"]);
      expect(await world.runWith({}, "state", "list")).not.toMatchObject({ code: 0 });
      await expectNothingToDo(world, passphrase);
      expect(world.scenario.read(".rnv/state.json")).toContain('"rnv-state-encrypted"');
    },
  );
});

describe("a saved plan of version 0.1", () => {
  for (const file of ["change.plan", "delete.plan"])
    itWith(`${file} is refused: plan again`, "state", async (world) => {
      const stderr = expect.stringMatching(/is of another version of rnv[\s\S]*make it again: rnv plan -out/);
      expect(await world.runWith(database, "show", file)).toMatchObject({ code: 5, stderr });
      expect(await world.runWith(database, "apply", file, "-input=false")).toMatchObject({ code: 5, stderr });
      expect(world.writes()).toEqual([]);
    });
});

/** An interrupted run: what the next plan says, and each write of the next apply. */
interface Interrupted {
  readonly title: string;
  readonly folder: string;
  readonly plan: string;
  readonly writes: readonly string[];
  /** Deployments of the service that the run was about, in the end. */
  readonly deployments: readonly [service: string, count: number];
  readonly isEncrypted?: true;
  /** Services that are there in the end. */
  readonly services?: readonly string[];
}

describe("a journal of version 0.1 with an open intent", () => {
  const interrupted = casesIn<Interrupted>(join(__dirname, "stored-journals.yaml"));
  for (const one of shareOf(interrupted, 7))
    itWith(one.title, `journals/${one.folder}`, async (world) => {
      const { plan, writes, services = ["api"] } = one;
      const env = one.isEncrypted ? passphrase : {};
      const { store } = world.scenario.emulator;
      expect(await world.runWith(env, "state", "list")).toMatchObject({ code: 0 });
      const planned = await world.runWith(env, "plan");
      expect(planned).toMatchObject(printing(0, plan));
      expect(world.writes()).toEqual([]);
      expect(await world.runFast(env, "apply", ...approve)).toMatchObject({ code: 0 });
      expect(world.writes()).toEqual(writes);
      expect(store.services().map(({ name }) => name)).toEqual(services);
      const [name, count] = one.deployments;
      const service = store.services().find((candidate) => candidate.name === name);
      expect(store.deployments(service?.id ?? "").map(({ status }) => status)).toHaveLength(count);
      await expectQuiet(world, env);
    });
});

/** Demands that the lock stops a run and that its id removes it; then applies what the run before left. */
async function expectHeld(
  world: StoredWorld,
  env: Environment,
  lock: { readonly id: string; readonly pid: number },
  writes: readonly string[],
): Promise<void> {
  expect(await world.runWith(env, "plan")).toMatchObject({ code: 0 });
  const refused = await world.runWith(env, "apply", ...approve);
  expect(refused).toMatchObject(failing(6, "error[state.lock_held]"));
  expect(refused.stderr).toContain(`locked by apply (pid ${lock.pid} on ci-runner-1)`);
  expect(refused.stderr).toContain(`rnv force-unlock ${lock.id}`);
  expect(await world.runWith(env, "force-unlock", "0".repeat(16))).not.toMatchObject({ code: 0 });
  expect(world.writes()).toEqual([]);
  const removed = await world.runWith(env, "force-unlock", lock.id);
  expect(removed).toMatchObject(printing(0, "ci-runner-1"));
  expect(await world.runFast(env, "apply", ...approve)).toMatchObject({ code: 0 });
  expect(world.writes()).toEqual(writes);
  await expectQuiet(world, env);
}

describe("a lock of version 0.1", () => {
  const afterCreate = ["POST /services/worker/variables", "POST /services/worker/deploys"];

  itWith("stops another machine until force-unlock, in a file", "locks/file", async (world) => {
    const lock = JSON.parse(world.scenario.read(".rnv/state.json.lock"));
    await expectHeld(world, {}, lock, ["POST /services", ...afterCreate]);
  });

  itInSoak(
    "stops another machine until force-unlock, on an HTTP server, beside a state with a run record",
    "locks/http",
    async (world) => {
      const server = await serveHttpState();
      try {
        server.stored.set("/state/shop", world.scenario.read("state.json"));
        server.locks.set("/state/shop", world.scenario.read("lock.json"));
        const lock = JSON.parse(JSON.parse(world.scenario.read("lock.json")).Info);
        const env = { ...stateKey, RNV_STATE: `${server.url}/state/shop` };
        await expectHeld(world, env, lock, afterCreate);
        expect(server.locks.size).toBe(0);
      } finally {
        await server.close();
      }
    },
  );

  itInSoak(
    "stops another machine until force-unlock, in S3, beside a state with a run record",
    "locks/s3",
    async (world) => {
      const server = await serveS3();
      try {
        server.stored.set("/bucket/shop.json", world.scenario.read("state.json"));
        server.stored.set("/bucket/shop.json.lock", world.scenario.read("lock.json"));
        const lock = JSON.parse(world.scenario.read("lock.json"));
        const address = { RNV_STATE: "s3://bucket/shop.json", AWS_ENDPOINT_URL_S3: server.url };
        await expectHeld(world, { ...stateKey, ...s3Environment, ...address }, lock, afterCreate);
      } finally {
        await server.close();
      }
    },
  );
});

import { join } from "node:path";
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { approve, oneScenario, openScenario } from "../support/cli";
import { serveFront } from "./front";
import { clientOf, describeWith, type Served, serveMoto, serveRadosgw, serveS3rver } from "./programs";

jest.setTimeout(300_000);

const keys = { id: "rnvaccesskey", secret: "rnv-secret-of-the-store" };
const environment = {
  AWS_ACCESS_KEY_ID: keys.id,
  AWS_SECRET_ACCESS_KEY: keys.secret,
  AWS_REGION: "us-east-1",
};
const open = "$" + "{";
const manifest = (name: string): string => `stages:
  preview: { each: true, disposable: true, state: "s3://states/pr-${open}stage.id}.json" }
projects: { shop: { name: "${name}${open}stage.id}" } }
`;

const stores: readonly [program: string, start: () => Promise<Served>, isVersioned: boolean][] = [
  ["moto", serveMoto, false],
  ["moto", serveMoto, true],
  ["radosgw", () => serveRadosgw(keys), false],
];

describe.each(stores)("a store that obeys conditions: %s", (program, start, isVersioned) => {
  describeWith([program], () => {
    let store: Served;
    let front: Awaited<ReturnType<typeof serveFront>>;
    const scenario = oneScenario({ fresh: true });
    let client: S3Client;
    beforeAll(async () => {
      store = await start();
      front = await serveFront(() => store.url);
      client = clientOf(store, environment);
      await client.send(new CreateBucketCommand({ Bucket: "states" }));
      const VersioningConfiguration = { Status: "Enabled" } as const;
      if (isVersioned)
        await client.send(new PutBucketVersioningCommand({ Bucket: "states", VersioningConfiguration }));
    });
    beforeEach(() => {
      front.intervene = undefined;
    });
    afterAll(async () => {
      await front?.close();
      await store?.close();
    });

    const key = "a b/ü(1)+&=~.json";
    const env = () => ({ ...environment, AWS_ENDPOINT_URL_S3: front.url, RNV_STATE: `s3://states/${key}` });
    const run = (...args: string[]) => scenario.runWith({ env: env() }, ...args);
    const apply = async (name: string) => {
      scenario.write("rnv.yaml", `projects: { shop: { name: "${name}" } }\n`);
      return run("apply", ...approve);
    };
    const text = async (Key: string) =>
      (await client.send(new GetObjectCommand({ Bucket: "states", Key }))).Body?.transformToString();
    const lock = async () => JSON.parse((await text(`${key}.lock`)) ?? "null");

    it("keeps a state, its lock and its backups, under odd keys", async () => {
      expect(await apply("One")).toMatchObject({ code: 0, stderr: "" });
      expect(await lock()).toMatchObject({ free: true, generation: 1 });
      expect(await apply("Two")).toMatchObject({ code: 0, stderr: "" });
      expect(await lock()).toMatchObject({ free: true, generation: 2 });
      expect((await run("state", "backups")).stdout).toContain(`${key}.backup.`);
      expect((await run("state", "list")).stdout).toBe("project.shop\n");
      expect((await run("plan", "-detailed-exitcode")).code).toBe(0);
    });

    it("turns a second run away, until the lock is removed by its ID; a free lock is nothing to remove", async () => {
      const { free: _free, ...held } = { ...(await lock()), id: "held-elsewhere", host: "elsewhere" };
      const put = { Bucket: "states", Key: `${key}.lock`, Body: JSON.stringify(held) };
      await client.send(new PutObjectCommand(put));
      expect(await apply("Three")).toMatchObject({
        code: 6,
        stderr: expect.stringContaining("on elsewhere"),
      });
      expect(await run("force-unlock", "held-elsewhere")).toMatchObject({ code: 0 });
      expect(await lock()).toMatchObject({ free: true });
      expect(await run("force-unlock", "held-elsewhere")).not.toMatchObject({ code: 0 });
      expect(await apply("Three")).toMatchObject({ code: 0 });
    });

    it("survives a kill between the last write and the release, and a lost answer", async () => {
      scenario.write("rnv.yaml", 'projects: { shop: { name: "Four" } }\n');
      const killed = scenario.start({ env: env() }, "apply", ...approve);
      let isWritten = false;
      front.intervene = ({ method, path }) => {
        const isLock = path.includes(".lock");
        isWritten ||= method === "PUT" && !isLock && !path.includes(".backup");
        if (!isWritten || !isLock || method !== "PUT") return undefined;
        return { status: 503, body: String(killed.process.kill("SIGKILL")) };
      };
      expect((await killed.ended).code).toBe(-1);
      expect(await lock()).not.toHaveProperty("free");
      let isLost = false;
      front.intervene = ({ method, path }) => {
        if (isLost || method !== "PUT" || path.includes(".lock") || path.includes(".backup"))
          return undefined;
        isLost = true;
        return { isLost };
      };
      expect(await apply("Five")).toMatchObject({ code: 0 });
      expect(isLost).toBe(true);
      expect(await lock()).toMatchObject({ free: true });
    });

    it("keeps an encrypted state", async () => {
      const sealed = { ...env(), RNV_STATE: "s3://states/sealed.json", RNV_STATE_ENCRYPTION: "1" };
      const given = { env: { ...sealed, RNV_STATE_KEY: "c0ffee11".repeat(8) } };
      expect(await scenario.runWith(given, "apply", "--adopt", ...approve)).toMatchObject({ code: 0 });
      const { format, resources } = JSON.parse((await text("sealed.json")) ?? "");
      expect({ format, resources }).toEqual({ format: "rnv-state-encrypted", resources: undefined });
      expect(await scenario.runWith(given, "plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    });

    it("lists instances, and keeps a free lock of each that was swept", async () => {
      const { RNV_STATE: _state, ...rest } = env();
      scenario.write("rnv.yaml", manifest("pr-"));
      const staged = (...args: string[]) => scenario.runWith({ env: rest }, ...args);
      for (const id of ["1", "2"])
        expect(await staged("apply", "--stage", `preview/${id}`, ...approve)).toMatchObject({ code: 0 });
      const swept = await staged("stage", "sweep", "--stage", "preview", "--keep", "2", ...approve);
      expect(swept).toMatchObject({ code: 0 });
      expect((await staged("stage", "list")).stdout).toMatch(/preview\/2(?![\s\S]*preview\/1)/);
      const listed = await client.send(new ListObjectsV2Command({ Bucket: "states", Prefix: "pr-1" }));
      expect(listed.Contents?.map(({ Key }) => Key)).toEqual(["pr-1.json.lock"]);
    });

    it("names a token that expires in mid-run, and a missing bucket", async () => {
      const code = "<Error><Code>ExpiredToken</Code></Error>";
      let asked = 0;
      front.intervene = () => (++asked > 8 ? { status: 400, body: code } : undefined);
      expect(await apply("Six")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("the credentials have expired (ExpiredToken, HTTP 400)"),
      });
      front.intervene = undefined;
      const other = { ...env(), RNV_STATE: "s3://no-such-bucket/s.json" };
      expect(await scenario.runWith({ env: other }, "state", "list")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("the bucket does not exist (NoSuchBucket, HTTP 404)"),
      });
    });

    it("works with a clock that is 40 minutes off", async () => {
      scenario.write("ahead.cjs", "const now = Date.now; Date.now = () => now() + 2_400_000;");
      const node = ["--require", join(scenario.folder, "ahead.cjs")];
      expect(await scenario.runWith({ env: env(), node }, "state", "list")).toMatchObject({ code: 0 });
    });
  });
});

describe("a store that obeys no condition", () => {
  describeWith(["s3rver"], () => {
    it("is refused in every run, and nothing is left there", async () => {
      const [store, scenario] = [await serveS3rver("states"), await openScenario({ fresh: true })];
      const own = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER", AWS_REGION: "us-east-1" };
      const env = { ...own, AWS_ENDPOINT_URL_S3: store.url, RNV_STATE: "s3://states/shop.json" };
      scenario.write("rnv.yaml", "projects: { shop: { name: Shop } }\n");
      for (let count = 0; count < 2; count += 1)
        expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining("the server does not obey If-None-Match"),
        });
      const listed = await clientOf(store, own).send(new ListObjectsV2Command({ Bucket: "states" }));
      expect(listed.Contents ?? []).toEqual([]);
      expect(scenario.sent).toEqual([]);
      await store.close();
    });
  });
});

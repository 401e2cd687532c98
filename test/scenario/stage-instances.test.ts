import { approve, eachScenario, failing } from "../support/cli";
import { closing } from "../support/closing";
import type { StateServer } from "../support/http-state-server";
import { s3Environment, serveS3 } from "../support/s3-server";

const open = "$" + "{";

const manifest = (state: string): string => `stages:
  preview: { each: true, disposable: true, state: "${state}" }
projects: { shop: { name: "pr-${open}stage.id}" } }
`;

describe("instances of a stage whose states are elsewhere", () => {
  const scenario = eachScenario();
  let server: StateServer;
  beforeEach(async () => {
    server = closing(await serveS3());
  });
  const sweep = ["stage", "sweep", "--stage", "preview", "--keep", "2", ...approve];
  const names = () => scenario.emulator.store.projects().map(({ name }) => name);
  const rnv = (...words: string[]) =>
    scenario.runWith({ env: { ...s3Environment, AWS_ENDPOINT_URL_S3: server.url } }, ...words);

  it("are listed from S3, all pages of them, and swept", async () => {
    scenario.write("rnv.yaml", manifest(`s3://bucket/shop/pr-${open}stage.id}.json`));
    for (const id of ["1", "2", "10"])
      expect(await rnv("apply", "--stage", `preview/${id}`, ...approve)).toMatchObject({ code: 0 });
    server.stored.set("/bucket/shop/pr-x.y.json", "{}");
    const listed = await rnv("stage", "list", "-json");
    expect(JSON.parse(listed.stdout).stages).toMatchObject([
      { stage: "preview/1", state: "s3://bucket/shop/pr-1.json", resources: 1 },
      { stage: "preview/2" },
      { stage: "preview/10" },
    ]);
    expect(listed.code).toBe(0);
    const sound = server.stored.get("/bucket/shop/pr-2.json") ?? "";
    server.stored.set("/bucket/shop/pr-2.json", "{");
    const damaged = await rnv("stage", "list", "-json");
    expect(damaged.code).toBe(1);
    expect(JSON.parse(damaged.stdout).stages).toMatchObject([
      { resources: 1 },
      { stage: "preview/2", problem: expect.stringContaining("pr-2.json") },
      { resources: 1 },
    ]);
    server.stored.set("/bucket/shop/pr-2.json", sound);
    // A list that breaks off sweeps nothing.
    server.fault = ({ path }) =>
      path.includes("continuation-token") ? { kind: "status", status: 403 } : undefined;
    scenario.forget();
    expect(await rnv(...sweep)).toMatchObject({ code: 1 });
    expect(scenario.requests()).toEqual([]);
    server.fault = undefined;
    expect(await rnv(...sweep)).toMatchObject({ code: 0 });
    expect(names()).toEqual(["pr-2"]);
    // Only free locks stay of the instances that are gone.
    const left = [...server.stored].filter(([key]) => !/pr-2\.json|x\.y/.test(key));
    expect(left.map(([key]) => key).sort()).toEqual([
      "/bucket/shop/pr-1.json.lock",
      "/bucket/shop/pr-10.json.lock",
    ]);
    for (const [, text] of left) expect(JSON.parse(text)).toMatchObject({ free: true });
    expect(JSON.parse((await rnv("stage", "list", "-json")).stdout).stages).toMatchObject([
      { stage: "preview/2" },
    ]);
  });

  it("are named where a server of states cannot list them", async () => {
    scenario.write("rnv.yaml", manifest(`https://localhost:1/${open}stage.id}`));
    expect(await scenario.run(...sweep)).toMatchObject(failing(1, "--ids 12,13,14"));
    expect((await scenario.run("stage", "list")).stdout).toContain("its instances cannot be listed: --ids");
  });

  it("are compared with the platform; where that cannot be done, the list ends with 1", async () => {
    scenario.write(
      "rnv.yaml",
      `stages: { preview: { each: true, disposable: true } }
projects: { shop: { name: "pr-${open}stage.id}", description: "${open}env.COMMIT}" } }
`,
    );
    const env = { COMMIT: "a1" };
    expect(await scenario.runWith({ env }, "apply", "--stage", "preview/1", ...approve)).toMatchObject({
      code: 0,
    });
    const list = ["stage", "list", "--drift"];
    expect(await scenario.runWith({ env }, ...list)).toMatchObject({ code: 0 });
    expect(await scenario.run(...list)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("not checked"),
    });
  });
});

import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("a deployment that follows its service", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const serviceId = () => emulator.store.services()[0]?.id ?? "";
  const count = () => emulator.store.deployments(serviceId()).length;

  interface Configuration {
    readonly branch: string;
    readonly values: string;
    readonly token: string;
    readonly key: string;
    readonly deployment: string | undefined;
    readonly description: string;
  }
  let now: Configuration = {
    branch: "main",
    values: `{ A = "1", B = "1" }`,
    token: `value = "t1"`,
    key: "TOKEN",
    deployment: "",
    description: "The shop",
  };
  const write = (change: Partial<Configuration>): void => {
    now = { ...now, ...change };
    const { branch, values, token, key, deployment, description } = now;
    world.write(`
resource "rnv_project" "shop" {
  name        = "Shop"
  description = "${description}"
}
resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = "${branch}"
  }
}
resource "rnv_variables" "all" {
  service_id = rnv_service.api.id
  values     = ${values}
}
${token === "" ? "" : `resource "rnv_variable" "token" {\n  service_id = rnv_service.api.id\n  key = "${key}"\n  ${token}\n}`}
${deployment === undefined ? "" : `resource "rnv_deployment" "api" {\n  service_id = rnv_service.api.id\n  ${deployment}\n}`}
`);
  };
  /** Applies a change, and returns how many deployments it made; the plan after it is empty. */
  const applied = async (change: Partial<Configuration>): Promise<number> => {
    const before = count();
    write(change);
    await world.apply();
    await world.expectNoChanges();
    return count() - before;
  };
  /** Returns whether the last write of the last apply is the deployment. */
  const isNewest = (): boolean => world.writes().at(-1)?.endsWith("/deploys") === true;

  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it("is made once, after all that nothing orders before it", async () => {
    expect(await applied({})).toBe(1);
    expect(isNewest()).toBe(true);
  }, 60_000);

  it("runs once when a value, the configuration, or both change, and for nothing else", async () => {
    expect(await applied({ values: `{ A = "2", B = "1" }` })).toBe(1);
    expect(isNewest()).toBe(true);
    expect(await applied({ branch: "next" })).toBe(1);
    expect(await applied({ branch: "main", values: `{ A = "3", B = "1" }`, token: `value = "t2"` })).toBe(1);
    expect(isNewest()).toBe(true);
    expect(await applied({ description: "Another", deployment: `timeout = "20m"` })).toBe(0);
  }, 120_000);

  it("runs when a variable is added, and when one is removed", async () => {
    expect(await applied({ values: `{ A = "3", C = "new" }` })).toBe(1);
    expect(await applied({ token: "" })).toBe(1);
    expect(await applied({ token: `value_wo = "t3"\n value_wo_version = 1` })).toBe(1);
    expect(isNewest()).toBe(true);
  }, 120_000);

  it("waits for no name that a variable is renamed from", async () => {
    const before = count();
    write({ key: "RENAMED" });
    const output = await world.apply();
    expect(output).toContain("2 changed");
    expect(output).not.toContain("Written later");
    expect(count() - before).toBe(1);
    await world.expectNoChanges();
  }, 60_000);

  it("runs for what changed since it ran last: alone, or before a deployment that failed", async () => {
    const before = count();
    write({ values: `{ A = "4", C = "new" }` });
    await world.apply("-target=rnv_variables.all");
    expect(count()).toBe(before);
    expect(await applied({})).toBe(1);
    write({ values: `{ A = "5" }` });
    emulator.store.failNextDeployment("*", "the build ran out of memory");
    await world.run("apply -auto-approve -input=false", 1);
    expect(await applied({})).toBe(1);
    expect(count()).toBe(before + 3);
  }, 120_000);

  it("runs once for what an apply without a refresh removes", async () => {
    await applied({ values: `{ A = "5", C = "new" }`, token: `value = "t4"` });
    for (const change of [{ values: `{ A = "5" }` }, { token: "" }]) {
      const before = count();
      write(change);
      await world.apply("-refresh=false");
      await world.expectNoChanges();
      expect(count()).toBe(before + 1);
    }
  }, 60_000);

  it("deploys the branch when its commit is not pinned any more", async () => {
    const commit = "a".repeat(40);
    expect(await applied({ deployment: `commit = "${commit}"` })).toBe(1);
    expect(await applied({ deployment: "" })).toBe(1);
    const serving = emulator.store.services()[0]?.liveDeploymentId;
    const pinned = emulator.store.deployments(serviceId()).filter(({ commitSha }) => commitSha === commit);
    expect(pinned.map(({ id }) => id)).not.toContain(serving);
  }, 60_000);

  it("that is removed and added again deploys", async () => {
    for (let times = 0; times < 2; times += 1) {
      expect(await applied({ deployment: undefined })).toBe(0);
      expect(await applied({ deployment: "" })).toBe(1);
    }
  }, 60_000);
});

describeTerraform("a deployment of a service that another state manages", () => {
  const world = new TerraformFolder();
  const { store } = world.emulator;
  const { id: serviceId } = store.addService({
    name: "api",
    configuration: { repository: "https://git.example.com/shop/api" },
  });
  const count = () => store.deployments(serviceId).length;
  const variable = (key: string) =>
    `resource "rnv_variable" "${key}" {\n  service_id = "${serviceId}"\n  key = "${key}"\n  value = "1"\n}\n`;
  const map = `resource "rnv_variables" "all" {\n  service_id = "${serviceId}"\n  values = { B = "1", C = "1" }\n}\n`;
  /** Applies what is beside the deployment, and returns how many were made and what was said; nothing is left to do. */
  const applied = async (beside: string): Promise<{ readonly runs: number; readonly output: string }> => {
    const before = count();
    world.write(`${beside}resource "rnv_deployment" "api" { service_id = "${serviceId}" }\n`);
    const output = await world.apply();
    await world.run("plan -refresh-only -input=false -detailed-exitcode");
    await world.expectNoChanges();
    return { runs: count() - before, output };
  };

  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it.each([
    ["variable", variable("A")],
    ["map", map],
  ])(
    "runs once when the last %s beside it is removed",
    async (_what, beside) => {
      expect((await applied(beside)).runs).toBe(1);
      expect((await applied("")).runs).toBe(1);
    },
    60_000,
  );

  it.each([
    ["the last of them", ""],
    ["one of two", variable("B")],
  ])(
    "runs once for a variable that was deleted elsewhere and then removed, %s, and waits for nothing",
    async (_which, others) => {
      await applied(others + variable("A"));
      world.settle();
      store.deleteVariableNow(String(world.attributes("rnv_variable", "A").id));
      const { runs, output } = await applied(others);
      expect(runs).toBe(1);
      expect(output).toContain("0 added, 1 changed, 0 destroyed");
      expect(output).not.toContain("was made before all that it is for was written");
    },
    60_000,
  );
});

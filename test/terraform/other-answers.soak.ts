import { describeTerraform, TerraformFolder } from "../support/terraform";

const shop = `
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
}
`;

/** DESIGN section 5: "an id in a create's answer that existed before, or is recorded elsewhere, is no answer". */
describeTerraform("a creation that is answered with something else", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it("does not make a stranger's service ours: what was made is looked for, and recorded", async () => {
    const theirs = emulator.store.addService({ name: "theirs", live: true });
    const before = JSON.stringify(emulator.store.services());
    world.write(shop);
    emulator.setFaults((_index, { method, path }) =>
      method === "POST" && path.endsWith("/services") ? { kind: "other-id", id: theirs.id } : undefined,
    );
    await world.apply();
    emulator.setFaults(undefined);
    expect(
      emulator.store
        .services()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["api", "theirs"]);
    expect(JSON.stringify(emulator.store.services().filter(({ id }) => id === theirs.id))).toBe(before);
    expect(await world.start("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("takes the layout, which has the ID of its project, for what it is", async () => {
    const layout = `
resource "rnv_project" "shop" {
  name = "Shop"
}
resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions = {}
  viewport = { x = 0, y = 10.5, zoom = 1.1 }
}
`;
    world.write(layout);
    await world.apply();
    await world.expectNoChanges();
  }, 60_000);
});

const two = (version: string, branch = "main") => `
resource "rnv_project" "shop" {
  name        = "Shop"
  description = "${version}"
}
resource "rnv_project" "other" { name = "Other" }
resource "rnv_service" "s" {
  for_each   = toset(["api", "worker"])
  name       = each.key
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop"
    branch     = "${branch}"
  }
}
resource "rnv_variable" "v" {
  for_each   = toset(["A", "B"])
  service_id = rnv_service.s["api"].id
  key        = each.key
  value      = "${version}"
}
resource "rnv_variables" "v" {
  service_id = rnv_service.s["worker"].id
  values     = { A = "${version}", B = "${version}" }
}
resource "rnv_deployment" "s" {
  for_each   = rnv_service.s
  service_id = each.value.id
  triggers   = { version = "${version}", config = each.value.revision }
  depends_on = [rnv_variable.v, rnv_variables.v]
}
`;

/** DESIGN section 5: "Ids are compared in every answer, polls included." */
describeTerraform("answers that are about something else, or lie", () => {
  let world: TerraformFolder;
  beforeEach(async () => {
    world = await new TerraformFolder({ conditions: ["queued-deletions"] }).openAttached();
  });
  afterEach(() => world.close());
  const store = () => world.emulator.store;
  const idOf = (name: string) =>
    store()
      .services()
      .find((one) => one.name === name)?.id ?? "";
  const expectAll = (deployments: number) => {
    expect(
      store()
        .projects()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["Other", "Shop"]);
    expect(store().services()).toHaveLength(2);
    for (const id of [idOf("api"), idOf("worker")]) {
      const variables = store().variables(id);
      expect(variables.map(({ key }) => key).sort()).toEqual(["A", "B"]);
      expect(store().deployments(id)).toHaveLength(deployments);
    }
  };

  it("reads by id that show another resource are repeated, and each resource is created once", async () => {
    world.write(two("1"));
    const polled = new Map<string, number>();
    world.emulator.setFaults((_index, { method, path }) => {
      if (method !== "GET" || !/(deploys|operations|services|projects)\/[0-9a-f-]+$/.test(path))
        return undefined;
      const times = (polled.get(path) ?? 0) + 1;
      polled.set(path, times);
      return times % 2 === 1 ? { kind: "other-id" } : undefined;
    });
    await world.apply();
    expect(polled.size).toBeGreaterThan(0);
    expectAll(1);
    await world.run("plan");
    await world.run("destroy -auto-approve");
    expect([store().services(), store().projects()]).toEqual([[], []]);
  }, 60_000);

  it("an earlier deployment is not taken for the new one, and queued deletions end when operations are not shown", async () => {
    world.write(two("1"));
    await world.apply();
    const earlier = store().deployments(idOf("api"))[0]?.id ?? "";
    world.write(two("2"));
    world.emulator.setFaults((_index, { method, path }) =>
      method === "POST" && path.endsWith(`${idOf("api")}/deploys`)
        ? { kind: "other-id", id: earlier }
        : undefined,
    );
    await world.apply();
    expectAll(2);
    world.emulator.setFaults(undefined);
    await world.expectNoChanges();
    let asked = 0;
    world.emulator.setFaults((_index, { method, path }) => {
      if (method !== "GET" || !path.includes("/operations/")) return undefined;
      asked += 1;
      return { kind: "status", status: asked % 2 === 0 ? 404 : 405 };
    });
    await world.run("destroy -auto-approve");
    expect(asked).toBeGreaterThan(0);
    expect([store().services(), store().projects()]).toEqual([[], []]);
  }, 60_000);

  it("a change that was answered and ignored is an error each time, and is sent anew once the service takes it", async () => {
    world.write(two("1"));
    await world.apply();
    store().setCondition("ignored-values", true);
    world.write(two("1", "next").replace('"1"', '"changed"'));
    for (let attempts = 0; attempts < 2; attempts += 1) {
      const output = (await world.run("apply -auto-approve", 1)).replace(/[\s│╷╵]+/g, " ");
      expect(output).toContain("service accepted the change, but description did not take");
    }
    store().setCondition("ignored-values", false);
    await world.apply();
    await world.apply();
    expect(
      store()
        .projects()
        .map(({ description }) => description),
    ).toContain("changed");
    expect(
      store()
        .services()
        .map(({ configuration }) => configuration.branch),
    ).toEqual(["next", "next"]);
    await world.expectNoChanges();
  }, 60_000);
});

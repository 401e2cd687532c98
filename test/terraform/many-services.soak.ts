import { describeTerraform, TerraformFolder } from "../support/terraform";

/** Terraform has ten calls under way at a time: more services than that, and nothing orders their deployments. */
describeTerraform("deployments of more services than Terraform has places", () => {
  const names = Array.from({ length: 13 }, (_, index) => `s${index}`);
  let world: TerraformFolder;
  const write = (value: string, services: readonly string[] = names): void =>
    world.write(`
resource "rnv_project" "shop" {
  name = "Shop"
}
resource "rnv_service" "all" {
  for_each   = toset(${JSON.stringify(services)})
  name       = each.key
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
  }
}
resource "rnv_variables" "all" {
  for_each   = rnv_service.all
  service_id = each.value.id
  values     = { A = "${value}", B = each.key }
}
resource "rnv_variable" "token" {
  for_each   = rnv_service.all
  service_id = each.value.id
  key        = "TOKEN"
  value      = "${value}"
}
resource "rnv_deployment" "all" {
  for_each   = rnv_service.all
  service_id = each.value.id
}
`);
  const counts = () => {
    const { store } = world.emulator;
    return Object.fromEntries(store.services().map(({ id, name }) => [name, store.deployments(id).length]));
  };
  const each = (count: number, services: readonly string[] = names) =>
    Object.fromEntries(services.map((name) => [name, count]));
  /** Returns the services that were deployed before one of their variables was written. */
  const early = (): readonly string[] => {
    const writes = world.writes();
    return world.emulator.store.services().flatMap(({ id, name }) => {
      const own = writes.filter((one) => one.includes(id) && !one.startsWith("DELETE"));
      const deploys = own.findIndex((one) => one.endsWith("/deploys"));
      return own.slice(deploys).some((one) => one.includes("/env")) ? [name] : [];
    });
  };

  beforeEach(async () => {
    world = await new TerraformFolder().openAttached();
  });
  afterEach(() => world.close());

  it("are one for each, after its variables, when all is made; what a later plan comes to too early, the next one has", async () => {
    write("1");
    await world.apply();
    expect(early()).toEqual([]);
    expect(counts()).toEqual(each(1));
    await world.expectNoChanges();
    write("2");
    const told = await world.apply();
    // A plan is answered in order: a deployment that was planned before a change of its variables says so.
    const missed = names.filter((name) => counts()[name] === 1);
    if (missed.length > 0) expect(told).toContain("No deployment is planned for the change of");
    await world.apply();
    expect(counts()).toEqual(each(2));
    await world.expectNoChanges();
  }, 180_000);

  it("with a place for each: one for every change, in this apply or, as the warning says, in the next", async () => {
    const many = Array.from({ length: 32 }, (_, index) => `s${index}`);
    write("1", many);
    await world.apply();
    for (const [round, value] of ["2", "3", "4"].entries()) {
      write(value, many);
      const told = await world.apply("-parallelism=100");
      // Terraform asks in its own order: where a deployment was planned before its variables, the plan says so.
      const missed = many.filter((name) => counts()[name] !== round + 2);
      if (missed.length === 0) expect(told).not.toContain("No deployment is planned");
      else {
        expect(told).toContain("No deployment is planned for the change of");
        await world.apply();
      }
      expect(counts()).toEqual(each(round + 2, many));
    }
    await world.expectNoChanges();
  }, 180_000);

  it("tell of one that failed, whichever call it was left to, and the next apply makes that alone", async () => {
    write("1", []);
    await world.apply();
    world.emulator.store.failNextDeployment("*", "the build ran out of memory");
    write("1");
    const told = await world.run("apply -auto-approve -input=false", 1);
    expect(told).toContain("the build ran out of memory");
    expect(told).not.toContain("tainted");
    await world.apply();
    const failed = Object.entries(counts()).filter(([, count]) => count === 2);
    expect(failed).toHaveLength(1);
    expect(counts()).toEqual({ ...each(1), [failed[0]?.[0] ?? ""]: 2 });
    await world.expectNoChanges();
  }, 180_000);
});

describeTerraform("deployments of as many services, which come after all variables", () => {
  const world = new TerraformFolder();
  const write = (value: string): void =>
    world.write(`
resource "rnv_service" "all" {
  count = 12
  name  = "s${"$"}{count.index}"
  kind  = "web"
  configuration {
    repository = "https://git.example.com/shop/api"
  }
}
resource "rnv_variables" "all" {
  count      = 12
  service_id = rnv_service.all[count.index].id
  values     = { A = "${value}", B = "b" }
}
resource "rnv_deployment" "all" {
  count      = 12
  service_id = rnv_service.all[count.index].id
  depends_on = [rnv_variables.all]
}
output "deployed" {
  value = rnv_deployment.all[*].id
}
`);
  // What a plan knew is told to the apply of the same run: Terraform starts a process for each.
  beforeAll(() => world.open());
  afterAll(() => world.close());

  it.each(["10", "100"])(
    "are in the state with their ids, %s at a time",
    async (places) => {
      write("1");
      await world.apply(`-parallelism=${places}`);
      expect(JSON.parse(await world.run("output -json deployed"))).not.toContain(null);
      await world.run("plan -refresh-only -input=false -detailed-exitcode");
      write("2");
      await world.apply(`-parallelism=${places}`);
      expect(
        world.emulator.store.services().map(({ id }) => world.emulator.store.deployments(id).length),
      ).toEqual(Array(12).fill(2));
      await world.expectNoChanges();
      await world.run("destroy -auto-approve");
    },
    120_000,
  );
});

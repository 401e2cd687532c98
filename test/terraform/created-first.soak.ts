import { describeTerraform, TerraformFolder } from "../support/terraform";

/** Each walk has a process of its own here, as Terraform starts them. */
describeTerraform("a replacement that is created first", () => {
  let world: TerraformFolder;
  const services = () =>
    world.emulator.store
      .services()
      .filter(({ deletedAt }) => deletedAt === null)
      .map(({ name, kind }) => `${name}: ${kind}`);
  /** Known when it is applied, not before. */
  let later = "worker";
  const write = (kind: string, name = "api") =>
    world.write(`
resource "terraform_data" "kind" { input = "${later}" }
resource "rnv_service" "api" {
  name = "${name}"
  kind = ${kind}
  lifecycle { create_before_destroy = true }
}
resource "rnv_variables" "all" {
  service_id = rnv_service.api.id
  values     = { A = "1" }
  lifecycle { create_before_destroy = true }
}
`);
  /** What failed is put back: the configuration of before plans nothing, and nothing waits for its deletion. */
  const expectPutBack = async (): Promise<void> => {
    expect(world.stateText()).not.toContain('"deposed"');
    write('"web"');
    await world.expectNoChanges();
    expect(services()).toEqual(["api: web"]);
    expect(world.emulator.store.variables(world.emulator.store.services()[0]?.id ?? "")).toHaveLength(1);
  };

  beforeAll(async () => {
    world = await new TerraformFolder().open();
    write('"web"');
    await world.apply();
  }, 60_000);
  afterEach(() => world.emulator.setFaults(undefined));
  afterAll(() => world.close());

  it("and whose name is taken by what it is to replace, leaves that as it is", async () => {
    write('"worker"');
    expect(await world.run("apply -auto-approve -input=false", 1)).toMatch(
      /There is a service "api" already[\s\S]+create_before_destroy\s+needs\s+one/,
    );
    await expectPutBack();
    write('"worker"');
    await world.run("plan -input=false -out=saved");
    await world.run("apply -input=false saved", 1);
    await expectPutBack();
  }, 120_000);

  it("and turns out to be what cannot be made, leaves what stands as it is", async () => {
    for (const [kind, said] of [
      ["wrker", 'Kind "wrker" does not exist'],
      ["", "expected text that is not empty"],
    ] as const) {
      later = kind;
      write("terraform_data.kind.output", "other");
      expect(await world.run("apply -auto-approve -input=false", 1)).toContain(said);
      await expectPutBack();
    }
  }, 120_000);

  it("and cannot be asked about, or is refused, leaves what stands as it is", async () => {
    for (const [fault, said] of [
      [{ kind: "status", status: 403, code: "forbidden", message: "not now" }, "not now"],
      [{ kind: "status", status: 422, code: "limit", message: "no more of these" }, "no more of these"],
    ] as const) {
      write('"worker"', "other");
      await world.run("plan -input=false -out=saved");
      const isRead = fault.status === 403;
      world.emulator.setFaults((_index, { method, path }) =>
        /\/services$|\/catalog$/.test(path) && (method === "GET") === isRead ? fault : undefined,
      );
      expect(await world.run("apply -input=false saved", 1)).toContain(said);
      world.emulator.setFaults(undefined);
      await expectPutBack();
    }
  }, 120_000);

  it("replaces when it can", async () => {
    write('"worker"', "other");
    expect(await world.apply()).toContain("2 added, 0 changed, 2 destroyed");
    expect(services()).toEqual(["other: worker"]);
    await world.expectNoChanges();
  }, 60_000);
});

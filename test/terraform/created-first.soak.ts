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
      /Service "api" already exists[\s\S]+create_before_destroy\s+a\s+replacement\s+needs\s+another\s+name/,
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
      ["", "expected text of at least 1 character"],
    ] as const) {
      later = kind;
      write("terraform_data.kind.output", "other");
      expect(await world.run("apply -auto-approve -input=false", 1)).toContain(said);
      await expectPutBack();
    }
  }, 120_000);

  it("and cannot be asked about, or is refused, leaves what stands as it is", async () => {
    for (const method of ["GET", "POST"]) {
      write('"worker"', "other");
      await world.run("plan -input=false -out=saved");
      world.emulator.setFaults((_index, request) =>
        /\/services$|\/catalog$|\/canvas$/.test(request.path) && request.method === method
          ? { kind: "status", status: 403, code: "forbidden", message: "not now" }
          : undefined,
      );
      expect(await world.run("apply -input=false saved", 1)).toContain("not now");
      world.emulator.setFaults(undefined);
      await expectPutBack();
    }
  }, 120_000);

  it("stops at the variables of the old service, which keep it, and ends with the next apply", async () => {
    write('"worker"', "other");
    const stopped = (await world.run("apply -auto-approve -input=false", 1)).replace(/[\s│╷╵]+/g, " ");
    expect(stopped).toMatch(
      /These variables are deleted from their service and created in service [0-9a-f-]{36}/,
    );
    expect(stopped).toContain("service_id was unknown when the plan was made, and nothing was deleted.");
    expect(stopped).toContain("Then plan and apply again.");
    const variables = () =>
      world.emulator.store.services().map(({ id }) => world.emulator.store.variables(id).length);
    expect(variables()).toEqual([1, 0]);
    await world.apply();
    expect(services()).toEqual(["other: worker"]);
    expect(variables()).toEqual([1]);
    await world.expectNoChanges();
  }, 60_000);
});

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
  beforeAll(() => world.open());
  afterAll(() => world.close());

  it("does not take a stranger's service, and the next apply records what was made", async () => {
    const theirs = emulator.store.addService({ name: "theirs", live: true });
    const before = JSON.stringify(emulator.store.services());
    world.write(shop);
    emulator.setFaults((_index, { method, path }) =>
      method === "POST" && path.endsWith("/services") ? { kind: "other-id", id: theirs.id } : undefined,
    );
    const { code, output } = await world.start("apply", "-auto-approve");
    emulator.setFaults(undefined);
    expect(code).toBe(1);
    expect(output.replace(/[\s│╷╵]+/g, " ")).toContain("was answered with the id of another");
    expect(await world.start("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(
      emulator.store
        .services()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["api", "theirs"]);
    expect(JSON.stringify(emulator.store.services().filter(({ id }) => id === theirs.id))).toBe(before);
    expect(await world.start("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

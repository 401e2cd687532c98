import { rmSync } from "node:fs";
import { join } from "node:path";
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

  it("takes the layout that bears its project's id for what it is, made with the project and found again with it", async () => {
    world.write(`
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions = {}
  viewport = { x = 0, y = 10.5, zoom = 1.1 }
}
`);
    await world.apply();
    await world.expectNoChanges();
    // Whether they stand is asked with a write that changes nothing else.
    const all = () =>
      JSON.stringify([emulator.store.projects(), emulator.store.services()], (name, value) =>
        name === "updatedAt" ? undefined : value,
      );
    const made = all();
    rmSync(join(world.folder, "w", "terraform.tfstate"));
    await world.apply();
    await world.expectNoChanges();
    expect(all()).toBe(made);
  }, 60_000);
});

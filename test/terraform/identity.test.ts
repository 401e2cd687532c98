import { join } from "node:path";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const shop = (branch = "main") => `
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
  configuration {
    branch = "${branch}"
  }
}
`;
const value = "a-value-that-no-file-may-hold";
const withVariables = textIn(join(__dirname, "identity.tf"), { shop: shop(), value });

describeTerraform("a name that exists", () => {
  const first = new TerraformFolder();
  const second = new TerraformFolder();
  /** Both speak to the service of the first. */
  const writeSecond = (text: string) => second.write(text, `base_url = "${first.baseUrl}"`);
  const services = () => first.emulator.store.services().filter(({ deletedAt }) => deletedAt === null);

  beforeAll(async () => {
    await first.openAttached();
    await second.openAttached();
    first.write(withVariables);
    await first.apply();
  }, 60_000);

  it("is an error of the apply for another state of the same content, with its ID and an import block", async () => {
    writeSecond(withVariables);
    await second.run("plan -input=false");
    first.emulator.resetLog();
    const output = await second.told("apply -auto-approve -input=false", 1);
    const [api] = services();
    expect(output).toContain('Service "api" already exists');
    expect(output).toMatch(new RegExp(`import \\{ to = rnv_service.NAME #[^"]* id = "${api?.id}" \\}`));
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(first.writes()).toEqual([]);
    writeSecond(
      `import {\n  to = rnv_service.api\n  id = "${api?.id}"\n}\n${withVariables.replace(/service_id = .*/g, `service_id = "${api?.id}"`)}`,
    );
    const inside = await second.told("apply -auto-approve -input=false", 1);
    expect(inside).toContain('Variable "A" already exists');
    expect(inside).toContain(`id = "${api?.id}/`);
    expect(inside).toContain(`B, C: already in service "api"`);
    expect(first.emulator.store.variables(api?.id ?? "")).toHaveLength(3);
    await second.run("state rm rnv_service.api");
  }, 60_000);

  it("is taken over by an import of a map of variables, and no variable is created a second time", async () => {
    const [api] = services();
    const ids = () => first.emulator.store.variables(api?.id ?? "").map(({ id }) => id);
    const before = ids();
    const map = (id = api?.id) =>
      `resource "rnv_variables" "all" {\n  service_id = "${id}"\n  values = { A = "other", B = "other" }\n}\n`;
    writeSecond(`import {\n  to = rnv_variables.all\n  id = "${api?.id}"\n}\n${map()}`);
    await second.apply();
    expect(ids()).toEqual(before);
    await second.expectNoChanges();
    writeSecond(map(api?.id.toUpperCase()));
    await second.expectNoChanges();
    // One that another state creates meanwhile is none of this map.
    first.emulator.store.addVariable(api?.id ?? "", "LATER", "theirs");
    writeSecond(map().replace('B = "other"', 'B = "other", LATER = "mine"'));
    expect(await second.told("apply -auto-approve -input=false", 1)).toContain("LATER: already in service");
    await second.run("state rm rnv_variables.all");
  }, 60_000);

  it("is in use for a resource that is renamed to it, also by a resource that gives it up in the same apply", async () => {
    const two = (one: string, other: string) =>
      writeSecond(
        [one, other]
          .map(
            (name, index) => `resource "rnv_service" "n${index}" {\n  name = "${name}"\n  kind = "web"\n}\n`,
          )
          .join(""),
      );
    const named = (name: string) => services().filter((one) => one.name === name);
    two("left", "right");
    await second.apply();
    first.emulator.store.addService({ name: "theirs" });
    two("theirs", "right");
    first.emulator.resetLog();
    const output = await second.told("apply -auto-approve -input=false", 1);
    expect(output).toContain(`Service "theirs" already exists`);
    expect(second.writes()).toEqual([]);
    two("right", "left");
    expect(await second.told("apply -auto-approve -input=false", 1)).toContain("need two applies");
    for (const name of ["left", "right"]) expect(named(name)).toHaveLength(1);
    two("third", "left");
    await second.run("apply -auto-approve -input=false").catch(() => second.apply());
    two("right", "left");
    await second.apply();
    await second.expectNoChanges();
    writeSecond("");
    await second.apply();
  }, 60_000);

  it("is given to one of two resources that declare it: the second is an error, and nothing is created twice", async () => {
    first.emulator.resetLog();
    writeSecond(
      `resource "rnv_service" "s" {\n  count = 2\n  name = "same"\n  kind = "web"\n}\n` +
        `resource "rnv_project" "p" {\n  for_each = toset(["one", "two"])\n  name = "both"\n}\n`,
    );
    const output = await second.told("apply -auto-approve -input=false", 1);
    expect(output.match(/already exists/g)).toHaveLength(2);
    expect(services().filter(({ name }) => name === "same")).toHaveLength(1);
    expect(first.emulator.store.projects().filter(({ name }) => name === "both")).toHaveLength(1);
  }, 60_000);
});

/** Interface, "Errors", 409: "Resource conflict", also with a request of the same key that still goes on. */
describeTerraform("a create whose key is refused while its first request goes on", () => {
  const world = new TerraformFolder();
  beforeAll(() => world.openAttached("fast-clock"));

  it("stays uncertain where nothing shows its result, and takes the result that comes", async () => {
    const { emulator } = world;
    const lose = (finish: () => void) => {
      let sent = 0;
      emulator.setFaults((_, { method, path }) => {
        if (method !== "POST" || !path.endsWith("/services")) return undefined;
        sent += 1;
        if (sent > 1) finish();
        return { kind: "status", status: sent > 1 ? 409 : 500, code: "request_in_progress" };
      });
    };
    world.write(shop());
    lose(() => undefined);
    const lost = await world.told("apply -auto-approve -input=false", 1);
    expect(lost).toMatch(/The request to create the service may have succeeded.* \(apply\.uncertain, /);
    expect(lost).toContain("Wait a minute, then plan and apply again.");
    expect(lost).not.toContain("Run the same command again");
    lose(() => emulator.store.addService({ name: "api", kind: "web" }));
    await world.apply();
    expect(emulator.store.services()).toHaveLength(1);
    await world.expectNoChanges();
  }, 60_000);
});

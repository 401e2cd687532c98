import { defaultGaps } from "../../../src/api/gaps";
import { productionEnvironmentId, project } from "../../../src/resources/project";
import { service } from "../../../src/resources/service";
import { createInput, embedded, settled, target } from "./embedded";

const removal = (id: string, name: string) => ({ address: createInput(name, {}).address, id, name });

describe("creating a project", () => {
  it("sends a fixed color when none is declared, and answers with what took", async () => {
    const { endpoints } = embedded();
    const { live } = await project.create(endpoints, createInput("Shop", { description: "Online shop" }));
    expect(Object.fromEntries(live?.attributes ?? [])).toEqual({
      name: "Shop",
      description: "Online shop",
      color: defaultGaps.projectColor,
    });
    expect(live?.computed.get("productionEnvironmentId")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("reading a project", () => {
  it("finds it by its recorded id, whatever its name is now", async () => {
    const { endpoints, reads } = embedded();
    const { id } = await project.create(endpoints, createInput("Shop", {}));
    expect(await project.read(reads(), target("Other", { id }))).toMatchObject({
      kind: "found",
      live: { id, name: "Shop", parentId: null },
    });
  });

  it("finds it by its exact name, and says when two bear it", async () => {
    const { endpoints, reads } = embedded();
    const first = await project.create(endpoints, createInput("Shop", {}));
    expect(await project.read(reads(), target("shop"))).toEqual({ kind: "absent" });
    expect(await project.read(reads(), target("Shop"))).toMatchObject({ live: { id: first.id } });
    const second = await project.create(endpoints, createInput("Shop", {}));
    const read = await project.read(reads(), target("Shop"));
    expect(read.kind === "ambiguous" && [...read.ids].sort()).toEqual([first.id, second.id].sort());
  });

  it("is gone once it is deleted, and a name does not stand in for its id", async () => {
    const world = embedded();
    const { id } = await project.create(world.endpoints, createInput("Shop", {}));
    const { pending } = await project.remove(world.endpoints, removal(id, "Shop"));
    if (pending) await settled(world, project, pending);
    await project.create(world.endpoints, createInput("Shop", {}));
    expect(await project.read(world.reads(), target("Shop", { id }))).toEqual({ kind: "gone" });
  });

  it("leaves out what stood there before, when it looks for what an unanswered create made", async () => {
    const { endpoints, reads } = embedded();
    const before = await project.create(endpoints, createInput("Shop", {}));
    const made = await project.create(endpoints, createInput("Shop", {}));
    const found = await project.candidates?.(reads(), { name: "Shop", preexistingIds: [before.id] });
    expect(found?.map(({ id }) => id)).toEqual([made.id]);
  });
});

describe("deleting a project", () => {
  it("is refused while a service is in it, and needs its exact name", async () => {
    const world = embedded();
    const { id } = await project.create(world.endpoints, createInput("Shop", {}));
    await expect(project.remove(world.endpoints, removal(id, "shop"))).rejects.toMatchObject({
      kind: "refused",
    });
    await service.create(world.endpoints, createInput("api", { kind: "web", projectId: id }));
    const refused = project.remove(world.endpoints, removal(id, "Shop"));
    await expect(refused).rejects.toMatchObject({
      diagnostics: [
        {
          code: "api.conflict",
          summary: expect.stringContaining("was not deleted: The project still holds services"),
          detail: expect.stringMatching(/^It holds the service "api" \(id .*\)\.$/),
        },
      ],
    });
  });
});

describe("the Production environment", () => {
  const projectWith = (...names: string[]) => ({
    id: "p",
    name: "Shop",
    description: "",
    environments: names.map((name) => ({ id: `id of ${name}`, name })),
  });

  it("is the one of that name, else the only one", () => {
    expect(productionEnvironmentId(projectWith("Staging", "Production"))).toBe("id of Production");
    expect(productionEnvironmentId(projectWith("Main"))).toBe("id of Main");
    expect(productionEnvironmentId(projectWith("Staging", "Main"))).toBeUndefined();
  });
});

import { documentedDefaults } from "../../../src/api/wire/configuration";
import { embeddedCatalog } from "../../../src/emulator/views";
import { project } from "../../../src/resources/project";
import { service } from "../../../src/resources/service";
import { createInput, type Embedded, embedded, target, updateInput } from "./embedded";

const web = { kind: "web", "configuration.repository": "https://git.example.com/shop/api" };

async function shopIn({
  endpoints,
}: Embedded): Promise<{ id: string; production: string; known: Map<string, string> }> {
  const { id, live } = await project.create(endpoints, createInput("Shop", {}));
  const production = String(live?.computed.get("productionEnvironmentId"));
  return { id, production, known: new Map([["productionEnvironmentId", production]]) };
}

describe("creating a service", () => {
  it("looks its environment up by name or id, with one request", async () => {
    const world = embedded();
    const shop = await shopIn(world);
    world.requests();
    const attributes = { ...web, projectId: shop.id };
    await Promise.all([
      service.create(world.endpoints, createInput("a", { ...attributes, environment: "Production" })),
      service.create(world.endpoints, createInput("b", { ...attributes, environment: shop.production })),
      service.create(world.endpoints, createInput("c", attributes)),
    ]);
    expect(world.requests().sort()).toEqual([
      ...Array(3).fill("GET /projects/ID"),
      ...Array(3).fill("POST /services"),
    ]);
  });

  it("archives it as a second step, and reports what was made when that step fails", async () => {
    const world = embedded();
    const archived = await service.create(world.endpoints, createInput("a", { ...web, archived: true }));
    expect(archived.live?.attributes.get("archived")).toBe(true);
    const refused = { ...world.endpoints, archiveService: () => Promise.reject(new Error("refused")) };
    const half = await service.create(refused, createInput("b", { ...web, archived: true }));
    expect(half.failure).toEqual(new Error("refused"));
    expect(half.live?.attributes.get("archived")).toBe(false);
    expect(await service.read(world.reads(), target("b", { id: half.id }))).toMatchObject({ kind: "found" });
  });
});

describe("updating a service", () => {
  const made = async (values: object = {}) => {
    const world = embedded();
    const { id, live } = await service.create(world.endpoints, createInput("api", { ...web, ...values }));
    world.requests();
    return { world, id, live };
  };

  it("sends one PATCH with the changed fields alone, defaults spelled out", async () => {
    const { world, id, live } = await made({ "configuration.port": 3000 });
    const input = updateInput(
      id,
      { "configuration.port": 8000, name: "api2", "configuration.branch": "next" },
      { live },
    );
    const { live: after } = await service.update(world.endpoints, {
      ...input,
      changed: new Set(["configuration.port", "name"]),
    });
    expect(world.emulator.log.map(({ method, body }) => [method, body])).toEqual([
      ["PATCH", { name: "api2", configuration: { port: 8000 } }],
    ]);
    expect(after?.attributes.get("configuration.port")).toBe(8000);
    expect(after?.name).toBe("api2");
  });
});

describe("reading a service", () => {
  it("shows every configuration field, and its environment as it was declared", async () => {
    const world = embedded();
    const shop = await shopIn(world);
    await service.create(world.endpoints, createInput("api", { ...web, projectId: shop.id }));
    const read = async (environment?: string) => {
      const found = await service.read(
        world.reads(),
        target("api", { values: { projectId: shop.id, ...(environment && { environment }) } }),
      );
      return found.kind === "found" ? found.live.attributes : new Map();
    };
    const attributes = await read();
    for (const field of Object.keys(documentedDefaults))
      expect([...attributes.keys()]).toContain(`configuration.${field}`);
    expect(attributes.get("environment")).toBe("Production");
    expect((await read(shop.production)).get("environment")).toBe(shop.production);
    expect((await read("Staging")).get("environment")).toBe("Production");
  });

  it("looks for a name inside its project only", async () => {
    const world = embedded();
    const shop = await shopIn(world);
    const grouped = await service.create(world.endpoints, createInput("api", { ...web, projectId: shop.id }));
    expect(await service.read(world.reads(), target("api"))).toEqual({ kind: "absent" });
    const bare = await service.create(world.endpoints, createInput("api", web));
    expect(await service.read(world.reads(), target("api"))).toMatchObject({ live: { id: bare.id } });
    const inShop = target("api", { values: { projectId: shop.id } });
    expect(await service.read(world.reads(), inShop)).toMatchObject({ live: { id: grouped.id } });
    await service.create(world.endpoints, createInput("api", { ...web, projectId: shop.id }));
    expect(await service.read(world.reads(), inShop)).toMatchObject({ kind: "ambiguous" });
  });

  it("finds an archived service by its id", async () => {
    const world = embedded();
    const { id } = await service.create(world.endpoints, createInput("api", { ...web, archived: true }));
    const read = await service.read(world.reads(), target("api", { id }));
    expect(read.kind === "found" && read.live.attributes.get("archived")).toBe(true);
  });

  it("does not take a name for free while the service cannot list everything", async () => {
    const { reads } = embedded();
    const short = { ...reads(), servicesAreComplete: async () => false };
    expect(await service.read(short, target("api"))).toMatchObject({ kind: "unchecked" });
  });
});

describe("a service's defaults", () => {
  const catalog = { ...embeddedCatalog, defaults: { port: 9000 } };

  it("are the catalog's over the documented ones", () => {
    const defaults = service.defaults(catalog);
    expect(defaults.get("configuration.port")).toBe(9000);
    expect(defaults.get("configuration.branch")).toBe("main");
    expect(defaults.get("archived")).toBe(false);
  });
});

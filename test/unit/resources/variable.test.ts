import { consistently } from "../../../src/api/consistent-reads";
import { createReads } from "../../../src/api/reads";
import { isPreserved } from "../../../src/model/resource-type";
import { Secret } from "../../../src/model/secret";
import { service } from "../../../src/resources/service";
import { variable } from "../../../src/resources/variable";
import { createInput, embedded, target } from "./embedded";

async function world(options: Parameters<typeof embedded>[0] = {}) {
  const made = embedded(options);
  const { id } = await service.create(made.endpoints, createInput("api", { kind: "web" }));
  const create = (key: string) =>
    variable.create(made.endpoints, createInput(key, { serviceId: id, value: new Secret("s3cret") }));
  return { ...made, serviceId: id, create };
}

describe("a variable", () => {
  it("is proven to be gone at once, also after a list that others asked for before its deletion", async () => {
    const { create, endpoints, emulator, clock, serviceId, requests } = await world();
    emulator.store.addProject({ name: "Shop" });
    const unsent = () => Promise.reject(new Error("unsent"));
    const consistent = consistently(() => endpoints, { clock })(unsent);
    const reads = createReads(consistent);
    const remove = async (key: string, id: string) => {
      const { address } = createInput(key, {});
      const { pending } = await variable.remove(consistent, { address, id, name: key, parentId: serviceId });
      return pending ?? Promise.reject(new Error("nothing is pending"));
    };
    const ids = [(await create("A")).id, (await create("B")).id, (await create("C")).id] as const;
    expect(await variable.poll(reads, await remove("A", ids[0]))).toEqual({ kind: "done" });
    await clock.sleep(10);
    const pendings = [await remove("B", ids[1]), await remove("C", ids[2])];
    requests();
    const polls = pendings.map((pending) => variable.poll(reads, pending));
    expect(await Promise.all(polls)).toEqual([{ kind: "done" }, { kind: "done" }]);
    // Both need the list again, and whether anything else is shown, and share the answers.
    const [list, ...others] = requests();
    expect([list, others.filter((one) => one === "GET /projects")]).toEqual([
      "GET /services/ID/variables",
      ["GET /projects"],
    ]);
  });

  it("that is to be preserved is never made up", async () => {
    const { endpoints, serviceId } = await world();
    expect(isPreserved(variable, new Map([["preserve", true]]))).toBe(true);
    await expect(
      variable.create(endpoints, createInput("KEY", { serviceId, preserve: true })),
    ).rejects.toMatchObject({ diagnostics: [{ code: "live.preserve_missing" }] });
  });

  it("has a value or is preserved, and not both", () => {
    const check = (values: object) => variable.check?.(new Map(Object.entries(values)), {} as never);
    expect(check({ value: "x" })).toEqual([]);
    expect(check({ preserve: true })).toEqual([]);
    expect(check({ value: "x", preserve: false })).toEqual([]);
    expect(check({ value: "x", preserve: true })).toMatchObject([{ attribute: "value" }]);
    expect(check({})).toMatchObject([{ summary: "a variable has no value" }]);
  });
});

describe("reading a variable", () => {
  it("goes by the recorded id, then by the key where one is declared", async () => {
    const { create, reads, serviceId } = await world();
    const { id } = await create("LOG_LEVEL");
    const scope = { values: { serviceId } };
    expect(await variable.read(reads(), target("OTHER", { id, ...scope }))).toMatchObject({ live: { id } });
    expect(await variable.read(reads(), target("LOG_LEVEL", scope))).toMatchObject({ live: { id } });
    expect(
      await variable.read(reads(), target("x", { values: { serviceId, key: "LOG_LEVEL" } })),
    ).toMatchObject({
      live: { id },
    });
    expect(await variable.read(reads(), target("OTHER", scope))).toEqual({ kind: "absent" });
  });

  it("does not follow the key of one that is only recorded", async () => {
    const { create, reads, serviceId } = await world();
    const { id } = await create("LOG_LEVEL");
    const lost = { id: "lost", parentId: serviceId };
    expect(await variable.read(reads(), target("LOG_LEVEL", lost))).toEqual({ kind: "gone" });
    const declared = target("LOG_LEVEL", { ...lost, values: { serviceId } });
    expect(await variable.read(reads(), declared)).toMatchObject({ kind: "found", live: { id } });
  });

  it("leaves recorded ones standing where the service does not list variables", async () => {
    const { create, reads, serviceId } = await world({ gaps: { listVariables: false } });
    const { id } = await create("LOG_LEVEL");
    const scope = { values: { serviceId } };
    expect(await variable.read(reads(), target("LOG_LEVEL", { id, ...scope }))).toMatchObject({
      kind: "unchecked",
    });
    expect(await variable.read(reads(), target("LOG_LEVEL", scope))).toEqual({ kind: "absent" });
    const search = { name: "LOG_LEVEL", parentId: serviceId, preexistingIds: [] };
    expect(await variable.candidates?.(reads(), search)).toBeUndefined();
  });

  it("is gone with its service", async () => {
    const { create, endpoints, reads, serviceId } = await world();
    const { id } = await create("LOG_LEVEL");
    await endpoints.deleteService(serviceId, "api");
    expect(await variable.read(reads(), target("LOG_LEVEL", { id, parentId: serviceId }))).toEqual({
      kind: "gone",
    });
    expect(await variable.read(reads(), target("LOG_LEVEL", { id }))).toEqual({ kind: "gone" });
  });

  it("lists those of every service", async () => {
    const { create, reads, serviceId } = await world();
    await create("A");
    await create("B");
    const listed = await variable.list(reads());
    expect(listed?.map(({ name, parentId }) => [name, parentId]).sort()).toEqual([
      ["A", serviceId],
      ["B", serviceId],
    ]);
  });
});

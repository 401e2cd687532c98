import type { Endpoints } from "../../../src/api/endpoints";
import { addressOf } from "../../../src/model/address";
import { layout } from "../../../src/resources/layout";
import { createInput, embedded, subject, updateInput } from "./embedded";

function world() {
  const made = embedded();
  const { store } = made.emulator;
  const projectId = store.addProject({ name: "Shop" }).id;
  const add = (name: string): string => store.addService({ name, projectId }).id;
  const ids = { api: add("api"), db: add("db") };
  const saved = async () => (await made.endpoints.canvas({ projectId })).layout;
  const read = async (positions?: unknown, id: string | undefined = projectId) =>
    layout.read(
      made.reads(),
      subject("shop", { id, values: { projectId, ...(positions ? { positions } : {}) } }),
    );
  const shown = async (positions?: unknown) => {
    const found = await read(positions);
    return found.kind === "found" ? found.live.attributes.get("positions") : found.kind;
  };
  const save = (values: object, endpoints: Endpoints = made.endpoints) =>
    layout.create(endpoints, createInput("shop", { projectId, ...values }));
  return { ...made, projectId, ids, add, saved, read, shown, save };
}

describe("an automatic layout", () => {
  it("gives every service a place in one save, and then reads as declared", async () => {
    const { save, saved, ids, shown, projectId } = world();
    expect(await shown("auto")).toEqual({});
    const { id, live } = await save({ positions: "auto" });
    expect(id).toBe(projectId);
    expect(live?.attributes.get("positions")).toBe("auto");
    expect(Object.keys((await saved()).positions).sort()).toEqual(Object.values(ids).sort());
    expect(await shown("auto")).toBe("auto");
  });

  it("is a difference again once a service has no place, and moves no other", async () => {
    const { save, saved, add, shown, endpoints, projectId } = world();
    await save({ positions: "auto" });
    const before = (await saved()).positions;
    add("late");
    expect(await shown("auto")).toEqual(before);
    await layout.update(
      endpoints,
      updateInput(projectId, { projectId, positions: "auto" }, { changed: new Set() }),
    );
    const after = (await saved()).positions;
    expect(after).toMatchObject(before);
    expect(Object.keys(after)).toHaveLength(3);
  });

  it("runs when this plan creates a service", () => {
    const upstream = (id: string | undefined, changes: boolean) => ({
      ...{ address: addressOf("service", "shop", "api"), writes: 0, changes },
      ...(id === undefined ? {} : { id }),
    });
    const reason = (positions: "auto" | Record<string, never>, ...all: ReturnType<typeof upstream>[]) =>
      layout.reaction?.({ declared: new Map([["positions", positions]]), upstream: all });
    expect(reason("auto", upstream(undefined, true), upstream("s", true))).toBe(
      "service.shop.api needs a place",
    );
    expect(reason("auto", upstream(undefined, true), upstream(undefined, true))).toBe(
      "2 services need places",
    );
    expect(reason("auto", upstream("s", true))).toBeUndefined();
    expect(reason({}, upstream(undefined, true))).toBeUndefined();
  });
});

describe("explicit positions", () => {
  it("name services by name or id, and leave all others where they are", async () => {
    const { save, saved, ids, shown } = world();
    await save({ positions: { [ids.db]: { x: 9, y: 9 } } });
    const { live } = await save({ positions: { api: { x: 1, y: 2 } } });
    expect(live?.attributes.get("positions")).toEqual({ api: { x: 1, y: 2 } });
    expect((await saved()).positions).toEqual({ [ids.api]: { x: 1, y: 2 }, [ids.db]: { x: 9, y: 9 } });
    expect(await shown({ api: { x: 5, y: 5 }, unknown: { x: 0, y: 0 } })).toEqual({ api: { x: 1, y: 2 } });
  });

  it("must name a node that the canvas shows, and only one", async () => {
    const { save, add } = world();
    await expect(save({ positions: { apo: { x: 1, y: 2 } } })).rejects.toMatchObject({
      diagnostics: [{ code: "manifest.reference_unknown", attribute: "positions" }],
    });
    add("api");
    await expect(save({ positions: { api: { x: 1, y: 2 } } })).rejects.toMatchObject({
      diagnostics: [{ summary: '2 services of the canvas are called "api": name one by its id' }],
    });
  });

  it("are reset by the empty default", async () => {
    const { save, saved, endpoints, projectId } = world();
    await save({ positions: "auto", viewport: { x: 0, y: 0, zoom: 1 } });
    await layout.update(endpoints, updateInput(projectId, { projectId, positions: {}, viewport: null }));
    expect(await saved()).toMatchObject({ positions: {}, viewport: null });
  });
});

describe("saving a layout", () => {
  it("keeps the viewport that is not declared", async () => {
    const { save, saved, endpoints, projectId } = world();
    await save({ viewport: { x: 1, y: 2, zoom: 0.5 } });
    await layout.update(
      endpoints,
      updateInput(
        projectId,
        { positions: "auto" },
        {
          attributes: new Map<string, string>([
            ["projectId", projectId],
            ["positions", "auto"],
          ]),
        },
      ),
    );
    expect((await saved()).viewport).toEqual({ x: 1, y: 2, zoom: 0.5 });
  });

  it("reads the canvas once more when someone saved in between, and then gives up", async () => {
    const { save, endpoints, projectId, ids } = world();
    const racing = (times: number): Endpoints => {
      let left = times;
      return {
        ...endpoints,
        saveCanvas: async (scope, body) => {
          if (left-- > 0) {
            const { revision, positions } = (await endpoints.canvas({ projectId })).layout;
            await endpoints.saveCanvas(scope, { revision, positions, viewport: { x: left, y: 0, zoom: 1 } });
          }
          return endpoints.saveCanvas(scope, body);
        },
      };
    };
    const positions = { [ids.api]: { x: 1, y: 1 } };
    const { live } = await save({ positions }, racing(1));
    expect(live?.attributes.get("positions")).toEqual(positions);
    expect(live?.attributes.get("viewport")).toEqual({ x: 0, y: 0, zoom: 1 });
    await expect(save({ positions }, racing(2))).rejects.toMatchObject({ code: "canvas_revision_conflict" });
  });

  it("drops places of nodes that the canvas no longer shows", async () => {
    const { save, saved, ids, endpoints } = world();
    const stale = { "00000000-0000-4000-8000-000000000000": { x: 1, y: 1 } };
    const showing: Endpoints = {
      ...endpoints,
      canvas: async (scope) => {
        const canvas = await endpoints.canvas(scope);
        return {
          ...canvas,
          layout: { ...canvas.layout, positions: { ...canvas.layout.positions, ...stale } },
        };
      },
    };
    await save({ positions: { api: { x: 7, y: 7 } } }, showing);
    expect((await saved()).positions).toEqual({ [ids.api]: { x: 7, y: 7 } });
  });
});

describe("reading a layout", () => {
  it("is absent while none is saved and none is recorded", async () => {
    const { reads, projectId, save } = world();
    const unrecorded = subject("shop", { values: { projectId, positions: "auto" } });
    expect(await layout.read(reads(), unrecorded)).toEqual({ kind: "absent" });
    await save({ positions: "auto" });
    expect(await layout.read(reads(), unrecorded)).toMatchObject({ kind: "found", live: { id: projectId } });
  });

  it("is gone with its project", async () => {
    const { read, emulator, ids, projectId } = world();
    for (const id of Object.values(ids)) emulator.store.deleteServiceNow(id);
    emulator.store.deleteProjectNow(projectId);
    expect(await read("auto")).toEqual({ kind: "gone" });
  });
});

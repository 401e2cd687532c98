import type { Endpoints } from "../../../src/api/endpoints";
import { layout } from "../../../src/resources/layout";
import { createInput, embedded } from "./embedded";

function world() {
  const made = embedded();
  const { store } = made.emulator;
  const projectId = store.addProject({ name: "Shop" }).id;
  const add = (name: string): string => store.addService({ name, projectId }).id;
  const ids = { api: add("api"), db: add("db") };
  const saved = async () => (await made.endpoints.canvas({ projectId })).layout;
  const save = (values: object, endpoints: Endpoints = made.endpoints) =>
    layout.create(endpoints, createInput("shop", { projectId, ...values }));
  return { ...made, projectId, ids, add, saved, save };
}

describe("explicit positions", () => {
  it("must name one node alone", async () => {
    const { save, add, ids } = world();
    add("api");
    await expect(save({ positions: { api: { x: 1, y: 2 } } })).rejects.toMatchObject({
      diagnostics: [
        {
          summary: '2 nodes of the canvas are called "api"',
          hint: expect.stringContaining(`name one by its id: ${ids.api}, `),
        },
      ],
    });
  });
});

describe("saving a layout", () => {
  it("reads the canvas again when someone saved in between, and then gives up", async () => {
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

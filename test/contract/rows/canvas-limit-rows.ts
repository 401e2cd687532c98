import type { ContractService, Control } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import { expectDone, expectError } from "../things";
import { scoped } from "./canvas-scope";

const read = "GET /workspaces/{workspaceId}/canvas";
const save = "PATCH /workspaces/{workspaceId}/canvas";

export async function refuseTooManyReferences(
  service: ContractService,
  { emulator }: Control,
): Promise<void> {
  const { id, path } = await scoped(service);
  for (let i = 0; i < 10_000; i += 1) emulator.store.addReference(id, id, [`K${i}`]);
  expect((await service.get(path)).body.edges).toHaveLength(10_000);
  emulator.store.addReference(id, id, ["ONE_MORE"]);
  expectError(await service.get(path), 413, "canvas_too_large");
  emulator.store.deleteServiceNow(id);
}

export const canvasLimitRows: readonly Row[] = [
  row("Limits Canvas coordinates", [save], async (service) => {
    const { id, put } = await scoped(service);
    for (const at of [{ x: 10_000_001, y: 0 }, { x: 0, y: -10_000_001 }, { x: "0", y: 0 }, { x: 0 }]) {
      expectError(await put({ positions: { [id]: at } }), 400);
      expectError(await put({ viewport: { ...at, zoom: 1 } }), 400);
    }
    expectDone(await put({ positions: { [id]: { x: 10_000_000, y: -10_000_000 } } }));
  }),
  row("Limits Canvas zoom", [save], async (service) => {
    const { put } = await scoped(service);
    for (const zoom of [0.09, 4.01, null]) expectError(await put({ viewport: { x: 0, y: 0, zoom } }), 400);
    const saved = await put({ viewport: { x: 0, y: 0, zoom: 0.1 } });
    expectDone(saved);
    const { revision } = saved.body.layout;
    expectDone(await put({ revision, viewport: { x: 0, y: 0, zoom: 4 } }));
  }),
  row("Limits Canvas revision", [save], async (service) => {
    const { put } = await scoped(service);
    for (const revision of [-1, 0.5, 9_007_199_254_740_991, "0", null])
      expectError(await put({ revision }), 400);
    expectError(await put({ revision: 9_007_199_254_740_990 }), 409, "canvas_revision_conflict");
  }),
  row("Limits Canvas positions", [save], async (service) => {
    const { put } = await scoped(service);
    const ids = Array.from(
      { length: 2001 },
      (_, i) => `99999999-9999-4999-8999-${String(i).padStart(12, "0")}`,
    );
    const positions = Object.fromEntries(ids.map((id) => [id, { x: 0, y: 0 }]));
    expectError(await put({ positions }), 400);
    expectError(await put({ positions: { "not-a-node": { x: 0, y: 0 } } }), 400);
  }),
  controlledRow("Limits Canvas nodes", [read], async (service, { emulator }) => {
    const { project, path } = await scoped(service);
    for (let i = 1; i < 2000; i += 1) emulator.store.addService({ name: `n${i}`, projectId: project.id });
    expect((await service.get(path)).body.nodes).toHaveLength(2000);
    const last = emulator.store.addService({ name: "n2000", projectId: project.id });
    expectError(await service.get(path), 413, "canvas_too_large");
    emulator.store.deleteServiceNow(last.id);
    expect((await service.get(path)).status).toBe(200);
    for (const node of emulator.store.services())
      if (node.projectId === project.id) emulator.store.deleteServiceNow(node.id);
  }),
  controlledRow("Limits Canvas groups", [read], async (service, { emulator }) => {
    const { project, environmentId, id, path } = await scoped(service);
    const addGroup = (name: string) =>
      emulator.store.addGroup({ name, serviceIds: [id], projectId: project.id, environmentId });
    for (let i = 0; i < 2000; i += 1) addGroup(`g${i}`);
    const { body } = await service.get(path);
    expect(body.groups).toHaveLength(2000);
    expect(new Set(body.groups.map((group: { id: string }) => group.id)).size).toBe(2000);
    expect(body.groups[0]).toEqual({
      id: expect.stringMatching(/^group:/),
      name: expect.any(String),
      environmentId,
      serviceIds: [id],
    });
    addGroup("one more");
    // "There is no pagination and no truncation": what does not fit is refused.
    expectError(await service.get(path), 413, "canvas_too_large");
  }),
  controlledRow("Limits Canvas reference records and edges", [read], refuseTooManyReferences),
];

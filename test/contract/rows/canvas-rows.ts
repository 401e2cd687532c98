import { type ContractService, freshKey } from "../contract-service";
import { replayHeaderOf } from "../replay";
import { controlledRow, type Row, row } from "../row";
import {
  expectDone,
  expectError,
  expectRefused,
  liveService,
  newService,
  pathOf,
  unknownId,
} from "../things";
import { scoped } from "./canvas-scope";

const read = "GET /workspaces/{workspaceId}/canvas";
const save = "PATCH /workspaces/{workspaceId}/canvas";

const nodeIds = (answer: { body: { nodes: { id: string }[] } }) => answer.body.nodes.map((node) => node.id);

export async function refuseOtherNodes(service: ContractService): Promise<void> {
  const { id, put } = await scoped(service);
  const outside = await newService(service);
  const place = (node: string) => put({ positions: { [node]: { x: 0, y: 0 } } });
  for (const node of [unknownId, `group:${unknownId}`, outside.id])
    expectError(await place(node), 400, "canvas_invalid_node");
  await service.post(`${pathOf(service, id)}/archive`, {});
  expectError(await place(id), 400, "canvas_invalid_node");
}

export const canvasRows: readonly Row[] = [
  row("Canvas rule 1", [read], async (service) => {
    const { project, environmentId, id, path } = await scoped(service);
    const ungrouped = await newService(service);
    expect(nodeIds(await service.get(`${service.workspace}/canvas`))).toEqual(
      expect.arrayContaining([id, ungrouped.id]),
    );
    const ofProject = await service.get(path);
    expect(nodeIds(ofProject)).toEqual([id]);
    expect(ofProject.body.scope).toMatchObject({ projectId: project.id, environmentId: null });
    const ofEnvironment = await service.get(`${path}&environmentId=${environmentId}`);
    expect(nodeIds(ofEnvironment)).toEqual([id]);
    expect(ofEnvironment.body.scope).toMatchObject({ projectId: project.id, environmentId });
  }),
  row("Canvas read", [read], async (service) => {
    const { environmentId, path } = await scoped(service);
    const canvas = `${service.workspace}/canvas`;
    for (const wrong of [
      `${canvas}?environmentId=${environmentId}`,
      `${path}&environmentId=${unknownId}`,
      `${canvas}?projectId=nothing`,
      `${canvas}?projectId=${unknownId}`,
    ])
      expectRefused(await service.get(wrong));
  }),
  row("Canvas rule 2", [read], async (service) => {
    const { id, path } = await scoped(service);
    await service.post(`${pathOf(service, id)}/archive`, {});
    expect(nodeIds(await service.get(path))).toEqual([]);
    await service.post(`${pathOf(service, id)}/restore`, {});
    expect(nodeIds(await service.get(path))).toEqual([id]);
  }),
  controlledRow("Canvas rule 2 (deleting)", async (service, control) => {
    const { id, name } = liveService(control);
    await service.delete(pathOf(service, id), { confirm: name });
    expect(nodeIds(await service.get(`${service.workspace}/canvas`))).not.toContain(id);
  }),
  controlledRow("Canvas rule 2 (edges)", async (service, { emulator }) => {
    const { project, environmentId, id, path } = await scoped(service);
    const other = await newService(service, { projectId: project.id, environmentId });
    const outside = await newService(service);
    emulator.store.addReference(id, other.id, ["DATABASE_URL"]);
    emulator.store.addReference(id, outside.id, ["OUTSIDE"]);
    const group = emulator.store.addGroup({
      name: "shared",
      serviceIds: [id],
      projectId: project.id,
      environmentId,
    });
    const { body } = await service.get(path);
    expect(body.groups).toEqual([
      { id: `group:${group.id}`, name: "shared", environmentId, serviceIds: [id] },
    ]);
    expect(body.edges).toEqual([
      { id: expect.any(String), source: id, target: other.id, kind: "reference", keys: ["DATABASE_URL"] },
      { id: expect.any(String), source: `group:${group.id}`, target: id, kind: "environment-group" },
    ]);
    await service.post(`${pathOf(service, other.id)}/archive`, {});
    expect((await service.get(path)).body.edges).toHaveLength(1);
  }),
  row("Canvas rule 3", [read, save], async (service) => {
    const { environmentId, id, path, put } = await scoped(service);
    expect((await service.get(path)).body.layout).toMatchObject({ revision: 0 });
    expectDone(await put({ positions: { [id]: { x: 1, y: 2 } } }));
    const other = await service.get(`${path}&environmentId=${environmentId}`);
    expect(other.body.layout).toMatchObject({ revision: 0 });
    expect(other.body.layout.positions[id] ?? {}).not.toMatchObject({ x: 1, y: 2 });
  }),
  row("Canvas rule 4 (replacement)", [save], async (service) => {
    const { project, environmentId, id, path, put } = await scoped(service);
    const other = await newService(service, { projectId: project.id, environmentId });
    const saved = await put({ positions: { [id]: { x: 1, y: -2.5 } }, viewport: { x: 0, y: 0, zoom: 1 } });
    const { revision } = saved.body.layout;
    expect(revision).toBeGreaterThan(0);
    expect(saved.body.layout).toMatchObject({
      revision,
      positions: { [id]: { x: 1, y: -2.5 } },
      viewport: { x: 0, y: 0, zoom: 1 },
    });
    expectError(await put({ positions: {} }), 409, "canvas_revision_conflict");
    const again = await put({ revision, positions: { [other.id]: { x: 3, y: 4 } } });
    expect(again.body.layout).toMatchObject({ positions: { [other.id]: { x: 3, y: 4 } }, viewport: null });
    const { positions } = (await service.get(path)).body.layout;
    expect(positions[id] ?? {}).not.toMatchObject({ x: 1, y: -2.5 });
    expect(positions[other.id]).toMatchObject({ x: 3, y: 4 });
  }),
  row("Canvas rule 4 (reset)", [save], async (service) => {
    const { id, put } = await scoped(service);
    const { revision } = (await put({ positions: { [id]: { x: 1, y: 1 } } })).body.layout;
    expect((await put({ revision })).body.layout).toMatchObject({ positions: {}, viewport: null });
  }),
  row("Canvas rule 4 (nodes)", [save], refuseOtherNodes),
  controlledRow("Canvas rule 5", [save], async (service, { emulator }) => {
    const { project } = await scoped(service);
    const environment = emulator.store.addEnvironment(project.id, "Locked", { protected: true });
    const path = `${service.workspace}/canvas?projectId=${project.id}&environmentId=${environment.id}`;
    const body = { revision: 0, positions: {}, viewport: null };
    expectError(await service.patch(path, body, { apiKey: "rnv_viewer" }), 403);
    expect((await service.get(path, { apiKey: "rnv_viewer" })).status).toBe(200);
    expect((await service.patch(path, body, { apiKey: "rnv_developer" })).status).toBe(200);
  }),
  row("Canvas rule 6 (refusals)", [save], async (service) => {
    const { project, put } = await scoped(service);
    for (const query of ["&depth=1", `&projectId=${project.id}`, "&environmentId="])
      expectRefused(await put({}, query));
    expectRefused(await put({ nodes: [] }));
  }),
  row("Canvas rule 6 (no replay)", [save], async (service) => {
    const { path } = await scoped(service);
    const send = (key: string) =>
      service.patch(path, { revision: 0, positions: {}, viewport: null }, { key });
    const key = freshKey();
    const first = await send(key);
    expectDone(first);
    expect(replayHeaderOf(first)).toBeUndefined();
    // A replay would answer as before; the revision has moved on.
    const { revision } = first.body.layout;
    expect(revision).toBeGreaterThan(0);
    expectError(await send(key), 409, "canvas_revision_conflict");
  }),
  row("Canvas save", [save], async (service) => {
    const { path } = await scoped(service);
    const whole: Record<string, unknown> = { revision: 0, positions: {}, viewport: null };
    for (const name of Object.keys(whole)) {
      const { [name]: _, ...body } = whole;
      expectError(await service.patch(path, body), 400);
    }
  }),
];

import { freshName } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  environmentIdOf,
  expectDeletion,
  expectDone,
  expectError,
  expectRefused,
  liveService,
  newProject,
  newService,
  pathOf,
  projectDraft,
  timestamp,
  uuid,
} from "../things";

const list = "GET /workspaces/{workspaceId}/projects";
const create = "POST /workspaces/{workspaceId}/projects";
const read = "GET /workspaces/{workspaceId}/projects/{projectId}";
const change = "PATCH /workspaces/{workspaceId}/projects/{projectId}";
const remove = "DELETE /workspaces/{workspaceId}/projects/{projectId}";

export const projectRows: readonly Row[] = [
  row("Projects create", [create], async (service) => {
    const name = freshName();
    const project = await newProject(service, { name, description: "Shop" });
    expect(project).toMatchObject({ name, color: service.projectColor, description: "Shop" });
    expect(project.id).toMatch(uuid);
    expect([project.createdAt, project.updatedAt]).toEqual([
      expect.stringMatching(timestamp),
      expect.stringMatching(timestamp),
    ]);
    // Fields of an environment record are not shown.
    expect(project.environments.length).toBeGreaterThan(0);
  }),
  row("Projects create (empty by default)", [create], async (service) => {
    expect((await newProject(service)).description).toBe("");
  }),
  row("Projects create (both are needed)", [create], async (service) => {
    const { name, color } = projectDraft(service);
    for (const body of [{ name }, { color }, { name: 7, color }, { name, color: 7 }]) {
      expectError(await service.post(`${service.workspace}/projects`, body), 400);
    }
  }),
  controlledRow("Gap Environment record", [create], async (service) => {
    expect((await newProject(service)).environments).toContainEqual(
      expect.objectContaining({ name: "Production", id: expect.stringMatching(uuid) }),
    );
    const body = { ...projectDraft(service), name: "" };
    expectError(await service.post(`${service.workspace}/projects`, body), 400);
  }),
  row("Projects list", [list], async (service) => {
    const made = [await newProject(service), await newProject(service)];
    const answer = await service.get(`${service.workspace}/projects`);
    expectDone(answer);
    const { body } = answer;
    expect(body.projects.map((project: { id: string }) => project.id)).toEqual(
      expect.arrayContaining(made.map((project) => project.id)),
    );
    expect(body.page).toMatchObject({ hasMore: false, nextCursor: null });
  }),
  row("Projects read", [read], async (service) => {
    const project = await newProject(service);
    expect((await service.get(`${service.workspace}/projects/${project.id}`)).body).toMatchObject({
      project,
    });
  }),
  row("Projects change", [change], async (service) => {
    const before = await newProject(service, { description: "old" });
    const path = `${service.workspace}/projects/${before.id}`;
    const { project } = (await service.patch(path, { description: "new" })).body;
    expect(project).toMatchObject({
      id: before.id,
      name: before.name,
      color: before.color,
      description: "new",
    });
    expect(project.updatedAt >= before.updatedAt).toBe(true);
    expect((await service.get(path)).body.project).toEqual(project);
  }),
  row("Projects delete (confirmation)", [remove], async (service) => {
    const project = await newProject(service, { name: `Shop ${freshName()}` });
    const path = `${service.workspace}/projects/${project.id}`;
    for (const confirm of [project.name.toLowerCase(), `${project.name} `, "", project.id]) {
      // Status and code of a confirmation mismatch are not shown.
      expectRefused(await service.delete(path, { confirm }));
    }
    expectRefused(await service.delete(path, {}));
    expectDone(await service.get(path));
    const answer = await service.delete(path, { confirm: project.name });
    expectDeletion(answer);
    if (answer.body.deleted) expectError(await service.get(path), 404);
  }),
  row("Projects delete (services)", [remove], async (service) => {
    const project = await newProject(service);
    const environmentId = environmentIdOf(service, project);
    const held = await newService(service, { projectId: project.id, environmentId });
    const path = `${service.workspace}/projects/${project.id}`;
    expectRefused(await service.delete(path, { confirm: project.name }));
    await service.delete(pathOf(service, held.id), { confirm: held.name });
    expectDeletion(await service.delete(path, { confirm: project.name }));
  }),
  controlledRow("Projects delete (a service still being deleted counts)", async (service, control) => {
    const project = await newProject(service);
    const held = liveService(control);
    control.emulator.store.editService(held.id, () => ({
      projectId: project.id,
      environmentId: project.environments[0].id,
    }));
    await service.delete(pathOf(service, held.id), { confirm: held.name });
    const path = `${service.workspace}/projects/${project.id}`;
    expectError(await service.delete(path, { confirm: project.name }), 409);
    control.clock.advance(60_000);
    expect((await service.delete(path, { confirm: project.name })).body.deleted).toBe(true);
  }),
  controlledRow("Projects delete (groups)", async (service, control) => {
    const project = await newProject(service);
    control.emulator.store.addGroup({ name: "shared", serviceIds: [], projectId: project.id });
    const path = `${service.workspace}/projects/${project.id}`;
    expectError(await service.delete(path, { confirm: project.name }), 409);
  }),
];

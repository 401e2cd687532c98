import { type ContractService, freshKey } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  expectDeletion,
  expectDone,
  expectError,
  expectRefused,
  newProject,
  newService,
  pathOf,
  timestamp,
  unknownId,
  uuid,
} from "../things";

const all = "/workspaces/{workspaceId}/services/{serviceId}/variables";
const secret = "contract-secret-5d1f";

async function newVariable(service: ContractService, serviceId: string, key = "TOKEN") {
  const path = `${pathOf(service, serviceId)}/variables`;
  const answer = await service.post(path, { key, value: secret });
  return { answer, variable: answer.body.variable, path: `${path}/${answer.body.variable?.id}` };
}

export const variableRows: readonly Row[] = [
  row("Variables create (answer)", [`POST ${all}`], async (service) => {
    const { answer, variable } = await newVariable(service, (await newService(service)).id);
    expect(variable).toMatchObject({
      id: expect.stringMatching(uuid),
      key: "TOKEN",
      kind: "variable",
      configured: true,
      value: null,
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    });
    expect(answer.text).not.toContain(secret);
  }),
  row("Variables create (body)", [`POST ${all}`], async (service) => {
    const path = `${pathOf(service, (await newService(service)).id)}/variables`;
    for (const body of [{ key: "A" }, { value: "a" }, { key: "A", value: 1 }, { key: "A", value: null }]) {
      const answer = await service.post(path, body);
      expectError(answer, 400);
    }
  }),
  controlledRow(
    "Gap Variables create (a key that the service already has)",
    [`POST ${all}`],
    async (service) => {
      const { id } = await newService(service);
      await newVariable(service, id);
      expectError((await newVariable(service, id)).answer, 409);
    },
  ),
  controlledRow("Variables change", [`PATCH ${all}/{variableId}`], async (service) => {
    const { variable, path } = await newVariable(service, (await newService(service)).id);
    const renamed = await service.patch(path, { key: "RENAMED" });
    expect(renamed.body.variable).toMatchObject({ id: variable.id, key: "RENAMED", value: null });
    expect(renamed.body.variable.updatedAt > variable.updatedAt).toBe(true);
    expect((await service.post(`${path}/reveal`)).body).toEqual({ value: secret });
    const changed = await service.patch(path, { value: "other-value-77" });
    expect(changed.text).not.toContain("other-value-77");
    expect((await service.post(`${path}/reveal`)).body).toEqual({ value: "other-value-77" });
  }),
  row("Variables delete", [`DELETE ${all}/{variableId}`], async (service) => {
    const { path } = await newVariable(service, (await newService(service)).id);
    const answer = await service.delete(path, {});
    expectDeletion(answer);
    if (answer.body.deleted) expectError(await service.delete(path, {}), 404);
  }),
  row("Variables reveal (answer)", [`POST ${all}/{variableId}/reveal`], async (service) => {
    const { path } = await newVariable(service, (await newService(service)).id);
    const answer = await service.post(`${path}/reveal`);
    expectDone(answer);
    expect(answer.body.value).toBe(secret);
  }),
  row("Variables reveal (request)", [`POST ${all}/{variableId}/reveal`], async (service) => {
    const { path } = await newVariable(service, (await newService(service)).id);
    const answer = await service.post(`${path}/reveal`, undefined, { key: freshKey() });
    // Status and code of it are not shown.
    expectRefused(answer);
    expect(answer.text).not.toContain(secret);
  }),
  controlledRow("Events", [`POST ${all}/{variableId}/reveal`], async (service, { emulator }) => {
    const { id } = await newService(service);
    const { variable, path } = await newVariable(service, id);
    const count = emulator.store.auditEvents().length;
    await service.post(`${path}/reveal`, undefined, { key: freshKey() });
    expect(emulator.store.auditEvents()).toHaveLength(count);
    await service.post(`${path}/reveal`);
    expect(emulator.store.auditEvents().slice(count)).toEqual([
      expect.objectContaining({ kind: "variable.reveal", serviceId: id, variableId: variable.id }),
    ]);
  }),
  controlledRow("Authentication rule 5 (variable reveal)", async (service, { emulator }) => {
    const project = await newProject(service);
    const environment = emulator.store.addEnvironment(project.id, "Locked", { protected: true });
    const { id } = await newService(service, { projectId: project.id, environmentId: environment.id });
    const { path } = await newVariable(service, id);
    const open = (await newVariable(service, (await newService(service)).id)).path;
    const reveal = (at: string, apiKey: string) => service.post(`${at}/reveal`, undefined, { apiKey });
    expectError(await reveal(open, "rnv_viewer"), 403);
    expect((await reveal(open, "rnv_developer")).status).toBe(200);
    expectError(await reveal(path, "rnv_developer"), 403);
    expect((await reveal(path, "rnv_admin")).status).toBe(200);
  }),
  controlledRow("Gap Variables list", [`GET ${all}`], async (service) => {
    const { id } = await newService(service);
    const { variable } = await newVariable(service, id);
    const answer = await service.get(`${pathOf(service, id)}/variables`);
    expect(answer.body.variables).toEqual([variable]);
    expect(answer.text).not.toContain(secret);
    expectError(await service.get(`${pathOf(service, unknownId)}/variables`), 404);
  }),
  row("Variables (of this service only)", async (service) => {
    const { variable } = await newVariable(service, (await newService(service)).id);
    const other = `${pathOf(service, (await newService(service)).id)}/variables/${variable.id}`;
    expectError(await service.delete(other, {}), 404);
    expectError(await service.post(`${other}/reveal`), 404);
  }),
];

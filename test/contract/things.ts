import { type Answer, type ContractService, type Control, freshName, runPrefix } from "./contract-service";

/** Services made through the interface, removed again by `removeThings`. */
const made = new WeakMap<ContractService, string[]>();

export const unknownId = "99999999-9999-4999-8999-999999999999";
export const sha = "0123456789abcdef0123456789abcdef01234567";

export async function newProject(service: ContractService, fields: Record<string, unknown> = {}) {
  const body = { name: freshName(), color: "#2f6fed", ...fields };
  const answer = await service.request("POST", `${service.workspace}/projects`, { body });
  expect(answer.status).toBe(200);
  return answer.body.project;
}

export async function newService(service: ContractService, fields: Record<string, unknown> = {}) {
  const body = { name: freshName(), kind: "web", configuration: {}, deploy: false, ...fields };
  const answer = await service.request("POST", `${service.workspace}/services`, { body });
  expect(answer.status).toBe(200);
  made.set(service, [...(made.get(service) ?? []), answer.body.service.id]);
  return answer.body.service;
}

/** A service with a release that serves. */
export const liveService = (control: Control, configuration = {}) =>
  control.emulator.store.addService({
    name: freshName(),
    live: true,
    configuration: { repository: "https://git.example.com/shop/api", ...configuration },
  });

/** Queues a deployment and waits, on the clock, until it is over. */
export async function deployed(service: ContractService, control: Control, serviceId: string) {
  const path = `${service.workspace}/services/${serviceId}/deploys`;
  const { deployment } = (await service.request("POST", path, { body: {} })).body;
  control.clock.advance(60_000);
  return (await service.request("GET", `${path}/${deployment.id}`)).body.deployment;
}

export const pathOf = (service: ContractService, serviceId: string): string =>
  `${service.workspace}/services/${serviceId}`;

/** The error code, wherever the service puts it (a gap of the interface). */
export const codeOf = (answer: Answer): unknown => answer.body?.code ?? answer.body?.error?.code;

/** An error answer as section "Errors" describes every one of them. */
export function expectError(answer: Answer, status: number, code?: string): void {
  expect({ status: answer.status, code: code && codeOf(answer) }).toEqual({ status, code });
  expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"));
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
}

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Leaves the workspace as it was found, as far as the interface lets it. */
export async function removeThings(service: ContractService): Promise<void> {
  for (const id of made.get(service) ?? []) {
    const found = await service.request("GET", pathOf(service, id));
    if (found.status !== 200) continue;
    await service.request("DELETE", pathOf(service, id), { body: { confirm: found.body.service.name } });
  }
  const { projects } = (await service.request("GET", `${service.workspace}/projects`)).body;
  for (const { id, name } of projects) {
    if (!name.includes(runPrefix)) continue;
    await service.request("DELETE", `${service.workspace}/projects/${id}`, { body: { confirm: name } });
  }
}

import { type Answer, type ContractService, type Control, freshName, runPrefix } from "./contract-service";

/** Services made through the interface, by id with their names, removed again by `removeThings`. */
const made = new WeakMap<ContractService, Map<string, string>>();

export const unknownId = "99999999-9999-4999-8999-999999999999";
export const sha = "0123456789abcdef0123456789abcdef01234567";

/** What a new project is made with. */
export const projectDraft = (service: ContractService) => ({
  name: freshName(),
  color: service.projectColor,
});

export const createProject = (
  service: ContractService,
  options: Parameters<ContractService["request"]>[2] = {},
): Promise<Answer> => service.post(`${service.workspace}/projects`, projectDraft(service), options);

export async function newProject(service: ContractService, fields: Record<string, unknown> = {}) {
  const body = { ...projectDraft(service), ...fields };
  const answer = await service.post(`${service.workspace}/projects`, body);
  expectDone(answer);
  return answer.body.project;
}

/** The id of the environment that a new project has. */
export const environmentIdOf = (
  service: ContractService,
  project: { readonly environments: readonly Readonly<Record<string, string>>[] },
): string => project.environments[0]?.[service.environmentIdField] ?? "";

export async function newService(service: ContractService, fields: Record<string, unknown> = {}) {
  const body = { name: freshName(), kind: "web", configuration: {}, deploy: false, ...fields };
  const answer = await service.post(`${service.workspace}/services`, body);
  expectDone(answer);
  removeLater(service, answer.body.service);
  return answer.body.service;
}

/** Notes a service for `removeThings`. */
export function removeLater(
  service: ContractService,
  { id, name }: { readonly id: string; readonly name: string },
): void {
  made.set(service, (made.get(service) ?? new Map()).set(id, name));
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
  const { deployment } = (await service.post(path, {})).body;
  control.clock.advance(60_000);
  return (await service.get(`${path}/${deployment.id}`)).body.deployment;
}

export const pathOf = (service: ContractService, serviceId: string): string =>
  `${service.workspace}/services/${serviceId}`;

/** A request that was done. Where the interface says no more, any 2xx. */
export function expectDone(answer: Answer): void {
  expect({ status: answer.status, is: isIn(answer, 200) ? "2xx" : answer.text }).toMatchObject({ is: "2xx" });
}

/** A request that was refused. Where the interface marks status and code "not shown", any 4xx. */
export function expectRefused(answer: Answer): void {
  expect({ status: answer.status, is: isIn(answer, 400) ? "4xx" : answer.text }).toMatchObject({ is: "4xx" });
  expectErrorBody(answer);
}

/** An error answer of a status that the interface names, with its code where it names one: wherever it stands. */
export function expectError(answer: Answer, status: number, code?: string): void {
  expect(answer.status).toBe(status);
  expectErrorBody(answer);
  if (code !== undefined) expect(answer.text).toMatch(new RegExp(`"${code}"`));
}

/** "Every error response is JSON carrying the request correlation id in `requestId`, and the header `X-Request-ID`." */
function expectErrorBody(answer: Answer): void {
  expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"));
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
}

const isIn = ({ status }: Answer, hundred: number): boolean => status >= hundred && status < hundred + 100;

/** A deletion that was taken: done, or queued. Which one it is, is shown for services only. */
export function expectDeletion(answer: Answer): void {
  expectDone(answer);
  expect(answer.body.deleted === true || answer.body.queued === true).toBe(true);
}

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

/** Leaves the workspace as it was found, as far as the interface lets it. */
export async function removeThings(service: ContractService): Promise<void> {
  for (const [id, name] of made.get(service) ?? [])
    await service.delete(pathOf(service, id), { confirm: name });
  const { projects } = (await service.get(`${service.workspace}/projects`)).body;
  for (const { id, name } of projects) {
    if (!name.includes(runPrefix)) continue;
    await service.delete(`${service.workspace}/projects/${id}`, { confirm: name });
  }
}

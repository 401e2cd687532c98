import { parseJson } from "../../src/api/transport";
import type { AnswerBody, Fault, FaultPlan, SeenRequest } from "../../src/emulator/testing";

/** Services that answer, or refuse, in other ways than rnv assumes where the interface shows none: as fault plans. */

type Where = (request: SeenRequest) => boolean;

const asks =
  (method: string, path: RegExp): Where =>
  (request) =>
    request.method === method && path.test(request.path);

/** The answers to some requests have another shape; errors stay. */
const reshaped =
  (where: Where, shape: (body: AnswerBody) => unknown): FaultPlan =>
  (_, request) =>
    where(request)
      ? { kind: "edited", edit: (body) => (body.code === undefined ? shape(body) : body) }
      : undefined;

const changesThing = asks("PATCH", /\/(services|variables)\/[^/]+$/);
const showsThing: Where = (request) =>
  [asks("GET", /\/services\/[^/]+$/), changesThing, asks("POST", /\/rollback$/)].some((where) =>
    where(request),
  );

/** Things that are read, changed or rolled back, without the field of their kind around them. */
export const bareAnswers = reshaped(showsThing, (body) => Object.values(body)[0]);
export const deepAnswers = reshaped(showsThing, (body) => ({ data: { item: Object.values(body)[0] } }));
/** A change is answered without the thing. */
export const silentAnswers = reshaped(changesThing, () => ({ updated: true }));

/** A list of variables in another field, in a field of a field, or alone. */
export const variablesAt = (place: "items" | "data.list" | "."): FaultPlan =>
  reshaped(
    asks("GET", /\/(variables|env)$/),
    ({ variables, page }) =>
      ({
        items: { items: variables, page },
        "data.list": { data: { list: variables, page } },
        ".": variables,
      })[place],
  );

export const wrappedOperations = reshaped(asks("GET", /\/operations\/[^/]+$/), (operation) => ({
  operation,
}));

/** The id and the name of an environment have other names. */
export function environmentsOf(idField: string, nameField: string): FaultPlan {
  const renamed = ({ environments, ...project }: AnswerBody) => ({
    ...project,
    environments: (environments as AnswerBody[]).map(({ id, name, ...rest }) => ({
      ...{ [idField]: id, [nameField]: name },
      ...rest,
    })),
  });
  return reshaped(
    ({ path }) => /\/projects(\/[^/]+)?$/.test(path),
    ({ project, projects, ...rest }) => ({
      ...(project !== undefined && { project: renamed(project as AnswerBody) }),
      ...(projects !== undefined && { projects: (projects as AnswerBody[]).map(renamed) }),
      ...rest,
    }),
  );
}

const fieldsSent = ({ method, path, body }: SeenRequest): AnswerBody =>
  method !== "GET" && /\/projects(\/[^/]+)?$/.test(path) ? ((parseJson(body ?? "") ?? {}) as AnswerBody) : {};

const refusal = (message: string): Fault => ({ kind: "status", status: 400, code: "invalid_value", message });

/** A project has one of these colors. */
export const projectColors =
  (...colors: readonly string[]): FaultPlan =>
  (_, request) => {
    const { color } = fieldsSent(request);
    if (color === undefined || colors.includes(`${color}`)) return undefined;
    return refusal(`color: must be one of ${colors.join(", ")}`);
  };

/** A project keeps its name. */
export const keptProjectNames: FaultPlan = (_, request) =>
  request.method === "PATCH" && "name" in fieldsSent(request)
    ? refusal('The body: Unrecognized key: "name"')
    : undefined;

/** The fault of the first plan that has one for a request. */
export const firstOf =
  (...plans: readonly FaultPlan[]): FaultPlan =>
  (index, request) =>
    plans.map((plan) => plan(index, request)).find((fault) => fault !== undefined);

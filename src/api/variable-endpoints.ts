import { Secret } from "../model/secret";
import { ApiError } from "./api-error";
import type { EndpointCall, Endpoints } from "./endpoints";
import { fillBody, pathUnder, turnedOff, underGap, variablesIn, wrappedAs } from "./gap-rules";
import { aboutDeletion, parseAnswer, readPages, shows } from "./parse-answer";
import type { ApiRequest } from "./send";
import {
  deletion,
  patchedVariableAnswer,
  revealAnswer,
  type Variable,
  variableAnswer,
  variablesAnswer,
} from "./wire/shapes";

/** Interface, "Variables", and the gaps "list variables" and "change a variable". */
export function variableEndpoints(call: EndpointCall) {
  const { send, path, write } = call;
  const reveal = async (id: string, variableId: string): Promise<string> => {
    const request: ApiRequest = {
      operation: "revealVariable",
      method: "POST",
      path: path("services", id, "variables", variableId, "reveal"),
      keyed: false,
      sensitive: true,
      reveals: "value",
    };
    return parseAnswer(revealAnswer, request, await send(request)).value;
  };
  return {
    listVariables: (id) => listVariables(call, id),
    createVariable: async (id, body) => {
      const request = {
        operation: "createVariable",
        method: "POST",
        path: path("services", id, "variables"),
        body,
        sensitive: true,
      } as const;
      const about = shows("variable", { key: body.key });
      return (await write(variableAnswer, request, { about })).variable;
    },
    updateVariable: (id, variableId, change) => updateVariable(call, id, variableId, change),
    deleteVariable: (id, variableId) => {
      const variable = path("services", id, "variables", variableId);
      const request = { operation: "deleteVariable", method: "DELETE", path: variable, body: {} } as const;
      return write(deletion, request, { about: aboutDeletion });
    },
    revealVariable: async (id, variableId) => new Secret(await reveal(id, variableId)),
    revealVariableText: reveal,
  } satisfies Partial<Endpoints>;
}

/** Gap "list variables"; all pages. */
async function listVariables({ send, path, gaps }: EndpointCall, id: string): Promise<readonly Variable[]> {
  const isOff = gaps.listVariables === "off";
  const request: ApiRequest = {
    operation: "listVariables",
    method: "GET",
    path: isOff ? path("services", id, "variables") : pathUnder(path, gaps.listVariables, { serviceId: id }),
    keyed: false,
    ...(gaps.variableItems === "." ? { mayBeList: true } : {}),
  };
  if (isOff) throw turnedOff(request, "listVariables");
  try {
    return await readPages(send, request, (response) => {
      const listed = variablesIn(response.body, gaps.variableItems);
      const { variables, page } = parseAnswer(variablesAnswer, request, response, listed);
      return { items: variables, page };
    });
  } catch (failure) {
    throw underGap(failure, "list variables");
  }
}

type VariableChange = Parameters<Endpoints["updateVariable"]>[2];

const assumedNames = "key,value";
const otherNames = "name,value";

/**
 * Gap "change a variable": the body as it is set; `auto` tries other names once after a 400 and keeps to those that the
 * service took. A change that was accepted without being shown is looked up in the list.
 */
async function updateVariable(
  call: EndpointCall,
  id: string,
  variableId: string,
  change: VariableChange,
): Promise<Variable> {
  const { path, gaps, detected, write } = call;
  const request = {
    operation: "updateVariable",
    method: "PATCH",
    path: path("services", id, "variables", variableId),
    sensitive: true,
  } as const;
  const { patchVariable: setting } = gaps;
  if (setting === "off") throw turnedOff(request, "patchVariable");
  const patch = async (form: string): Promise<Variable> => {
    const body = { ...request, body: variableBody(form, change) };
    const { variable } = await write(patchedVariableAnswer, body, {
      inner: (answered) => wrappedAs("variable", answered, gaps.variableAnswer),
      about: shows("variable", { id: variableId }),
    });
    detected.patchVariable = form;
    return variable ?? (await listedVariable(call, id, variableId));
  };
  const isChosen = setting !== "auto" && setting !== "route";
  try {
    return await patch(isChosen ? setting : (detected.patchVariable ?? assumedNames));
  } catch (failure) {
    if (isChosen || detected.patchVariable !== undefined || !isRefusedBody(failure))
      throw detected.patchVariable === undefined ? underGap(failure, "change a variable") : failure;
    return patch(otherNames).catch((second: unknown) => {
      throw isRefusedBody(second) ? underGap(failure, "change a variable") : second;
    });
  }
}

function variableBody(form: string, { key, value }: VariableChange): Readonly<Record<string, unknown>> {
  if (form.startsWith("{")) return fillBody(form, { key, value });
  const [keyField = "key", valueField = "value"] = form.split(",");
  return {
    ...(key === undefined ? {} : { [keyField]: key }),
    ...(value === undefined ? {} : { [valueField]: value }),
  };
}

const isRefusedBody = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.kind === "refused" && failure.status === 400;

async function listedVariable(call: EndpointCall, id: string, variableId: string): Promise<Variable> {
  const found = (await listVariables(call, id)).find((one) => one.id === variableId);
  if (found !== undefined) return found;
  const path = call.path("services", id, "variables", variableId);
  throw new ApiError({
    kind: "malformed",
    ...{ operation: "updateVariable", method: "PATCH", path, requestId: "", attempts: 1 },
    message: "the answer does not show the variable, and no list does",
  });
}

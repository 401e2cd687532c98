import { Secret } from "../model/secret";
import { type EndpointCall, turnedOff } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { parseAnswer } from "./parse-answer";
import { readPages } from "./read-pages";
import type { ApiRequest } from "./send";
import { deletion } from "./wire/common";
import { revealAnswer, variableAnswer, variablesAnswer } from "./wire/variable";

type VariableEndpoints = Pick<
  Endpoints,
  "listVariables" | "createVariable" | "updateVariable" | "deleteVariable" | "revealVariable"
>;

/** Interface, "Variables", and the gaps "list variables" and "change a variable". */
export function variableEndpoints({ send, path, gaps, write }: EndpointCall): VariableEndpoints {
  return {
    listVariables: (id) => {
      const request: ApiRequest = {
        operation: "listVariables",
        method: "GET",
        path: path("services", id, "variables"),
        keyed: false,
      };
      if (gaps.listVariables === "off") return Promise.reject(turnedOff(request, "listVariables"));
      return readPages(send, request, (response) => {
        const { variables, page } = parseAnswer(variablesAnswer, request, response);
        return { items: variables, page };
      });
    },
    createVariable: async (id, body) =>
      (
        await write(variableAnswer, {
          operation: "createVariable",
          method: "POST",
          path: path("services", id, "variables"),
          body,
          sensitive: true,
        })
      ).variable,
    updateVariable: async (id, variableId, body) => {
      const request = {
        operation: "updateVariable",
        method: "PATCH" as const,
        path: path("services", id, "variables", variableId),
        body,
        sensitive: true as const,
      };
      if (gaps.patchVariable === "off") throw turnedOff(request, "patchVariable");
      return (await write(variableAnswer, request)).variable;
    },
    deleteVariable: (id, variableId) =>
      write(deletion, {
        operation: "deleteVariable",
        method: "DELETE",
        path: path("services", id, "variables", variableId),
        body: {},
      }),
    revealVariable: async (id, variableId) => {
      const request: ApiRequest = {
        operation: "revealVariable",
        method: "POST",
        path: path("services", id, "variables", variableId, "reveal"),
        keyed: false,
        sensitive: true,
      };
      return new Secret(parseAnswer(revealAnswer, request, await send(request)).value);
    },
  };
}

import type { EndpointCall } from "./endpoint-call";
import type { CanvasScope, Endpoints } from "./endpoints";
import { parseAnswer } from "./parse-answer";
import type { ApiRequest } from "./send";
import { canvas } from "./wire/canvas";
import { isCanvas } from "./wire/is-canvas";

type CanvasEndpoints = Pick<Endpoints, "canvas" | "saveCanvas">;

/** Interface, "Canvas". */
export function canvasEndpoints({ send, path, read }: EndpointCall): CanvasEndpoints {
  const query = ({ projectId, environmentId }: CanvasScope): Record<string, string> => ({
    ...(projectId === undefined ? {} : { projectId }),
    ...(environmentId === undefined ? {} : { environmentId }),
  });
  return {
    canvas: (scope = {}) => read(canvas, "canvas", path("canvas"), query(scope), isCanvas),
    saveCanvas: async (scope, body) => {
      const request: ApiRequest = {
        operation: "saveCanvas",
        method: "PATCH",
        path: path("canvas"),
        query: query(scope),
        body,
        keyed: false,
      };
      return parseAnswer(canvas, request, await send(request));
    },
  };
}

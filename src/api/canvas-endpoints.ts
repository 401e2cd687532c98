import type { EndpointCall } from "./endpoint-call";
import type { CanvasScope, Endpoints } from "./endpoints";
import { aboutThing, ask } from "./parse-answer";
import type { About, ApiRequest } from "./send";
import { type Canvas, canvas } from "./wire/canvas";

type CanvasEndpoints = Pick<Endpoints, "canvas" | "saveCanvas">;

/** Interface, "Canvas". */
export function canvasEndpoints({ send, path, read }: EndpointCall): CanvasEndpoints {
  const query = ({ projectId, environmentId }: CanvasScope): Record<string, string> => ({
    ...(projectId === undefined ? {} : { projectId }),
    ...(environmentId === undefined ? {} : { environmentId }),
  });
  return {
    canvas: (scope = {}) =>
      read(canvas, "canvas", path("canvas"), query(scope), {
        about: (shown) => aboutScope(shown, scope),
      }),
    saveCanvas: async (scope, body) => {
      const request: ApiRequest = {
        operation: "saveCanvas",
        method: "PATCH",
        path: path("canvas"),
        query: query(scope),
        body,
        keyed: false,
      };
      return ask(send, canvas, request, { about: (shown) => aboutScope(shown, scope) });
    },
  };
}

/** A canvas is that of its scope; nothing on it has an id that was asked for. */
function aboutScope({ scope }: Canvas, { projectId, environmentId }: CanvasScope): About {
  const asked = { projectId: projectId ?? null, environmentId: environmentId ?? null };
  const { mismatch } = aboutThing("scope", { ...scope, id: "" }, asked);
  return mismatch === undefined ? {} : { mismatch };
}

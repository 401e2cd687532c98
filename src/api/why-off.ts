import { hostingIsOff } from "./gap-answers";
import type { ApiRequest, Send } from "./send";
import { catalog } from "./wire/catalog";
import { deploymentsAnswer } from "./wire/deployment";

/**
 * Asks why hosting is off, once the service has answered `engine_unavailable`: its list of deployments at `path` says
 * so with a reason (interface, "Deployments", rule 1), or its catalog. Undefined where neither does: it is not ready
 * in passing.
 */
export async function whyOff(send: Send, path: string, address?: string): Promise<string | undefined> {
  const read = async (request: Pick<ApiRequest, "operation" | "path" | "query">): Promise<unknown> => {
    const about = address === undefined ? {} : { address };
    return (await send({ ...request, ...about, method: "GET", keyed: false })).body;
  };
  try {
    const listed = await read({ operation: "listDeployments", path, query: { limit: "1" } });
    const list = deploymentsAnswer.safeParse(listed);
    if (list.success && !list.data.available) return list.data.reason || "the service gives no reason";
    const shown = catalog.safeParse(await read({ operation: "catalog", path: "/catalog" }));
    return shown.success && hostingIsOff(shown.data.capabilities)
      ? "its catalog says that hosting is off"
      : undefined;
  } catch {
    // What cannot be asked does not decide: the write is sent again as after any passing refusal.
    return undefined;
  }
}

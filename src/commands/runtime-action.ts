import { actOnService, type RuntimeOutcome } from "./act-on-service";
import type { RuntimeRequest } from "./carry-out-action";
import type { Context } from "./context";
import { connectConcealing } from "./load";

/** A verb of the command line that acts on a service at once: what the manifest declares as secret is masked. */
export async function runtimeAction(context: Context, request: RuntimeRequest): Promise<RuntimeOutcome> {
  return actOnService(context, await connectConcealing(context), request);
}

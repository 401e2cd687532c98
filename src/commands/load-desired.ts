import type { FileRequest, LoadedManifest, ManifestRequest } from "../declaration/load-request";
import { type Diagnostic, error, hasErrors } from "../diagnostics/diagnostic";
import { loadManifest } from "../manifest/load-manifest";
import type * as stack from "../stack/load-stack";
import { findStacks, isStackPath, type StackFile } from "../stack/stack-files";

/** Reads the desired state that `-f` values name: YAML manifests, or synthesized stacks, but not both at once. */
export async function loadDesired(request: ManifestRequest): Promise<LoadedManifest> {
  const areStacks = await areStackPaths(request);
  if (!areStacks.includes(true)) return loadManifest(request);
  if (!areStacks.includes(false)) return (require("../stack/load-stack") as typeof stack).loadStack(request);
  const summary = "stacks and YAML manifests cannot be read together";
  const hint = "name one of the two with -f; a stack reads an environment from variables (RNV_VAR_name)";
  return { diagnostics: [error("manifest.unsupported", summary, { hint })] };
}

export const areStackPaths = (request: FileRequest): Promise<readonly boolean[]> =>
  Promise.all(request.files.map((file) => file !== "-" && isStackPath(file, request)));

/** Lists the stacks that `-f` values name, in the order of their dependencies; empty for manifests, and after a mistake. */
export async function listStacks(request: FileRequest): Promise<readonly StackFile[]> {
  if (request.files.length === 0 || (await areStackPaths(request)).includes(false)) return [];
  const diagnostics: Diagnostic[] = [];
  const stacks = await findStacks(request, (diagnostic) => diagnostics.push(diagnostic));
  return hasErrors(diagnostics) ? [] : stacks;
}

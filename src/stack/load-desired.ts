import { type Diagnostic, error, hasErrors } from "../diagnostics/diagnostic";
import type { LoadedManifest, ManifestRequest } from "../manifest/context";
import { loadManifest } from "../manifest/load-manifest";
import { findStacks, isStackPath, type StackFile } from "./files";
import type * as stack from "./load";

/** Reads the desired state that `-f` values name: YAML manifests, or synthesized stacks, but not both at once. */
export async function loadDesired(request: ManifestRequest): Promise<LoadedManifest> {
  const stacks: string[] = [];
  for (const file of request.files)
    if (file !== "-" && (await isStackPath(file, request.cwd))) stacks.push(file);
  if (stacks.length === 0) return loadManifest(request);
  if (stacks.length === request.files.length) return (require("./load") as typeof stack).loadStack(request);
  const summary = "stacks and YAML manifests cannot be read together";
  const hint = "name one of the two with -f; a stack reads an environment from variables (RNV_VAR_name)";
  return { diagnostics: [error("manifest.unsupported", summary, { hint })] };
}

/** Lists the stacks that `-f` values name, in the order of their dependencies; empty for manifests, and after a mistake. */
export async function listStacks(files: readonly string[], cwd: string): Promise<readonly StackFile[]> {
  const arePaths = await Promise.all(files.map((file) => file !== "-" && isStackPath(file, cwd)));
  if (files.length === 0 || arePaths.includes(false)) return [];
  const diagnostics: Diagnostic[] = [];
  const stacks = await findStacks(files, cwd, (diagnostic) => diagnostics.push(diagnostic));
  return hasErrors(diagnostics) ? [] : stacks;
}

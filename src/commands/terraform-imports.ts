import type { Resource } from "../api/reads";
import type { LoadedManifest } from "../declaration/load-request";
import { failure, hasErrors } from "../diagnostics/diagnostic";
import { type Address, nameOf } from "../model/address";
import { compareTexts } from "../model/collections";
import type { RecordedResource, State } from "../model/state";
import { terraformNameOf, variablesResource } from "../model/terraform-names";
import { importableTypes, resourceTypes } from "../resources";
import { type TerraformImport, terraformConfig } from "../stack/write-config";
import { type Context, type Outcome, succeeded } from "./context";
import { refuseHandOver } from "./edit-state";
import { load } from "./load";

/**
 * `rnv terraform import-blocks`: returns the recorded resources as `import` blocks in HCL; with `blocks`, the declared
 * resources as resource blocks, too. Writes nothing.
 */
export async function terraformImports(
  context: Pick<Context, "backend" | "cwd" | "environment" | "standardInput" | "untrusted" | "stack">,
  { files, blocks }: { readonly files: readonly string[]; readonly blocks: boolean },
): Promise<Outcome & { readonly text?: string }> {
  const state = await context.backend.read();
  refuseHandOver(state);
  const recorded = entriesOf(state).filter(({ record }) => record.retained !== true);
  if (recorded.length === 0)
    throw failure("state.address_unknown", "nothing is recorded: there is nothing to import");
  const declared = blocks || context.stack ? await load(context, files, "skip") : undefined;
  if (declared !== undefined && hasErrors(declared.diagnostics)) return { ...declared, exitCode: 1 };
  const labels = new Map<Address, string>();
  // A map of variables of a stack is imported once.
  const imports = new Map<string, TerraformImport>();
  for (const { address, record, type } of recorded) {
    // The deployment of an archived service is recorded, and no block of the stack takes it.
    const isDeclared = declared?.desired?.resources.has(address) === true;
    if (context.stack && type.reacts !== undefined && !isDeclared) continue;
    const label = context.stack && labelInStack(address, type, declared);
    const isMap = label?.startsWith(`${variablesResource}.`) === true;
    const parentId = record.parent && state?.resources[record.parent]?.id;
    const importId = isMap ? parentId : importIdOf(record, type, parentId);
    if (importId === undefined) continue;
    const desired = label === undefined ? declared?.desired?.resources.get(address) : undefined;
    imports.set(label ?? address, { address, type, importId, desired });
    if (label !== undefined) labels.set(address, label);
  }
  const text = terraformConfig([...imports.values()], context.stack && labels);
  return { ...succeeded, ...declared, text };
}

/** The resource that the JSON of a stack has for an address: the key of its block is its name, for a map as well. */
function labelInStack(address: Address, type: Resource, declared?: LoadedManifest): string {
  const name = nameOf(address).replaceAll(".", "__");
  const { source, start, end } = declared?.desired?.resources.get(address)?.range ?? {};
  const key = source?.text?.slice(start, end).replaceAll('"', "") ?? name;
  return `${key === name ? terraformNameOf(type) : variablesResource}.${key}`;
}

/** Parents first, as they are recorded under them. */
function entriesOf(state: State | undefined) {
  const entries = Object.entries(state?.resources ?? {}) as [Address, RecordedResource][];
  const sorted = entries.sort(([a], [b]) => compareTexts(a, b));
  return resourceTypes.flatMap((type) =>
    sorted.flatMap(([address, record]) => (record.type === type.type ? [{ address, record, type }] : [])),
  );
}

/** Its own id, below that of its parent where it is read there; that of the parent without a life of its own. */
function importIdOf({ id }: RecordedResource, type: Resource, parentId: string | undefined) {
  if (!importableTypes.includes(type)) return parentId;
  if (!type.removedWithParent) return id;
  return parentId === undefined ? undefined : `${parentId}/${id}`;
}

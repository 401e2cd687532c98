import type { Resource } from "../api/reads";
import type { LoadedManifest } from "../declaration/load-request";
import { failure, hasErrors } from "../diagnostics/diagnostic";
import { type Address, nameOf } from "../model/address";
import type { RecordedResource, State } from "../model/state";
import { compareTexts, terraformNameOf, variablesResource } from "../model/text";
import { importableTypes, resourceTypes, typeNamed } from "../resources";
import { type TerraformImport, terraformConfig } from "../stack/write-config";
import { type Context, type Outcome, succeeded } from "./context";
import { load } from "./load";
import { refuseHandOver } from "./state-verbs";

/**
 * `rnv terraform import-blocks`: what the state records, as `import` blocks for Terraform, in HCL; with `blocks` the resource
 * blocks of what the manifest declares, too. Writes nothing.
 */
export async function terraformImports(
  context: Pick<Context, "backend" | "cwd" | "environment" | "standardInput" | "untrusted" | "stack">,
  { files, blocks }: { readonly files: readonly string[]; readonly blocks: boolean },
): Promise<Outcome & { readonly text?: string }> {
  const state = await context.backend.read();
  refuseHandOver(state);
  const recorded = entriesOf(state).filter(([, { retained }]) => retained !== true);
  if (recorded.length === 0)
    throw failure("state.address_unknown", "nothing is recorded: there is nothing to import");
  const declared = blocks || context.stack ? await load(context, files, "skip") : undefined;
  if (declared !== undefined && hasErrors(declared.diagnostics)) return { ...declared, exitCode: 1 };
  const labels = new Map<Address, string>();
  // A map of variables of a stack is imported once.
  const imports = new Map<string, TerraformImport>();
  for (const [address, record] of recorded) {
    const type = typeNamed(record.type);
    // The deployment of an archived service is recorded, and no block of the stack takes it.
    const isDeclared = declared?.desired?.resources.has(address) === true;
    if (context.stack && type?.reacts !== undefined && !isDeclared) continue;
    const label = type && context.stack && labelInStack(address, type, declared);
    const importId = importIdOf(record, state?.resources ?? {}, label?.startsWith(`${variablesResource}.`));
    if (type === undefined || importId === undefined) continue;
    const desired = label === undefined ? declared?.desired?.resources.get(address) : undefined;
    imports.set(label ?? address, { address, type, importId, ...(desired !== undefined && { desired }) });
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
const entriesOf = (state: State | undefined): readonly (readonly [Address, RecordedResource])[] => {
  const entries = Object.entries(state?.resources ?? {}) as [Address, RecordedResource][];
  const sorted = entries.sort(([a], [b]) => compareTexts(a, b));
  return resourceTypes.flatMap(({ type }) => sorted.filter(([, record]) => record.type === type));
};

/** Its own id, below that of its parent where it is read there; that of the parent for a map, or without a life of its own. */
function importIdOf(record: RecordedResource, resources: State["resources"], isMap = false) {
  const type = typeNamed(record.type);
  const parentId = record.parent === undefined ? undefined : resources[record.parent]?.id;
  if (type === undefined) return undefined;
  if (isMap || !importableTypes.includes(type)) return parentId;
  if (!type.removedWithParent) return record.id;
  return parentId === undefined ? undefined : `${parentId}/${record.id}`;
}

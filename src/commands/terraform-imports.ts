import { DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { RecordedResource, State } from "../model/state";
import { type TerraformImport, terraformConfig } from "../render/terraform-config";
import { importableTypes, resourceTypes, typeNamed } from "../resources";
import { type Context, type Outcome, succeeded } from "./context";
import { refuseHandOver } from "./hand-over";
import { load } from "./load";

export interface TerraformImportsRequest {
  readonly files: readonly string[];
  /** Writes the resource blocks of what the manifest declares, too. */
  readonly blocks: boolean;
}

export interface TerraformImportsOutcome extends Outcome {
  /** HCL. */
  readonly text?: string;
  readonly count: number;
}

/** `rnv terraform import-blocks`: what the state records, as `import` blocks for Terraform. Writes nothing. */
export async function terraformImports(
  context: Pick<Context, "backend" | "cwd" | "environment" | "standardInput" | "untrusted" | "stack">,
  { files, blocks }: TerraformImportsRequest,
): Promise<TerraformImportsOutcome> {
  const state = await context.backend.read();
  refuseHandOver(state);
  const recorded = entriesOf(state).filter(([, { retained }]) => retained !== true);
  if (recorded.length === 0)
    throw new DiagnosticsError([
      error("state.address_unknown", "nothing is recorded: there is nothing to import"),
    ]);
  const declared = blocks ? await load(context, files, "skip") : undefined;
  if (declared !== undefined && hasErrors(declared.diagnostics))
    return { ...succeeded, ...declared, count: 0, exitCode: 1 };
  const imports = recorded.flatMap(([address, record]): TerraformImport[] => {
    const type = typeNamed(record.type);
    const importId = importIdOf(record, state?.resources ?? {});
    const desired = declared?.desired?.resources.get(address);
    if (type === undefined || importId === undefined) return [];
    return [{ address, type, importId, ...(desired !== undefined && { desired }) }];
  });
  const { diagnostics, sources } = declared ?? succeeded;
  return { diagnostics, sources, exitCode: 0, text: terraformConfig(imports), count: imports.length };
}

/** Parents first, as they are recorded under them. */
const entriesOf = (state: State | undefined): readonly [Address, RecordedResource][] =>
  (Object.entries(state?.resources ?? {}) as [Address, RecordedResource][]).sort(
    ([a, one], [b, other]) =>
      orderOf(one) - orderOf(other) || a.split(".").length - b.split(".").length || (a < b ? -1 : 1),
  );

const orderOf = ({ type }: RecordedResource): number => resourceTypes.findIndex((one) => one.type === type);

/** Its own id, below that of its parent where it is read there; that of the parent where it has no life of its own. */
function importIdOf(record: RecordedResource, resources: State["resources"]): string | undefined {
  const type = typeNamed(record.type);
  const parentId = record.parent === undefined ? undefined : resources[record.parent]?.id;
  if (type === undefined) return undefined;
  if (!importableTypes.includes(type)) return parentId;
  if (!type.removedWithParent) return record.id;
  return parentId === undefined ? undefined : `${parentId}/${record.id}`;
}

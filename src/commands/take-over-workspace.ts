import * as z from "zod";
import { parseJson } from "../api/transport";
import { failure, hasErrors, warning } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import { terraformNameOf, variablesResource } from "../model/terraform-names";
import type { Change, Plan } from "../plan/plan";
import { resourceTypes, typeNamed } from "../resources";
import { apply } from "./apply";
import { type Context, type Outcome, type PlanRequest, planRequest } from "./context";
import { type ExportRequest, exportManifest } from "./export-manifest";
import { refuseNewState } from "./hold-lock";
import { type PlanOutcome, plan } from "./plan";

export interface TakeOverRequest extends ExportRequest {
  /** Keeps the manifest and returns its path; undefined ends here, with nothing kept. */
  readonly keep: (manifest: string) => string | undefined;
  readonly lockTimeoutMs: number;
}

export interface TakeOverOutcome extends Outcome {
  /** Resources that the manifest declares, and references among them. */
  readonly declared: number;
  readonly references: number;
  readonly taken: number;
  /** The plan of the rest; undefined where nothing was kept or a step before it failed. */
  readonly plan?: Plan;
}

/**
 * `rnv init --from workspace`: export → keep → plan → take over what needs no write → plan. Writes nothing to the service;
 * what would need a write stays in the plan.
 */
export async function takeOverWorkspace(
  context: Context,
  request: TakeOverRequest,
): Promise<TakeOverOutcome> {
  refuseNewState(context);
  const recorded = Object.keys((await context.backend.read())?.resources ?? {}).length;
  if (recorded > 0)
    throw failure("state.conflict", `the state records ${recorded} resources already`, {
      hint: "rnv export prints what is live; or name another state with --state",
    });
  const written = await exportManifest(context, request);
  const { count: declared, references } = written;
  const none = { declared, references, taken: 0 };
  const file = request.keep(written.text);
  if (file === undefined) return { ...written, ...none };
  const taken = await takeOver(context, { ...request, files: [file], adopt: false });
  const told = taken.isTaken ? [...written.diagnostics, ...taken.diagnostics] : taken.diagnostics;
  return { ...none, ...taken, diagnostics: told };
}

type Taken = Pick<TakeOverRequest, "reveals" | "lockTimeoutMs"> & Pick<PlanRequest, "files" | "adopt">;

/** Plans, records what the plan takes over without a write, and plans the rest; `adopt` is an option of that plan. */
async function takeOver(
  context: Context,
  { files, adopt, reveals, lockTimeoutMs }: Taken,
  isWanted: (change: Change, live?: LiveResource) => boolean = () => true,
): Promise<PlanOutcome & { readonly taken: number; readonly isTaken?: true }> {
  // Values are compared by their fingerprints: there must be a key.
  const planning = { ...planRequest, files, adopt: true, verifyValues: reveals, isSaved: reveals };
  const first = await plan(context, planning);
  if (first.plan === undefined || hasErrors(first.diagnostics)) return { ...first, taken: 0 };
  // Its record is all that changes.
  const { changes, instances } = first.plan;
  const isTaken = (one: Change): boolean =>
    one.action === "no-op" ||
    (one.action === "adopt" &&
      one.attributes.length === 0 &&
      isWanted(one, instances.get(one.address)?.live));
  const others = changes.filter((one) => !isTaken(one));
  const { counts, diagnostics } = await apply(context, {
    ...{ ...planning, excludes: others.map(({ address }) => address), revealed: first.revealed },
    ...{ lockTimeoutMs, parallelism: 10 },
    approve: async ({ changes }) => (changes.every(isTaken) ? { confirmedDeletes: [] } : undefined),
  });
  if (hasErrors(diagnostics)) return { ...first, diagnostics, exitCode: 1, taken: 0 };
  const rest = await plan(context, { ...planRequest, files, adopt });
  return { ...rest, taken: counts?.adopted ?? 0, isTaken: true };
}

/**
 * `rnv import --from-terraform-state`: records what Terraform manages and the manifest declares, where it needs no write.
 * `state` is a text as `terraform state pull` prints it. Writes neither to the service nor to Terraform's state.
 */
export async function takeOverTerraform(
  context: Context,
  { state, ...request }: Omit<Taken, "adopt"> & { readonly state: string },
): Promise<TakeOverOutcome> {
  const held = parseTerraformState(state);
  const ids = new Set<string | null | undefined>(held.map(({ id }) => id));
  const isHeld = ({ id }: Change, live?: LiveResource): boolean => ids.has(id) || ids.has(live?.parentId);
  // What waits for `--adopt` is no mistake: the plan shows it.
  const taken = await takeOver(context, { ...request, adopt: true }, isHeld);
  const { changes = [], instances } = taken.plan ?? {};
  const known = new Set(changes.flatMap((one) => heldAs(one, instances?.get(one.address)?.live)));
  // Each run has an id of its own: the deployment of Terraform's state may not be the one that runs.
  const runs = new Set(resourceTypes.filter((type) => type.runs).map(terraformNameOf));
  const left = held.filter(({ type, id }) => taken.isTaken && !runs.has(type) && !known.has(`${type} ${id}`));
  const undeclared = left.map(({ address, id }) =>
    warning("live.import_undeclared", `${address} is not declared here, or gone, and stays with Terraform`, {
      detail: `Its id is ${id}.`,
      hint: "rnv export shows how to declare it; then run the command again",
    }),
  );
  const diagnostics = [...undeclared, ...taken.diagnostics];
  return { declared: held.length, references: 0, ...taken, diagnostics };
}

/** Returns the types and ids by which a Terraform state may hold a resource: a variable by its own, or in the map of its service. */
const heldAs = ({ type, id }: Change, live: LiveResource | undefined): readonly string[] => [
  `${terraformNameOf(typeNamed(type) ?? { type })} ${id ?? live?.id}`,
  ...(type === "variable" ? [`${variablesResource} ${live?.parentId}`] : []),
];

/** The part of a Terraform state, version 4, that is read; values of secrets are not in it. */
const terraformState = z.object({
  version: z.literal(4),
  resources: z.array(
    z.object({
      mode: z.string(),
      type: z.string(),
      name: z.string(),
      module: z.string().optional(),
      instances: z.array(
        z.object({
          index_key: z.union([z.string(), z.number()]).optional(),
          attributes: z.object({ id: z.string().nullish() }).nullish(),
        }),
      ),
    }),
  ),
});

/**
 * Returns the resources of rnv that a Terraform state holds, with their addresses there. Throws `DiagnosticsError` for a
 * text that is no such state. A message of a parser may quote a secret.
 */
function parseTerraformState(text: string) {
  const { data: state } = terraformState.safeParse(parseJson(text));
  if (state === undefined)
    throw failure("command.usage", "this is no Terraform state of version 4", {
      hint: "terraform state pull prints it",
    });
  const ours = new Set([...resourceTypes.map(terraformNameOf), variablesResource]);
  const held = state.resources.flatMap(({ mode, type, name, module, instances }) =>
    (mode === "managed" && ours.has(type) ? instances : []).flatMap(({ index_key: key, attributes }) => {
      const index = key === undefined ? "" : `[${JSON.stringify(key)}]`;
      const address = `${module === undefined ? "" : `${module}.`}${type}.${name}${index}`;
      return attributes?.id == null ? [] : [{ address, type, id: attributes.id }];
    }),
  );
  if (held.length > 0) return held;
  throw failure("command.usage", "the Terraform state holds no resource of rnv", {
    hint: `it knows ${[...ours].join(", ")}`,
  });
}

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
 * `rnv init --from workspace`: export → keep → plan → record resources that need no write → plan. Writes nothing to the
 * service; other resources stay in the plan.
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
  const adoption = await takeOver(context, { ...request, files: [file], adopt: false });
  const earlier = adoption.isRecorded ? written.diagnostics : [];
  return { ...none, ...adoption, diagnostics: [...earlier, ...adoption.diagnostics] };
}

type AdoptionRequest = Pick<TakeOverRequest, "reveals" | "lockTimeoutMs"> &
  Pick<PlanRequest, "files" | "adopt">;

/** Plans, records the resources that need no write, and plans the rest; `adopt` is an option of that plan. */
async function takeOver(
  context: Context,
  { files, adopt, reveals, lockTimeoutMs }: AdoptionRequest,
  isWanted: (change: Change, live?: LiveResource) => boolean = () => true,
): Promise<PlanOutcome & { readonly taken: number; readonly isRecorded?: true }> {
  // Values are compared by their fingerprints: there must be a key.
  const planning = { ...planRequest, files, adopt: true, verifyValues: reveals, isSaved: reveals };
  const first = await plan(context, planning);
  if (first.plan === undefined || hasErrors(first.diagnostics)) return { ...first, taken: 0 };
  // Its record is all that changes.
  const { changes, instances } = first.plan;
  const needsNoWrite = (one: Change): boolean =>
    one.action === "no-op" ||
    (one.action === "adopt" &&
      one.attributes.length === 0 &&
      isWanted(one, instances.get(one.address)?.live));
  const others = changes.filter((one) => !needsNoWrite(one));
  const { counts, diagnostics } = await apply(context, {
    ...planning,
    excludes: others.map(({ address }) => address),
    revealed: first.revealed,
    lockTimeoutMs,
    parallelism: 10,
    approve: async ({ changes }) => (changes.every(needsNoWrite) ? { confirmedDeletes: [] } : undefined),
  });
  if (hasErrors(diagnostics)) return { ...first, diagnostics, exitCode: 1, taken: 0 };
  const rest = await plan(context, { ...planRequest, files, adopt });
  return { ...rest, taken: counts?.adopted ?? 0, isRecorded: true };
}

/**
 * `rnv import --from-terraform-state`: records the declared resources that Terraform manages, where they need no write.
 * `state` is a text as `terraform state pull` prints it. Writes neither to the service nor to Terraform's state.
 */
export async function takeOverTerraform(
  context: Context,
  { state, ...request }: Omit<AdoptionRequest, "adopt"> & { readonly state: string },
): Promise<TakeOverOutcome> {
  const managed = parseTerraformState(state);
  const ids = new Set<string | null | undefined>(managed.map(({ id }) => id));
  const isInTerraform = ({ id }: Change, live?: LiveResource): boolean =>
    ids.has(id) || ids.has(live?.parentId);
  // Resources that wait for `--adopt` are no mistake: the plan shows them.
  const adoption = await takeOver(context, { ...request, adopt: true }, isInTerraform);
  const { changes = [], instances } = adoption.plan ?? {};
  const known = new Set(changes.flatMap((one) => terraformKeysOf(one, instances?.get(one.address)?.live)));
  // Each run has an id of its own: Terraform's state may hold an older deployment.
  const runs = new Set(resourceTypes.filter((type) => type.runs).map(terraformNameOf));
  const others = managed.filter(
    ({ type, id }) => adoption.isRecorded && !runs.has(type) && !known.has(`${type} ${id}`),
  );
  const undeclared = others.map(({ address, id }) =>
    warning("live.import_undeclared", `${address} is not declared here, or gone, and stays with Terraform`, {
      detail: `Its id is ${id}.`,
      hint: "rnv export shows how to declare it; then run the command again",
    }),
  );
  const diagnostics = [...undeclared, ...adoption.diagnostics];
  return { declared: managed.length, references: 0, ...adoption, diagnostics };
}

/** Returns the types and ids by which a Terraform state may hold a resource. A variable may be in its service's map. */
const terraformKeysOf = ({ type, id }: Change, live: LiveResource | undefined): readonly string[] => [
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
  const managed = state.resources.flatMap(({ mode, type, name, module, instances }) =>
    (mode === "managed" && ours.has(type) ? instances : []).flatMap(({ index_key: key, attributes }) => {
      const index = key === undefined ? "" : `[${JSON.stringify(key)}]`;
      const address = `${module === undefined ? "" : `${module}.`}${type}.${name}${index}`;
      return attributes?.id == null ? [] : [{ address, type, id: attributes.id }];
    }),
  );
  if (managed.length > 0) return managed;
  throw failure("command.usage", "the Terraform state holds no resource of rnv", {
    hint: `it knows ${[...ours].join(", ")}`,
  });
}

import { type Diagnostic, error, exitCodeOf, warning } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { findStages } from "../manifest/load-manifest";
import type { StageDeclaration } from "../manifest/stage-declarations";
import { type Address, nameOf } from "../model/address";
import { emptyCatalog } from "../model/catalog";
import type { Desired, DesiredResource } from "../model/desired";
import { anyId, type StageName } from "../model/stage";
import {
  isPlain,
  type Plain,
  type ResolvedValue,
  referredAddresses,
  Unknown,
  unflatten,
} from "../model/value";
import type { ResourceChange } from "../report/html/topology";
import { typeNamed } from "../resources";
import type { StateBackend } from "../state/backend";
import { compileConditions, loadPolicies } from "./check-policies";
import type { Context, LoadContext, Outcome } from "./context";
import { areStackPaths, listStacks, load, manifestRequest } from "./load";

export interface ValidateOutcome extends Outcome {
  /** The stages of the manifest that were checked, where none was named. */
  readonly stages?: readonly string[];
  readonly desired?: Desired;
  /** Returns the manifests as one text; undefined for stacks, and where there are errors. */
  readonly merged?: () => string;
}

interface ValidateRequest {
  readonly files: readonly string[];
  /** A missing stage is a mistake. */
  readonly isOneStage?: boolean;
  readonly policies?: readonly string[];
}

/**
 * `rnv validate`: the manifest alone, in each of its stages where none is named. No request, no state, no secret source is
 * read.
 */
export async function validate(context: LoadContext, request: ValidateRequest): Promise<ValidateOutcome> {
  const declared =
    context.stage !== undefined || request.isOneStage ? [] : await stagesOf(context, request.files);
  const outcomes: ValidateOutcome[] = [];
  for (const { name, each } of declared)
    outcomes.push(await validateStage({ ...context, stage: each ? { name, id: anyId } : { name } }, request));
  if (outcomes.length === 0) return validateStage(context, request);
  const stages = declared.map(({ name }) => name);
  const said = outcomes.map(({ diagnostics }) => new Set(diagnostics.map((one) => JSON.stringify(one))));
  const diagnostics = outcomes.flatMap((outcome, at) =>
    outcome.diagnostics.flatMap((finding) => {
      const isShared = said.every((own) => own.has(JSON.stringify(finding)));
      return isShared ? (at === 0 ? finding : []) : { ...finding, stage: stages[at] };
    }),
  );
  return { stages, diagnostics, exitCode: exitCodeOf(diagnostics) };
}

/** Returns the stages that a manifest declares; none of stacks. */
async function stagesOf(
  context: LoadContext,
  files: readonly string[],
): Promise<readonly StageDeclaration[]> {
  const request = await manifestRequest(context, files);
  if ((await areStackPaths(request)).includes(true)) return [];
  return [...(await findStages(request)).stages.values()];
}

async function validateStage(context: LoadContext, request: ValidateRequest): Promise<ValidateOutcome> {
  const loaded = await load(context, request.files, "skip", { checksOnly: true });
  const policies = await loadPolicies(context.cwd, request);
  const conditions = loaded.desired && (await compileConditions(loaded.desired));
  const diagnostics = [
    ...loaded.diagnostics,
    ...policies.diagnostics,
    ...(conditions?.diagnostics ?? []),
    ...[...(loaded.desired?.resources.values() ?? [])].flatMap(valueFindings),
  ];
  return { ...loaded, diagnostics, exitCode: exitCodeOf(diagnostics) };
}

/** Returns errors for values that no workspace can have, and warnings for values that the interface does not show. */
function valueFindings(resource: DesiredResource): readonly Diagnostic[] {
  const { address, attributes, parent, range } = resource;
  const type = typeNamed(resource.type);
  const declared = new Map<string, ResolvedValue>();
  if (parent) for (const { attribute } of type?.parents ?? []) declared.set(attribute, new Unknown([]));
  for (const [path, { value }] of attributes) declared.set(path, isPlain(value) ? value : new Unknown([]));
  const found = (type?.check?.(declared, emptyCatalog) ?? []).flatMap((finding): readonly Diagnostic[] => {
    const { code, summary, hint, attribute, isWarning } = finding;
    if (attribute === undefined) return [];
    const at = { address, hint, attribute, range: attributes.get(attribute)?.range ?? range };
    return [(isWarning ? warning : error)(code, summary, at)];
  });
  // A kind, or another value that only a replacement changes, which looks like a slip: other values are for the catalog.
  const unknown = Object.entries(type?.rules ?? {}).flatMap(([attribute, { known, change }]) => {
    const { value, range } = attributes.get(attribute) ?? {};
    if (!known || change !== "replace" || typeof value !== "string" || known.includes(value)) return [];
    const meant = didYouMean(value, known);
    if (meant === undefined) return [];
    const hint = `${meant} (rnv plan asks the platform what exists)`;
    const summary = `${address}: this version does not know the ${attribute} "${value}"`;
    return warning("manifest.unknown_value", summary, { address, hint, attribute, range });
  });
  return [...unknown, ...found];
}

/** `rnv graph`: returns the resources to draw, from the manifest alone. */
export async function graph(
  context: LoadContext,
  request: { readonly files: readonly string[] },
): Promise<Outcome & { readonly drawn?: readonly ResourceChange[] }> {
  const { desired, diagnostics } = await load(context, request.files, "skip");
  const drawn = desired && [...desired.resources.values()].map(drawnOf);
  return { drawn, diagnostics, exitCode: exitCodeOf(diagnostics) };
}

const referencesOf = ({ dependsOn, attributes, parent }: DesiredResource): readonly Address[] => {
  const referenced = [...attributes.values()].flatMap(({ value }) => referredAddresses(value));
  return [...new Set([...dependsOn, ...referenced])].filter((to) => to !== parent);
};

function drawnOf(resource: DesiredResource): ResourceChange {
  const { address, type, parent, attributes, constructPath: path } = resource;
  const plain = [...attributes].flatMap(([name, { value }]): [string, Plain][] =>
    isPlain(value) ? [[name, value]] : [],
  );
  const named = new Map(plain).get(typeNamed(type)?.nameAttribute ?? "");
  const after = unflatten(new Map(plain)) as ResourceChange["change"]["after"];
  return {
    address,
    type,
    parent,
    live_name: typeof named === "string" ? named : (nameOf(address).split(".").at(-1) ?? ""),
    change: { actions: ["no-op"], before: null, after },
    construct: path === undefined ? undefined : { path, in: parent },
    references: [...referencesOf(resource)],
    attributes: [],
    effects: [],
    with_parent: false,
  };
}

/**
 * Returns the names that a command line may hold, sorted: everything declared or recorded, and the stacks of the app that was
 * synthesized last. No request is made, no program run and no secret read; a file that cannot be read has no names.
 */
export async function listKnownNames(
  context: Pick<Context, "cwd" | "environment">,
  request: {
    readonly files: readonly string[];
    readonly backend?: Pick<StateBackend, "read">;
    readonly stage?: StageName | undefined;
  },
) {
  const { files, backend, stage = "any" } = request;
  const [loaded, state] = await Promise.all([
    // Addresses do not depend on values.
    load({ cwd: context.cwd, environment: context.environment, stage }, files, "skip", {
      checksOnly: true,
    }).catch(() => undefined),
    backend?.read().catch(() => undefined),
  ]);
  const stacks = await listStacks({ cwd: context.cwd, files: files.length === 0 ? ["cdktf.out"] : files });
  const sorted = (...names: readonly (Iterable<string> | undefined)[]): readonly string[] =>
    [...new Set(names.flatMap((some) => [...(some ?? [])]))].sort();
  return {
    addresses: sorted(loaded?.desired?.resources.keys(), Object.keys(state?.resources ?? {})),
    outputs: sorted(loaded?.desired?.outputs.keys(), Object.keys(state?.outputs ?? {})),
    stacks: sorted(stacks.map(({ unit }) => unit)),
  };
}

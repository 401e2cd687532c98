import { createMask } from "../api/client";
import type { Connection } from "../api/connection";
import type { KnownSecrets, RecordedValue } from "../api/recorded-values";
import type { FileRequest, LoadedManifest, ManifestRequest, SecretReach } from "../declaration/load-request";
import { type Diagnostic, error, hasErrors } from "../diagnostics/diagnostic";
import { loadManifest } from "../manifest/load-manifest";
import type { Address } from "../model/address";
import type { Desired, DesiredAttribute } from "../model/desired";
import { Secret } from "../model/secret";
import { isFingerprint, type State } from "../model/state";
import { Computed, Template, UnreadSecret } from "../model/value";
import { declareAbsentParts } from "../plan/absent-parts";
import { isOpenFieldFinding, settleOpenFields } from "../plan/data";
import { moveParts } from "../plan/moved-parts";
import { consentsIn } from "../plan/saved-plan";
import { resourceTypes } from "../resources";
import type * as stack from "../stack/load-stack";
import { findStacks, isStackPath, type StackFile } from "../stack/stack-files";
import { checkStateKey } from "../state/key";
import type { Context, LoadContext, PlanRequest, StateKey } from "./context";
import { nothingDesired } from "./refresh";

/** Reads the desired state that `-f` values name: YAML manifests, or synthesized stacks, but not both at once. */
export async function loadDesired(given: ManifestRequest): Promise<LoadedManifest> {
  // No variable is set that an object inherits, such as `constructor`.
  const request = { ...given, environment: Object.assign(Object.create(null), given.environment) };
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

/** Reads and checks the manifest or the stacks; `secrets` says how far the sources of secrets are read. */
export async function load(
  context: LoadContext,
  files: readonly string[],
  secrets: SecretReach,
  { checksOnly }: { readonly checksOnly?: boolean } = {},
): Promise<LoadedManifest> {
  return loadDesired({ ...(await manifestRequest(context, files)), secrets, checksOnly });
}

export async function manifestRequest(context: LoadContext, files: readonly string[]) {
  const standardInput = files.includes("-") ? await context.standardInput?.() : undefined;
  return { ...context, files, types: resourceTypes, standardInput };
}

/** Loads the resources of `request`: the catalog decides the fields that the manifest leaves to it, secrets are redacted. */
export async function loadDeclared(
  context: Context,
  request: PlanRequest,
  from: { readonly connection: Connection; readonly state: State | undefined; readonly writes: boolean },
): Promise<LoadedManifest & { readonly key?: StateKey }> {
  const { connection } = from;
  const loaded: LoadedManifest =
    request.recordedOf === undefined
      ? await load(context, request.files, reachOf(request))
      : { desired: { ...nothingDesired, ...request.recordedOf }, diagnostics: [] };
  if (!loaded.desired) return loaded;
  const known = await knownSecrets(context, loaded.desired, from.state);
  connection.redact(known);
  const whole = declareAbsentParts(
    moveParts(loaded.desired, from.state, resourceTypes),
    from.state,
    resourceTypes,
  );
  const { desired, diagnostics } = await withKnownFields(whole, loaded.diagnostics, connection);
  if (hasErrors(diagnostics)) return { diagnostics };
  const found = await fingerprintKey(context, desired, request, from);
  // An empty manifest is meant where everything may be destroyed.
  const isMeant = request.mode === "destroy" || request.allowEmpty;
  const all = [...diagnostics, ...found.diagnostics].filter(
    ({ code }) => !isMeant || code !== "manifest.empty",
  );
  if (hasErrors(all)) return { diagnostics: all };
  return { desired, diagnostics: all, key: { reviewKey: found.key, ...found } };
}

/** Only a plan that sends values needs secrets. */
const reachOf = ({ secrets, mode }: PlanRequest): SecretReach =>
  mode === "apply" ? (secrets ?? "resolve") : "skip";

/** Decides the fields that this version does not know by the catalog, which is waited for only where there are any. */
async function withKnownFields(desired: Desired, diagnostics: readonly Diagnostic[], { reads }: Connection) {
  const open = diagnostics.filter(isOpenFieldFinding);
  if (open.length === 0) return { desired, diagnostics };
  const others = diagnostics.filter((one) => !isOpenFieldFinding(one));
  const settled = settleOpenFields(desired, open, resourceTypes, await reads.catalog());
  return { desired: settled.desired, diagnostics: [...others, ...settled.diagnostics] };
}

/**
 * Returns the key of fingerprints once a secret is declared or recorded. A missing or another key is an error, never a
 * perpetual diff; where not all secrets are read, a missing key is none.
 */
async function fingerprintKey(
  context: Context,
  desired: Desired,
  request: PlanRequest,
  { state, writes }: { readonly state: State | undefined; readonly writes: boolean },
): Promise<StateKey> {
  const keyId = state?.keyId ?? null;
  const isKeyless = keyId === null && !declaresSecrets(desired);
  const isAuthenticated = request.needsKey === true || request.isSaved === true;
  const isConsent = request.isSaved === true && !writes && consentsIn(request).length > 0;
  const { key: reviewKey, diagnostics = [] } = isAuthenticated ? await context.stateKey(isConsent) : {};
  if (request.needsKey && !isKeyless && !reviewKey)
    return { diagnostics: diagnostics.length > 0 ? diagnostics : [noReviewKey] };
  // A state without secrets names no key: whoever reads it later needs none.
  if (isKeyless) return { diagnostics: [], reviewKey };
  const isNeeded = reachOf(request) === "resolve";
  const creates = isNeeded && (writes || request.isSaved === true) && keyId === null;
  const found = await context.stateKey(creates);
  if (!isNeeded && !found.key) return { diagnostics: found.diagnostics };
  const mismatch = state ? checkStateKey(state, found.key, found.previous?.keyId) : undefined;
  const { previous } = found;
  // Writes left open were digested with their key, and are repeated under it: keys change with the run after this.
  if (previous?.keyId === keyId && (state?.open.length ?? 0) > 0)
    return { ...previous, diagnostics: found.diagnostics };
  return { ...found, diagnostics: [...found.diagnostics, ...(mismatch ? [mismatch] : [])] };
}

const noReviewKey = error("guard.review_key", "RNV_STATE_KEY is not set, and the manifest has variables", {
  detail: "The review binds the values of variables by fingerprints under this key.",
  hint: "make a key once (openssl rand -hex 32), and give it as the secret RNV_STATE_KEY to the jobs of plan and apply",
});

const attributesIn = (desired: Desired | undefined): readonly DesiredAttribute[] =>
  [...(desired?.resources.values() ?? [])].flatMap(({ attributes }) => [...attributes.values()]);

function secretsIn({ value }: DesiredAttribute): readonly Secret[] {
  if (value instanceof Secret) return [value];
  if (value instanceof UnreadSecret || value instanceof Computed) return value.environmentTexts;
  return value instanceof Template ? value.parts.filter((part) => part instanceof Secret) : [];
}

/** The manifest does not hold its text. */
const isFromOutside = ({ source = "value" }: DesiredAttribute): boolean => source !== "value";

const declaresSecrets = (desired: Desired): boolean =>
  attributesIn(desired).some(
    ({ value }) =>
      value instanceof Secret || ((value instanceof Template || value instanceof Computed) && value.secret),
  );

/** Connects for a verb that reads no manifest: values of the manifest in the folder and of the state are masked all the same. */
export async function connectWithRedaction(context: Context, state: State | undefined): Promise<Connection> {
  const connection = await context.connect();
  connection.redact(await secretsToMask(context, state));
  if (state) connection.reads.remember(state);
  return connection;
}

export async function shownState(context: Context, state: State): Promise<State> {
  const mask = createMask(await secretsToMask(context, state));
  const resources = Object.entries(state.resources).map(([address, one]) => [
    address,
    { ...one, applied: mask(one.applied), computed: mask(one.computed) },
  ]);
  return { ...state, resources: Object.fromEntries(resources) };
}

async function secretsToMask(context: Context, state: State | undefined): Promise<KnownSecrets> {
  const { desired } = await load({ ...context, stage: context.stage ?? "any" }, [], "skip");
  return knownSecrets(context, desired, state);
}

/** Returns declared secrets, and recorded values that are not at hand. */
export async function knownSecrets(
  context: Context,
  desired: Desired | undefined,
  state: State | undefined,
): Promise<KnownSecrets> {
  const attributes = attributesIn(desired);
  const secrets = attributes.flatMap(secretsIn);
  const outside = attributes.filter(isFromOutside).flatMap(secretsIn);
  if (!state?.keyId) return { secrets, outside };
  const found = await context.stateKey(false);
  const key = found.keyId === state.keyId ? found.key : undefined;
  const values: RecordedValue[] = [];
  const branches = new Set<unknown>();
  for (const [name, { applied, fingerprintAddress: address = name }] of Object.entries(state.resources)) {
    branches.add(applied["configuration.branch"]);
    for (const [path, value] of Object.entries(applied)) {
      if (!isFingerprint(value)) continue;
      const declared = desired?.resources.get(name as Address)?.attributes.get(path);
      const isSame = (one: Secret) => key && one.fingerprint(key, address) === value.fingerprint;
      const isOutside = !declared || isFromOutside(declared);
      if (!declared || !secretsIn(declared).some(isSame)) values.push({ address, ...value, isOutside });
    }
  }
  return { secrets, outside, recorded: values.length === 0 ? undefined : { values, branches, key } };
}

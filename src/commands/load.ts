import type { RecordedValue, RecordedValues } from "../api/recorded-values";
import { type Diagnostic, error, hasErrors } from "../diagnostics/diagnostic";
import type { LoadedManifest, SecretReach } from "../manifest/context";
import type { Desired } from "../model/desired";
import { Secret } from "../model/secret";
import { isFingerprint, type State } from "../model/state";
import { Computed, type DesiredValue, Template, UnreadSecret } from "../model/value";
import { declareAbsentParts } from "../plan/absent-parts";
import { isOpenFieldFinding, settleOpenFields } from "../plan/data";
import { consentsIn } from "../plan/saved-plan";
import { resourceTypes } from "../resources";
import { loadDesired } from "../stack/load-desired";
import { checkStateKey } from "../state/key";
import type { Connection, Context, PlanRequest, StateKey } from "./context";
import { nothingDesired } from "./refresh";

/** The capabilities that reading a manifest needs. */
export type LoadContext = Pick<
  Context,
  "cwd" | "environment" | "standardInput" | "untrusted" | "stack" | "stage"
>;

/** Reads and checks the manifest or the stacks; `secrets` says how far the sources of secrets are read. */
export async function load(
  context: LoadContext,
  files: readonly string[],
  secrets: SecretReach,
): Promise<LoadedManifest> {
  return loadDesired({
    files,
    cwd: context.cwd,
    types: resourceTypes,
    environment: context.environment,
    secrets,
    untrusted: context.untrusted === true,
    stack: context.stack,
    stage: context.stage,
    ...(files.includes("-") ? { standardInput: await context.standardInput?.() } : {}),
  });
}

/** A loaded manifest, with the key of the fingerprints of its secrets. */
export interface Declared extends LoadedManifest {
  readonly key: StateKey;
}

/** Loads what `request` declares: fields that the manifest leaves to the catalog are decided, secrets are redacted. */
export async function loadDeclared(
  context: Context,
  request: PlanRequest,
  from: { readonly connection: Connection; readonly state: State | undefined; readonly writes: boolean },
): Promise<Declared> {
  const { connection } = from;
  const key = { diagnostics: [] };
  const loaded: LoadedManifest =
    request.recordedOf === undefined
      ? await load(context, request.files, reachOf(request))
      : { desired: { ...nothingDesired, stage: request.recordedOf }, diagnostics: [] };
  if (!loaded.desired) return { ...loaded, key };
  if (connection.redact(declaredSecrets(loaded.desired))) connection.reads.invalidate();
  const whole = declareAbsentParts(loaded.desired, from.state, resourceTypes);
  const { desired, diagnostics } = await withKnownFields(whole, loaded.diagnostics, connection);
  if (hasErrors(diagnostics)) return { diagnostics, key };
  const found = await fingerprintKey(context, desired, request, from);
  // Who destroys everything, or allows that, means an empty manifest.
  const isMeant = request.mode === "destroy" || request.allowEmpty;
  const all = [...diagnostics, ...found.diagnostics].filter(
    ({ code }) => !isMeant || code !== "manifest.empty",
  );
  return hasErrors(all) ? { diagnostics: all, key } : { desired, diagnostics: all, key: found };
}

/** Only a plan that sends values needs secrets. */
const reachOf = ({ secrets, mode }: PlanRequest): SecretReach =>
  mode === "apply" ? (secrets ?? "resolve") : "skip";

/** Decides the fields that this version does not know by the catalog, which is waited for only where there are any. */
async function withKnownFields(
  desired: Desired,
  diagnostics: readonly Diagnostic[],
  { reads }: Connection,
): Promise<{ readonly desired: Desired; readonly diagnostics: readonly Diagnostic[] }> {
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
  const { key: reviewKey } = isAuthenticated ? await context.stateKey(isConsent) : {};
  if (request.needsKey && !isKeyless && !reviewKey) return { diagnostics: [noReviewKey] };
  // A state without secrets names no key: whoever reads it later needs none.
  if (isKeyless) return { diagnostics: [], ...(reviewKey && { reviewKey }) };
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

function* valuesOf({ resources }: Desired): Generator<DesiredValue> {
  for (const { attributes } of resources.values()) for (const { value } of attributes.values()) yield value;
}

/** Returns the values and parts of values of a manifest that are known before anything is applied, and never shown. */
export function declaredSecrets(desired: Desired): readonly Secret[] {
  const found: Secret[] = [];
  for (const value of valuesOf(desired))
    if (value instanceof Secret) found.push(value);
    else if (value instanceof UnreadSecret || value instanceof Computed) found.push(...value.atHand);
    else if (value instanceof Template) found.push(...value.parts.filter((part) => part instanceof Secret));
  return found;
}

const declaresSecrets = (desired: Desired): boolean =>
  [...valuesOf(desired)].some(
    (value) =>
      value instanceof Secret || ((value instanceof Template || value instanceof Computed) && value.secret),
  );

/**
 * Connects for a verb that reads no manifest: secrets of the manifest in the folder are masked all the same, and so are the
 * values that only the state knows.
 */
export async function connectWithRedaction(context: Context, state: State | undefined): Promise<Connection> {
  const connection = await context.connect();
  const { desired } = await load({ ...context, stage: context.stage ?? "any" }, [], "skip");
  connection.redact(desired ? declaredSecrets(desired) : [], state && (await recordedValues(context, state)));
  return connection;
}

async function recordedValues(context: Context, state: State): Promise<RecordedValues | undefined> {
  if (!state.keyId) return undefined;
  const { key, keyId } = await context.stateKey(false);
  return { services: recordedServices(state), key: keyId === state.keyId ? key : undefined };
}

/** The services of a state that have values, by their ids. */
function recordedServices({ resources }: State): RecordedValues["services"] {
  const services = new Map<string, { values: RecordedValue[]; branch?: string }>();
  for (const [address, { parent, applied, fingerprintAddress }] of Object.entries(resources)) {
    const holder = parent && resources[parent];
    const prints = Object.values(applied).filter(isFingerprint);
    if (holder?.type !== "service" || prints.length === 0) continue;
    const branch = holder.applied["configuration.branch"];
    const found = services.get(holder.id) ?? { values: [], ...(typeof branch === "string" && { branch }) };
    found.values.push(...prints.map((print) => ({ address: fingerprintAddress ?? address, ...print })));
    services.set(holder.id, found);
  }
  return services;
}

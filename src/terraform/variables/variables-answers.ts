import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { writtenNow } from "../apply-context";
import { diagnosticMessage, pathMessage } from "../diagnostic-message";
import { noPrivateData, readPrivate, writePrivate } from "../private-data";
import type { Provider } from "../provider";
import { importResourceState } from "../rpc/import-resource-state";
import type { Session } from "../session";
import { decodeValue, encodeValue } from "../values/codec";
import { fromState } from "../values/from-state";
import { asObject, type TerraformObject, type TerraformValue } from "../values/terraform-value";
import type { ProviderMethod } from "../wire/methods";
import { applyVariables } from "./apply-variables";
import { planVariables } from "./plan-variables";
import { readVariables } from "./read-variables";
import { declaredMap, variablesType } from "./variables-type";

interface Encoded {
  readonly msgpack: Uint8Array;
}

const decoded = (value: Encoded): TerraformObject | undefined =>
  asObject(decodeValue(variablesType, value.msgpack));
const encoded = (value: TerraformValue): Encoded => ({ msgpack: encodeValue(variablesType, value) });
const messages = (found: readonly Diagnostic[]): object[] =>
  found.map((one) => diagnosticMessage(one, (name) => [name]));

type Answers = Partial<Record<ProviderMethod, (provider: Provider, request: never) => Promise<object>>>;

/** What a map of variables answers, in place of the answers of a single resource. */
export const variablesAnswers: Answers = {
  ValidateResourceConfig: validate,
  UpgradeResourceState: upgrade,
  MoveResourceState: move,
  ReadResource: read,
  PlanResourceChange: plan,
  ApplyResourceChange: apply,
  ImportResourceState: importAll,
};

interface ValidateRequest {
  readonly config: Encoded;
  readonly clientCapabilities?: { readonly writeOnlyAttributesAllowed?: boolean };
}

async function validate(
  _provider: Provider,
  { config, clientCapabilities }: ValidateRequest,
): Promise<object> {
  const given = decoded(config) ?? {};
  const isSet = (name: string): boolean => (given[name] ?? null) !== null;
  const wrong = (attribute: string, summary: string, hint: string): Diagnostic =>
    error("plan.invalid_combination", summary, { attribute, hint });
  const found: Diagnostic[] = [];
  if (isSet("values") === isSet("values_wo"))
    found.push(
      isSet("values")
        ? wrong("values_wo", "values and values_wo are both set", "keep one of the two")
        : wrong("values", "there are no values", "set values or values_wo"),
    );
  if (isSet("values_wo") !== isSet("values_wo_version"))
    found.push(
      wrong(
        isSet("values_wo") ? "values_wo" : "values_wo_version",
        "values_wo and values_wo_version go together",
        "set values_wo_version to 1, and raise it with every new value",
      ),
    );
  if (isSet("values_wo") && clientCapabilities?.writeOnlyAttributesAllowed !== true)
    found.push(
      wrong("values_wo", "write-only attributes need Terraform 1.11", "use values, or a newer Terraform"),
    );
  const map = asObject(declaredMap(given)) ?? {};
  for (const [name, value] of Object.entries(map))
    if (value === null)
      found.push(
        wrong(
          isSet("values") ? "values" : "values_wo",
          `${name} is null`,
          "give it a value, or leave it out",
        ),
      );
  return { diagnostics: messages(found) };
}

async function upgrade(
  _provider: Provider,
  { rawState }: { readonly rawState: { readonly json?: Uint8Array } },
): Promise<object> {
  const json: unknown = JSON.parse(Buffer.from(rawState.json ?? "null").toString("utf8"));
  return { upgradedState: encoded(fromState(variablesType, json)) };
}

interface MoveRequest {
  readonly sourceTypeName: string;
  readonly sourceProviderAddress: string;
  readonly sourceState: { readonly json?: Uint8Array };
}

/** A single variable becomes a map with one entry; the same map may come from another address of this provider. */
async function move(_provider: Provider, request: MoveRequest): Promise<object> {
  const json = JSON.parse(Buffer.from(request.sourceState.json ?? "null").toString("utf8")) as Record<
    string,
    string
  >;
  const isOurs = /\/rnv$/.test(request.sourceProviderAddress);
  if (isOurs && request.sourceTypeName === "rnv_variables")
    return { targetState: encoded(fromState(variablesType, json)) };
  const { key, service_id: serviceId, id, updated_at: updatedAt, value } = json;
  if (!isOurs || request.sourceTypeName !== "rnv_variable" || !key || !serviceId || !id) {
    const summary = `a ${request.sourceTypeName} cannot become a rnv_variables`;
    return { diagnostics: messages([error("manifest.moved", summary)]) };
  }
  return {
    targetState: encoded({
      service_id: serviceId,
      id: serviceId,
      values: value == null ? null : { [key]: value },
      values_wo: null,
      values_wo_version: null,
      ids: { [key]: id },
      updated_at: { [key]: updatedAt ?? "" },
    }),
  };
}

interface ReadRequest {
  readonly currentState: Encoded;
  readonly private?: Uint8Array;
}

const keptBy = (session: Session): Buffer =>
  writePrivate({ ...noPrivateData, workspace: session.workspaceId });

async function read(provider: Provider, request: ReadRequest): Promise<object> {
  const state = decoded(request.currentState);
  const { session } = provider;
  if (session === undefined || state === undefined)
    return { newState: request.currentState, private: request.private };
  const { currentState, private: kept } = request;
  const read = await readVariables(session, state, readPrivate(kept));
  if ("next" in read) return { newState: encoded(read.next), private: kept };
  return { newState: currentState, private: kept, diagnostics: messages(read.doubt.diagnostics) };
}

interface PlanRequest {
  readonly priorState: Encoded;
  readonly proposedNewState: Encoded;
  readonly config: Encoded;
  readonly priorPrivate?: Uint8Array;
}

async function plan(_provider: Provider, request: PlanRequest): Promise<object> {
  const config = decoded(request.config);
  if (config === undefined || decoded(request.proposedNewState) === undefined)
    return { plannedState: request.proposedNewState, plannedPrivate: request.priorPrivate };
  const { planned, replaces } = planVariables(decoded(request.priorState), config);
  return {
    plannedState: encoded(planned),
    plannedPrivate: request.priorPrivate,
    requiresReplace: replaces ? [pathMessage(["service_id"])] : [],
  };
}

interface ApplyRequest {
  readonly priorState: Encoded;
  readonly plannedState: Encoded;
  readonly config: Encoded;
}

async function apply(provider: Provider, request: ApplyRequest): Promise<object> {
  const session = provider.requireSession();
  const { state, diagnostics } = await applyVariables(session, {
    prior: decoded(request.priorState),
    planned: decoded(request.plannedState),
    config: decoded(request.config),
  });
  const written = { ...noPrivateData, ...writtenNow(session, undefined) };
  const kept = state === null ? {} : { private: writePrivate(written) };
  return { newState: encoded(state), ...kept, diagnostics: messages(diagnostics) };
}

/** Imports every variable of a service; their values are not revealed, and are sent with the next apply. */
async function importAll(provider: Provider, request: { readonly id: string }): Promise<object> {
  const session = provider.requireSession();
  const serviceId = await serviceIdOf(provider, request.id);
  const listed = (await session.reads.variables(serviceId)) ?? [];
  const state = {
    service_id: serviceId,
    id: serviceId,
    values: null,
    values_wo: null,
    values_wo_version: null,
    ids: Object.fromEntries(listed.map(({ key, id }) => [key, id])),
    updated_at: Object.fromEntries(listed.map(({ key, updatedAt }) => [key, updatedAt ?? ""])),
  };
  return {
    importedResources: [{ typeName: "rnv_variables", state: encoded(state), private: keptBy(session) }],
  };
}

/** A service is imported by the same ids. */
async function serviceIdOf(provider: Provider, id: string): Promise<string> {
  const service = provider.typeNamed("rnv_service");
  const found = (await importResourceState(provider, { typeName: service.name, id })) as {
    importedResources: { state: Encoded }[];
  };
  const state = asObject(decodeValue(service.valueType, found.importedResources[0]?.state.msgpack));
  return String(state?.id ?? "");
}

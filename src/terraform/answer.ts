import { systemClock } from "../model/time";
import { asObject, decodeValue, type TerraformValue } from "./codec";
import { configureProvider, providerSchema, validateProviderConfig } from "./configure-provider";
import { dataSources, ephemeralResources, openEphemeralResource, readDataSource } from "./data-sources";
import { callFunction, functionMessage, functions } from "./functions";
import { listResource, listSchemas, validateListResource } from "./list-resources";
import { createLog, loggedCall } from "./log";
import { diagnosticMessages, diagnosticsOf } from "./messages";
import type { CallHandler, StreamHandler } from "./plugin-server";
import type { Message, ProviderMethod, RequestOf, ResponseOf, StreamingMethod } from "./protocol";
import { Provider, type RpcAnswer, resourceSchemas, type StreamingAnswer, validator } from "./provider";
import { applyResourceChange } from "./resource/apply-resource-change";
import { getResourceIdentitySchemas, upgradeResourceIdentity, withIdentity } from "./resource/identity";
import { planResourceChange } from "./resource/plan-resource-change";
import { readResource } from "./resource/read-resource";
import {
  generateResourceConfig,
  importResourceState,
  moveResourceState,
  upgradeResourceState,
} from "./resource/resource-state";
import { validateResourceConfig } from "./resource/validate-resource-config";
import { schemaMessage } from "./schema/block";
import { variablesSchema } from "./schema/variables-schema";
import { actionSchemas, invokeAction, planAction } from "./service-actions";
import { variablesAnswers } from "./variables/variables-answers";

/** Nothing is held that could be renewed or closed. */
const answerNothing = async () => ({});

const answers: { readonly [Method in ProviderMethod]: RpcAnswer<Method> } = {
  GetProviderSchema: getProviderSchema,
  GetFunctions: async () => ({ functions: byName(functions, functionMessage) }),
  ValidateProviderConfig: validateProviderConfig,
  ConfigureProvider: configureProvider,
  // The first Ctrl-C: writes in flight end, waits do not go on.
  StopProvider: async (provider) => {
    provider.stop();
    return {};
  },
  ValidateResourceConfig: validateResourceConfig,
  GetResourceIdentitySchemas: getResourceIdentitySchemas,
  UpgradeResourceState: upgradeResourceState,
  UpgradeResourceIdentity: upgradeResourceIdentity,
  ReadResource: readResource,
  PlanResourceChange: planResourceChange,
  ApplyResourceChange: applyResourceChange,
  ImportResourceState: importResourceState,
  MoveResourceState: moveResourceState,
  GenerateResourceConfig: generateResourceConfig,
  ValidateDataResourceConfig: validator(dataSources, "data source"),
  ReadDataSource: readDataSource,
  CallFunction: callFunction,
  ValidateEphemeralResourceConfig: validator(ephemeralResources, "ephemeral resource"),
  OpenEphemeralResource: openEphemeralResource,
  RenewEphemeralResource: answerNothing,
  CloseEphemeralResource: answerNothing,
  ValidateListResourceConfig: validateListResource,
  ValidateActionConfig: validator(actionSchemas, "action"),
  PlanAction: planAction,
};

const streams: { readonly [Method in StreamingMethod]: StreamingAnswer<Method> } = {
  ListResource: listResource,
  InvokeAction: invokeAction,
};

const log = createLog(process.env, systemClock, (line) => process.stderr.write(line));

const provider = new Provider(process.env, process.cwd(), log);

/** Answers calls. Loaded after the handshake: it is most of the code. */
export const answerCall: CallHandler = (method, request) => {
  const { typeName } = request as AnyRequest;
  const carryOut = async () => withoutSecretPaths(typeName, await answer(method, request as object));
  return loggedCall(log, systemClock, { method, typeName }, carryOut);
};

const variables: typeof answers = { ...answers, ...variablesAnswers };

/** Answers one call. Whatever is thrown becomes a diagnostic: a failed call must not look like a crash. */
async function answer(method: ProviderMethod, request: AnyRequest): Promise<AnyAnswer> {
  const known = request.typeName === variablesSchema.name ? variables : answers;
  try {
    redactSensitive(request);
    const answered = await (known[method] as RpcAnswer<typeof method>)(provider, request as never);
    return withIdentity(provider, request, answered);
  } catch (failure) {
    return { ...unchanged(method, request), diagnostics: diagnosticMessages(diagnosticsOf(failure)) };
  }
}

export const answerStream: StreamHandler = async (method, request, events) => {
  const { typeName } = request as AnyRequest;
  const diagnostics: Message<"Diagnostic">[] = [];
  const send = (event: ResponseOf<"ListResource"> & ResponseOf<"InvokeAction">): Promise<void> => {
    diagnostics.push(...(event.diagnostics ?? event.completed?.diagnostics ?? []));
    return events.send(event);
  };
  await loggedCall(log, systemClock, { method, typeName }, async () => {
    try {
      await streams[method](provider, request as never, { signal: events.signal, send });
    } catch (failure) {
      const found = diagnosticMessages(diagnosticsOf(failure));
      await send(method === "InvokeAction" ? { completed: { diagnostics: found } } : { diagnostics: found });
    }
    return { diagnostics };
  });
};

type AnyAnswer = Pick<ResponseOf<"ReadResource">, "diagnostics">;

type AnyRequest = Partial<
  RequestOf<"ApplyResourceChange"> &
    RequestOf<"ImportResourceState"> &
    RequestOf<"ReadResource"> &
    RequestOf<"UpgradeResourceState">
>;

/** Returns the unchanged state for a failed call: Terraform reads an answer without a state as "gone". */
const unchanged = (method: ProviderMethod, { currentState, private: kept }: AnyRequest): object =>
  method === "ReadResource" ? { newState: currentState, private: kept } : {};

/** Returns the schema of a resource, or of the provider, and the names of its sensitive and write-only attributes. */
function secretsOf(typeName: string | undefined) {
  const schema = typeName ? resourceSchemas.find(({ name }) => name === typeName) : providerSchema;
  const secrets = schema?.block.attributes.filter(({ sensitive, writeOnly }) => sensitive || writeOnly) ?? [];
  return { schema, names: secrets.map(({ name }) => name) };
}

/** Removes paths to secrets from diagnostics: Terraform prints the lines that a path leads to. */
function withoutSecretPaths(typeName: string | undefined, answered: AnyAnswer): AnyAnswer {
  const diagnostics = answered.diagnostics?.map(({ attribute, ...one }) => {
    const isSecret = secretsOf(typeName).names.includes(attribute?.steps?.[0]?.attributeName ?? "");
    return isSecret ? one : { ...one, attribute };
  });
  return { ...answered, diagnostics };
}

/** Masks the secrets that a call brings along in all text of the service, from this call on. */
function redactSensitive(request: AnyRequest): void {
  const { schema, names } = secretsOf(request.typeName);
  if (schema === undefined || names.length === 0) return;
  const { config, currentState, priorState, plannedState, rawState } = request;
  const wholes = [config, currentState, priorState, plannedState].map((value) =>
    decodeValue(schema.valueType, value?.msgpack),
  );
  if (rawState?.json?.length) wholes.push(JSON.parse(Buffer.from(rawState.json).toString("utf8")));
  provider.redact(wholes.flatMap((whole) => names.flatMap((name) => textsOf(asObject(whole)?.[name]))));
}

const textsOf = (value: TerraformValue | undefined): readonly string[] =>
  [value, ...Object.values(asObject(value) ?? {})].filter((one) => typeof one === "string");

const byName = <Item extends { readonly name: string }, To>(
  items: readonly Item[],
  message: (item: Item) => To,
): Record<string, To> => Object.fromEntries(items.map((item) => [item.name, message(item)]));

async function getProviderSchema(): Promise<ResponseOf<"GetProviderSchema">> {
  return {
    provider: schemaMessage(providerSchema),
    resourceSchemas: byName(resourceSchemas, schemaMessage),
    dataSourceSchemas: byName(dataSources, schemaMessage),
    ephemeralResourceSchemas: byName(ephemeralResources, schemaMessage),
    listResourceSchemas: byName(listSchemas, schemaMessage),
    actionSchemas: byName(actionSchemas, (one) => ({ schema: schemaMessage(one) })),
    functions: byName(functions, functionMessage),
    serverCapabilities: {
      planDestroy: true,
      getProviderSchemaOptional: true,
      moveResourceState: true,
      generateResourceConfig: true,
    },
  };
}

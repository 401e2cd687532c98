import { concealSensitive } from "./conceal-sensitive";
import { diagnosticMessage, diagnosticsOf } from "./diagnostic-message";
import type { Provider } from "./provider";
import { applyResourceChange } from "./rpc/apply-resource-change";
import { callFunction } from "./rpc/call-function";
import { configureProvider } from "./rpc/configure-provider";
import { getFunctions, getMetadata, getProviderSchema } from "./rpc/get-provider-schema";
import { importResourceState } from "./rpc/import-resource-state";
import { moveResourceState } from "./rpc/move-resource-state";
import {
  holdNothing,
  openEphemeralResource,
  validateEphemeralResourceConfig,
} from "./rpc/open-ephemeral-resource";
import { planResourceChange } from "./rpc/plan-resource-change";
import { readDataSource, validateDataResourceConfig } from "./rpc/read-data-source";
import { readResource } from "./rpc/read-resource";
import { stopProvider } from "./rpc/stop-provider";
import { upgradeResourceState } from "./rpc/upgrade-resource-state";
import { validateProviderConfig } from "./rpc/validate-provider-config";
import { validateResourceConfig } from "./rpc/validate-resource-config";
import { variablesAnswers } from "./variables/variables-answers";
import { variablesName } from "./variables/variables-type";
import type { ProviderMethod } from "./wire/methods";

type Answer = (provider: Provider, request: never) => Promise<object>;

const answers: Readonly<Record<ProviderMethod, Answer>> = {
  GetMetadata: getMetadata,
  GetProviderSchema: getProviderSchema,
  ValidateProviderConfig: validateProviderConfig,
  ConfigureProvider: configureProvider,
  ValidateResourceConfig: validateResourceConfig,
  ValidateDataResourceConfig: validateDataResourceConfig,
  UpgradeResourceState: upgradeResourceState,
  ReadResource: readResource,
  PlanResourceChange: planResourceChange,
  ApplyResourceChange: applyResourceChange,
  ImportResourceState: importResourceState,
  MoveResourceState: moveResourceState,
  ReadDataSource: readDataSource,
  GetFunctions: getFunctions,
  CallFunction: callFunction,
  ValidateEphemeralResourceConfig: validateEphemeralResourceConfig,
  OpenEphemeralResource: openEphemeralResource,
  RenewEphemeralResource: holdNothing,
  CloseEphemeralResource: holdNothing,
  StopProvider: stopProvider,
};

/** What a call left unchanged when it failed: Terraform reads an answer without a state as "gone". */
function unchanged(method: ProviderMethod, request: unknown): object {
  if (method !== "ReadResource") return {};
  const { currentState, private: kept } = request as { currentState: object; private?: Uint8Array };
  return { newState: currentState, private: kept };
}

/** Answers one call. Whatever is thrown becomes a diagnostic: a failed call must not look like a crash. */
export async function answer(provider: Provider, method: ProviderMethod, request: unknown): Promise<object> {
  const { typeName, targetTypeName = typeName } = (request ?? {}) as Partial<Record<string, string>>;
  const special = targetTypeName === variablesName ? variablesAnswers[method] : undefined;
  try {
    concealSensitive(provider, request ?? {});
    return await (special ?? answers[method])(provider, request as never);
  } catch (failure) {
    const diagnostics = diagnosticsOf(failure).map((one) => diagnosticMessage(one, (path) => [path]));
    return { ...unchanged(method, request), diagnostics };
  }
}

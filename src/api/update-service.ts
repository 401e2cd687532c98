import { type Plain, plainEqual } from "../model/value";
import { ApiError } from "./api-error";
import type { LearnedForms } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { underGap } from "./gap-failure";
import { fillBody } from "./gap-requests";
import type { Service } from "./wire/service";

export type ServiceChange = Parameters<Endpoints["updateService"]>[1];

/**
 * Gap "change a service": the nested body, the flat one, or one of the user's; `auto` tries the flat one once after a
 * 400, or where no field took, and keeps to it when the answer shows that it took. Otherwise the first answer stands.
 */
export async function updateService(
  patch: (body: Readonly<Record<string, unknown>>) => Promise<Service>,
  change: ServiceChange,
  setting: string,
  learned: LearnedForms,
): Promise<Service> {
  try {
    return await updateInForm(patch, change, setting, learned);
  } catch (failure) {
    // A body that took before is right; its refusal now is about the values.
    throw learned.patchService === undefined ? underGap(failure, "change a service") : failure;
  }
}

async function updateInForm(
  patch: (body: Readonly<Record<string, unknown>>) => Promise<Service>,
  change: ServiceChange,
  setting: string,
  learned: LearnedForms,
): Promise<Service> {
  const { name, configuration } = change;
  if (setting.startsWith("{")) return patch(fillBody(setting, { name, configuration }));
  const common = name === undefined ? {} : { name };
  if (configuration === undefined) return patch(common);
  const nested = { ...common, configuration };
  const flat = { ...common, ...configuration };
  const form = setting === "auto" ? learned.patchService : setting;
  if (form !== undefined) {
    const service = await patch(form === "flat" ? flat : nested);
    learned.patchService = form === "flat" ? "flat" : "nested";
    return service;
  }
  const first = await answerOrRefusal(patch(nested));
  if (!(first instanceof ApiError) && tookAny(configuration, first)) {
    learned.patchService = "nested";
    return first;
  }
  const second = await answerOrRefusal(patch(flat));
  if (!(second instanceof ApiError) && tookAny(configuration, second)) {
    learned.patchService = "flat";
    return second;
  }
  if (first instanceof ApiError) throw first;
  return first;
}

/** The service as answered, or the 400 that refuses the body; throws any other failure. */
async function answerOrRefusal(asked: Promise<Service>): Promise<Service | ApiError> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof ApiError && failure.kind === "refused" && failure.status === 400) return failure;
    throw failure;
  }
}

const tookAny = (sent: Readonly<Record<string, unknown>>, service: Service): boolean =>
  Object.entries(sent).some(([field, value]) =>
    plainEqual(value as Plain, service.configuration[field] as Plain),
  );

import { type Plain, plainEqual } from "../model/value";
import { ApiError } from "./api-error";
import type { Endpoints } from "./endpoints";
import type { GapSettings } from "./gaps";
import type { Service } from "./wire/service";

export type ServiceChange = Parameters<Endpoints["updateService"]>[1];

/** What was found out about the gaps while requests were made; shared by the endpoint sets of one process. */
export interface LearnedForms {
  patchService?: "nested" | "flat";
}

/**
 * Gap "change a service": the nested body, or the flat one; `auto` tries the flat one once after a 400 and keeps
 * to it when the answer shows that it took. Otherwise the first refusal stands.
 */
export async function updateService(
  patch: (body: Readonly<Record<string, unknown>>) => Promise<Service>,
  change: ServiceChange,
  setting: GapSettings["patchService"],
  learned: LearnedForms,
): Promise<Service> {
  const { name, configuration } = change;
  const common = name === undefined ? {} : { name };
  if (configuration === undefined) return patch(common);
  const nested = { ...common, configuration };
  const flat = { ...common, ...configuration };
  const form = setting === "auto" ? learned.patchService : setting;
  if (form !== undefined) return patch(form === "flat" ? flat : nested);
  let refusal: ApiError;
  try {
    const service = await patch(nested);
    learned.patchService = "nested";
    return service;
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.kind !== "refused" || failure.status !== 400) throw failure;
    refusal = failure;
  }
  const service = await patch(flat).catch((second: unknown) => {
    throw second instanceof ApiError && second.status === 400 ? refusal : second;
  });
  if (!tookAny(configuration, service)) throw refusal;
  learned.patchService = "flat";
  return service;
}

const tookAny = (sent: Readonly<Record<string, unknown>>, service: Service): boolean =>
  Object.entries(sent).some(([field, value]) =>
    plainEqual(value as Plain, service.configuration[field] as Plain),
  );

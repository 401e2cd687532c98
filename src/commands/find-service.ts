import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { RecordedResource, State } from "../model/state";
import { typeNamed } from "../resources";
import { findRecorded } from "./find-recorded";

export type FoundService =
  | { readonly address: Address; readonly recorded: RecordedResource; readonly diagnostic?: undefined }
  | { readonly diagnostic: Diagnostic };

/** A recorded service with the recorded parts of it that say what runs. */
export const withWhatRuns = ({ resources }: State, service: Address): readonly Address[] => [
  service,
  ...(Object.entries(resources) as [Address, RecordedResource][])
    .filter(([, { parent, type }]) => parent === service && typeNamed(type)?.reacts !== undefined)
    .map(([address]) => address),
];

/** The record of a service; the address of a part of it, such as its deployment, stands for it too. */
export function findService(state: State | undefined, text: string): FoundService {
  const found = findRecorded(state, text);
  if (found.diagnostic) return found;
  if (found.recorded.type === "service") return found;
  const { parent } = found.recorded;
  const holder = parent && state?.resources[parent];
  if (parent && holder?.type === "service") return { address: parent, recorded: holder };
  return {
    diagnostic: error("command.usage", `${found.address} is not a service`, {
      address: found.address,
      hint: "name a service.… address; `rnv state list` shows them",
    }),
  };
}

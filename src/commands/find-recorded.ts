import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, parseAddress } from "../model/address";
import type { RecordedResource, State } from "../model/state";

export type Found =
  | { readonly address: Address; readonly recorded: RecordedResource; readonly diagnostic?: undefined }
  | { readonly diagnostic: Diagnostic };

/** The record of an address that a user typed, or what is wrong with it. */
export function findRecorded(state: State | undefined, text: string): Found {
  const address = parseAddress(text);
  const addresses = Object.keys(state?.resources ?? {});
  const recorded = address === undefined ? undefined : state?.resources[address];
  if (address !== undefined && recorded !== undefined) return { address, recorded };
  const hint = didYouMean(text, addresses) ?? "`rnv state list` shows what is recorded";
  const summary =
    address === undefined ? `"${text}" is not an address` : `${text} is not recorded in the state`;
  return { diagnostic: error("state.address_unknown", summary, { hint }) };
}

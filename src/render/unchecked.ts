import type { Address } from "../model/address";
import { shortList } from "../model/short-list";
import type { Plan } from "../plan/plan";

const mostNamed = 3;

/** Resources that could not be read; and secrets whose text, or whose fingerprint's key, was not there. */
export const unreadIn = ({ unchecked }: Pick<Plan, "unchecked">) => ({
  resources: unchecked.filter(({ attribute }) => attribute === undefined),
  values: unchecked.filter(({ attribute }) => attribute !== undefined),
});

/** What a plan says above the secrets that it was made without. */
export const unreadHeading = (values: Plan["unchecked"]): string =>
  values.length === 1
    ? "1 value was not compared, because it is not here; apply reads and compares it:"
    : `${values.length} values were not compared, because they are not here; apply reads and compares them:`;

/** What could not be read, a row for each; many with one reason share a row that names the first of them. */
export function uncheckedRows(
  unchecked: Plan["unchecked"],
  shown: (address: Address) => string,
): { readonly addresses: string; readonly reason: string }[] {
  const groups = new Map<string, Address[]>();
  for (const { address, reason } of unchecked) {
    const group = groups.get(reason);
    if (group) group.push(address);
    else groups.set(reason, [address]);
  }
  return [...groups].flatMap(([reason, addresses]) =>
    addresses.length <= mostNamed
      ? addresses.map((address) => ({ addresses: shown(address), reason }))
      : [{ addresses: shortList(addresses.map(shown), mostNamed), reason }],
  );
}

import type { Address } from "../model/address";
import { shortList } from "../model/text";
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

/** How many values were revealed, and what became of them; undefined where nobody asked. */
export function revealedLine({ revealed }: Pick<Plan, "revealed">, equal: string): string | undefined {
  if (revealed === undefined) return undefined;
  const { length } = revealed;
  if (length === 0) return "No value had to be revealed.";
  const same = revealed.filter(({ isEqual }) => isEqual).length;
  const parts = [
    ...(same > 0 ? [`${same} ${same === 1 ? "is" : "are"} ${equal}`] : []),
    ...(same < length ? [`${length - same} ${length - same === 1 ? "is" : "are"} not`] : []),
  ];
  return `${length === 1 ? "1 value was" : `${length} values were`} revealed to compare ${length === 1 ? "it" : "them"} (the service keeps an audit event of each): ${parts.join(", ")}.`;
}

export const asDeclared = "as declared and not written";
export const asRecorded = "as recorded";

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

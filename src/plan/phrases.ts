import type { Address } from "../model/address";
import type { DesiredResource } from "../model/desired";

/** Words of a hint about the source: a manifest, or a program of constructs. */
type Phrases = typeof manifestPhrases;

const manifestPhrases = {
  takeOver: (id: string) => `import: ${id}`,
  move: (from: string, to: Address) => `moved: [{ from: ${from}, to: ${to} }]`,
  confirm: (address: Address) => `removed: [${address}]`,
};

const constructPhrases: Phrases = {
  takeOver: (id) => `importFrom("${id}")`,
  move: (from) => `movedFrom("${from}")`,
  confirm: (address) => `confirmRemoved(stack, "${address}")`,
};

export const phrasesFor = (desired: Pick<DesiredResource, "constructPath"> | undefined): Phrases =>
  desired?.constructPath === undefined ? manifestPhrases : constructPhrases;

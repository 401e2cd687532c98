import type { Address } from "../model/address";
import type { Block } from "./blocks";
import type { Report } from "./findings";
import type { Trust } from "./trust";
import type { TypeIndex } from "./type-index";

/** What values are read with: the declared blocks, the environment, and the report of findings. */
export interface ReadContext {
  readonly index: TypeIndex;
  readonly blocks: ReadonlyMap<Address, Block>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly texts: ReadonlyMap<string, string>;
  readonly report: Report;
  /** Counts unknown addresses: past a few, no suggestion is looked for. */
  readonly misses: { count: number };
  /** Where the paths of secret files start, absolute; the folder of the file that names them unless said. */
  readonly secretFolder?: string;
  /** What the manifest may run and read of this machine. */
  readonly trust: Trust;
  /** Variables of the environment that the manifest takes for secrets: `fromEnv: NAME`. */
  readonly secretNames: ReadonlySet<string>;
  /** A file could not be read: what looks undeclared may be declared there, and is not reported. */
  readonly isPartial: boolean;
}

/** The variables of the environment that blocks take the text of secrets from. */
export function secretNamesIn(blocks: Iterable<Block>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { written } of blocks)
    for (const { shape, entry } of written) {
      if (!shape.secret || entry.value.kind !== "map") continue;
      const name = entry.value.entries.get("fromEnv")?.value;
      if (name?.kind === "scalar" && typeof name.value === "string") names.add(name.value);
    }
  return names;
}

/** The location of a value, for diagnostics and for what is allowed in it. */
export interface ValueLocation {
  /** Undefined for an output. */
  readonly address?: Address;
  readonly attribute: string;
  /** Undefined: references are allowed; else why they are not. */
  readonly noReference?: string;
}

/** The part of a diagnostic that says which attribute it is about. */
export const where = (location: ValueLocation): { address?: string; attribute: string } => ({
  ...(location.address === undefined ? {} : { address: location.address }),
  attribute: location.attribute,
});

import { type Diagnostic, type DiagnosticCode, error, type SourceRange } from "../diagnostics/diagnostic";
import type { Block } from "../manifest/blocks";
import type { Address } from "../model/address";
import type { Desired } from "../model/desired";
import type { ResourceType } from "../model/resource-type";
import type { StageName } from "../model/stage";
import type { Plain } from "../model/value";
import type { Report } from "./findings";
import type { Trust } from "./trust";
import type { TypeIndex } from "./type-index";

/**
 * How far secrets are read: `resolve` needs all of them, `present` takes those whose source is here, `skip` takes none.
 * It reads the environment and files to mask their texts. A secret that is not read is an `UnreadSecret`.
 */
export type SecretReach = "resolve" | "present" | "skip";

export interface FileRequest {
  /** Values of `-f`; empty: rnv.yaml, rnv.yml or every YAML file below rnv. */
  readonly files: readonly string[];
  /** The project folder, absolute. */
  readonly cwd: string;
  readonly standardInput?: Uint8Array | undefined;
}

export interface ManifestRequest extends FileRequest {
  readonly types: readonly ResourceType[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretReach;
  /** The manifest comes from someone who may not see secrets. */
  readonly untrusted?: boolean;
  readonly stack?: StackUnit | undefined;
  /** The declared stage to read; `any` for what is the same in all of them, such as the names of what is declared. */
  readonly stage?: StageName | "any" | undefined;
}

export interface LoadedManifest {
  /** Undefined when there are errors. */
  readonly desired?: Desired;
  readonly diagnostics: readonly Diagnostic[];
  /** The text of all files as one, secrets as their sources; of manifests only, where no source is read (`skip`). */
  readonly merged?: () => string;
}

/** A stack as a unit of its own: what is read of an app of several, and what its state belongs to. */
export interface StackUnit {
  /** Its name in the manifest.json of the app, unique in it. */
  readonly name: string;
  readonly crossValues?: CrossValues;
  /** A value of another stack that is not there yet is a mistake; else it is known later. */
  readonly needsValues?: boolean;
  /** Ids of what the states of the other stacks record. */
  readonly ownedElsewhere?: ReadonlySet<string>;
}

export type CrossValues = ReadonlyMap<string, ReadonlyMap<string, CrossValue>>;

export type CrossValue =
  | { readonly kind: "value"; readonly value: Plain }
  /** Known once that stack is applied. */
  | { readonly kind: "unknown" };

export interface ReadContext {
  readonly index: TypeIndex;
  readonly blocks: ReadonlyMap<Address, Block>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: Report;
  /** Counts unknown addresses: past a few, no suggestion is looked for. */
  readonly misses: { count: number };
  /** The folder whose files it may name, absolute. */
  readonly project: string;
  /** Where the paths of secret files start, absolute; the folder of the file that names them unless said. */
  readonly secretFolder?: string;
  readonly trust: Trust;
  /** Variables of the environment that the manifest takes for secrets: `fromEnv: NAME`. */
  readonly secretNames: ReadonlySet<string>;
  /** A file could not be read: what looks undeclared may be declared there, and is not reported. */
  readonly isPartial: boolean;
}

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

export interface ValueLocation {
  /** Undefined for an output. */
  readonly address?: Address;
  readonly attribute: string;
  /** Undefined: references are allowed; else why they are not. */
  readonly noReference?: string;
  /** Functions of a stack may make a list or an object of references all the same. */
  readonly isMadeWhole?: boolean;
}

export function refuse(
  { report }: Pick<ReadContext, "report">,
  { address, attribute }: ValueLocation,
  range: SourceRange,
  mistake: { readonly code: DiagnosticCode; readonly summary: string; readonly hint?: string | undefined },
): undefined {
  const { code, summary, hint } = mistake;
  report(error(code, summary, { address, attribute, range, hint }));
}

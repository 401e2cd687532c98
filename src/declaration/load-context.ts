import { type DiagnosticCode, error, type SourceRange } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Block } from "./declared-block";
import type { Report } from "./findings";
import type { SecretReach } from "./load-request";
import type { Trust } from "./trust";
import type { TypeIndex } from "./type-index";

export interface LoadContext {
  readonly index: TypeIndex;
  readonly blocks: ReadonlyMap<Address, Block>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: Report;
  readonly reach: SecretReach;
  /** A value of the environment that is not here, or not allowed, stands for any. */
  readonly checksOnly?: boolean | undefined;
  /** `${stage.id}` stands for any. */
  readonly hasAnyId?: boolean | undefined;
  readonly cwd: string;
  /** Counts unknown addresses: past a few, no suggestion is looked for. */
  readonly misses: { count: number };
  /** The folder whose files it may name, absolute. */
  readonly project: string;
  /** Start of the paths of secret files, absolute. Default: the folder of the file that names them. */
  readonly secretFolder?: string;
  readonly trust: Trust;
  /** Variables of the environment that the manifest takes for secrets: `fromEnv: NAME`. */
  readonly secretNames: ReadonlySet<string>;
  /** A file could not be read: it may declare an address that looks undeclared, so none is reported. */
  readonly isPartial: boolean;
  /** An import may give names in place of an ID, as Terraform does. */
  readonly importsByName?: true;
}

/** A piece of a text, or an argument of the functions of a stack that compute it. */
export type PieceUse = "text" | "argument";

export interface ValueLocation {
  readonly context: LoadContext;
  /** Undefined for an output. */
  readonly address?: Address;
  readonly attribute: string;
  /** Undefined: references are allowed; else why they are not. */
  readonly noReference?: string;
  /** Functions of a stack may refer to other resources all the same, to make a list or an object. */
  readonly allowsInFunctions?: boolean;
  /** A secret may refer to secrets, and is never quoted. */
  readonly isSecret?: true;
}

export function refuse(
  { context, address, attribute }: ValueLocation,
  range: SourceRange,
  mistake: { readonly code: DiagnosticCode; readonly summary: string; readonly hint?: string | undefined },
): undefined {
  const { code, summary, hint } = mistake;
  context.report(error(code, summary, { address, attribute, range, hint }));
}

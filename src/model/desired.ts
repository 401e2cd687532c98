import type { SourceRange } from "../diagnostics/diagnostic";
import type { Address } from "./address";
import type { ResourceCondition } from "./policy";
import { Secret } from "./secret";
import { type DesiredValue, isPlain, type Mask, type Plain, plainEqual, type ResolvedValue } from "./value";

export interface DesiredAttribute {
  readonly value: DesiredValue;
  readonly range: SourceRange;
  readonly source?: SecretKind;
  /** The source of a secret as written, to compare it with that of another plan. */
  readonly origin?: Secret;
  /** A file that is not here may replace it. */
  readonly isReplaceable?: true;
}

/** Source of the text of a secret; `value` is the manifest itself. */
export type SecretKind = "value" | "generate" | "dotenv" | "env" | "file" | "command";

/** The source of a secret as written; `from`: the groups and files that bring it. */
export const sourceAsWritten = (kind: SecretKind, text: string, from = ""): Secret =>
  new Secret(JSON.stringify([kind, text, from]));

export type OnRemove = "delete" | "archive" | "retain";

export interface Lifecycle {
  readonly preventDestroy: boolean;
  /** Attribute paths never compared or sent on update; a group (`configuration`) covers all of its fields. */
  readonly ignoreChanges: readonly string[];
  readonly onRemove: OnRemove;
}

export const defaultLifecycle: Lifecycle = { preventDestroy: false, ignoreChanges: [], onRemove: "delete" };

/** An absent source of parts of a resource. `below`: names that it replaces; `without`: names that it cannot bring. */
export interface AbsentParts {
  readonly type: string;
  readonly reason: string;
  readonly from: string;
  readonly below: ReadonlySet<string>;
  readonly without: ReadonlySet<string>;
}

export interface DesiredResource {
  readonly address: Address;
  readonly type: string;
  /** The construct that declares it: `shop/api`; undefined where no program does. */
  readonly constructPath?: string;
  /** By attribute path: declared attributes only, plus the reference to the parent (`projectId`, `serviceId`). */
  readonly attributes: ReadonlyMap<string, DesiredAttribute>;
  readonly parent?: Address;
  /** Addresses it waits for: those that its attributes refer to, its parent, and those of `dependsOn`. */
  readonly dependsOn: readonly Address[];
  readonly lifecycle: Lifecycle;
  readonly conditions?: readonly ResourceCondition[];
  /** Milliseconds that an apply waits for the service, by step. Default: as the type says. */
  readonly timeouts?: { readonly [Step in "create" | "update" | "delete"]?: number };
  /** A UUID, or names: `Shop/api`. */
  readonly importId?: { readonly id: string; readonly range: SourceRange };
  readonly absent?: AbsentParts | undefined;
  /** The block, or the key that opens it. */
  readonly range: SourceRange;
}

/** A data source of a stack: looked up and never changed. */
export interface DesiredData {
  /** `data.<stack>.rnv_service.api`: no resource has such an address. */
  readonly address: Address;
  /** The construct that declares it: `shop/api`. */
  readonly owner: string;
  /** The resource type that is looked up; undefined for a listing. */
  readonly type?: string;
  /** The listing that it shows, by its name in Terraform. */
  readonly listing?: string;
  /** The query: `id`, the name, the parent, or the fields of the listing. */
  readonly query: ReadonlyMap<string, DesiredAttribute>;
  /** Resources and data sources that `depends_on` names. */
  readonly dependsOn: readonly Address[];
  readonly range: SourceRange;
}

interface DesiredStage {
  /** `preview/12`. */
  readonly name: string;
  /** Nothing in it is deleted. */
  readonly protect: boolean;
  /** Its resources are deleted without a confirmation. */
  readonly disposable: boolean;
}

export interface Desired {
  readonly resources: ReadonlyMap<Address, DesiredResource>;
  /** Data sources of a stack; empty for a manifest. */
  readonly data: ReadonlyMap<Address, DesiredData>;
  readonly moved: readonly { readonly from: Address; readonly to: Address; readonly range: SourceRange }[];
  /** With `isKept` (`destroy = false`) the platform keeps the resource, and it is forgotten. */
  readonly removed: readonly {
    readonly address: Address;
    readonly range: SourceRange;
    readonly isKept?: boolean;
    /** It is deleted although others refer to it. */
    readonly consumers?: boolean;
  }[];
  readonly outputs: ReadonlyMap<string, DesiredAttribute>;
  /** The stage that was read; undefined where there is none. */
  readonly stage?: DesiredStage;
}

/** Stands for the value of an output that is sensitive: it is neither shown nor recorded. */
export const hiddenOutput: Plain = { "rnv:sensitive": true };

/** Returns outputs as a state has them: sensitive where something in them is masked. */
export const hideOutputs = (outputs: Readonly<Record<string, Plain>>, mask: Mask): Record<string, Plain> =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, mask(value) === value ? value : hiddenOutput]),
  );

export const isHiddenOutput = (value: DesiredValue | ResolvedValue | undefined): boolean =>
  value !== undefined && isPlain(value) && plainEqual(value, hiddenOutput);

/** Returns true if an output only carries a reference from stack to stack, as the library of constructs names them. */
export const isCrossStackOutput = (name: string): boolean => name.startsWith("cross-stack-output-");

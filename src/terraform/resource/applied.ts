import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { PrivateData } from "../private-data";
import type { TerraformObject } from "../values/terraform-value";

/** The values of a create or an update. */
export interface ChangeValues {
  readonly planned: TerraformObject;
  /** As planned, with write-only values: all that is sent is taken from it. */
  readonly wanted: TerraformObject;
  /** Says what is declared, and nothing of its value: `ignore_changes` is not applied to it. */
  readonly config: TerraformObject;
  readonly kept: PrivateData;
  /** The idempotency keys of this apply are made of it. */
  readonly nonce: string;
}

/** The outcome of an apply. A state of null is "nothing exists". */
export interface Applied {
  readonly state: TerraformObject | null;
  readonly kept: PrivateData;
  readonly diagnostics: readonly Diagnostic[];
}

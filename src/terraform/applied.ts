import type { Diagnostic } from "../diagnostics/diagnostic";
import type { PrivateData } from "./private-data";
import type { TerraformObject } from "./values/terraform-value";

/** What an apply came to. A state of null is "nothing is there". */
export interface Applied {
  readonly state: TerraformObject | null;
  readonly kept: PrivateData;
  readonly diagnostics: readonly Diagnostic[];
}

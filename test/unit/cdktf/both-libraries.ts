import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import * as onCdktf from "../../../src/cdktf/cdktf";
import * as onCdktn from "../../../src/cdktf/generated/cdktn";
import { shareOf } from "../../support/soak";

interface On {
  readonly library: typeof cdktf;
  /** Our constructs on that library. */
  readonly constructs: typeof onCdktf;
}

export const onBoth: readonly (readonly [name: string, on: On])[] = [
  ["cdktf", { library: cdktf, constructs: onCdktf }],
  ["cdktn", { library: cdktn as unknown as typeof cdktf, constructs: onCdktn as unknown as typeof onCdktf }],
];

/** Both in a soak alone. */
export const onShare = shareOf(onBoth, 2);

import type { SourceRange } from "../diagnostics/diagnostic";

/** An entry of `rnv.drift.yaml`: drift that was looked at and stays for a while (DESIGN section 15). */
export interface Acceptance {
  /** An address, or a pattern of them: `service.shop.*`. */
  readonly address: string;
  /** A path of a field, or a pattern; absent: the whole resource. */
  readonly attribute?: string | undefined;
  /** A stage, or a pattern: `prod-*`; absent: every stage. */
  readonly stage?: string | undefined;
  /** As it is written: `2026-12-31`. */
  readonly until: string;
  /** The first moment that it does not hold, in milliseconds since 1970. */
  readonly endsAt: number;
  readonly reason: string;
  readonly range: SourceRange;
}

import type { SourceRange } from "../diagnostics/source-range";
import type { Address } from "./address";

/** `${service.shop.api.url}`: one attribute of another resource. An edge of the graph. */
export interface Reference {
  readonly address: Address;
  /** Attribute path, declared or computed: `url`, `configuration.port`. */
  readonly attribute: string;
  readonly range?: SourceRange;
}

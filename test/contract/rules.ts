import { join } from "node:path";
import { rowsIn } from "../support/rows";

/** Endpoints of the interface, as its section "Endpoints" lists them; `(I)`: they accept an `Idempotency-Key`. */
const listed = rowsIn(join(__dirname, "endpoints.tsv")).flat();

/** Endpoints of the interface: method and path. */
export const endpoints: readonly string[] = listed.map((line) => line.replace(" (I)", ""));

/** Everything besides its endpoints that the interface numbers or names in a table: each needs a row of its own. */
export const rules: readonly string[] = [
  ...rowsIn(join(__dirname, "rules.tsv")).flat(),
  ...listed.flatMap((line) => (line.endsWith(" (I)") ? [`Keyed replay ${line.replace(" (I)", "")}`] : [])),
];

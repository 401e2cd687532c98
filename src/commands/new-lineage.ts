import type { Context } from "./context";

/** The lineage of a new state: a version 4 UUID. */
export function newLineage(context: Pick<Context, "randomBytes">): string {
  const hex = Buffer.from(context.randomBytes(16)).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

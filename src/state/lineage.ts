import { sha256 } from "../model/text";

/** A UUID for a state whose first entries are written before its first snapshot. */
export function lineageFrom(id: string): string {
  const hex = sha256(`lineage of ${id}`);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

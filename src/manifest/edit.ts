import { type Document, isMap, isScalar, parseDocument } from "yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { ResourceType } from "../model/resource-type";
import type { Plain } from "../model/value";
import { indexTypes } from "./type-index";
import { wayTo } from "./write";

/** An attribute to be written: that of a block, by the logical names from the root down. */
export interface AttributeEdit {
  readonly type: string;
  readonly names: readonly string[];
  readonly attribute: string;
  readonly value: Plain;
}

/** Returns the text of a manifest with attributes set; its comments stay, and so does all else. */
export function editManifest(
  text: string,
  edits: readonly AttributeEdit[],
  types: readonly ResourceType[],
): { readonly text: string } | { readonly problem: Diagnostic } {
  const { byType } = indexTypes(types);
  const document = parseDocument(text, { version: "1.2", schema: "core" });
  for (const { type, names, attribute, value } of edits) {
    const placed = byType.get(type);
    const rest = [...names];
    const path = (placed && wayTo(placed, names.length, byType))?.flatMap(({ place }) =>
      place.shape === "map" ? [place.key, rest.shift()] : [place.key],
    );
    if (path === undefined) throw new Error(`a ${type} of the names ${names.join(".")} has no path`);
    const whole = [...path, attribute];
    openEmptyBlocks(document, path);
    try {
      document.setIn(whole, value);
    } catch {
      const summary = `cannot set ${whole.join(".")}: a part of it is no mapping`;
      const hint = "write it by hand, or write out the alias";
      return { problem: error("manifest.unsupported", summary, { hint }) };
    }
  }
  return { text: document.toString({ lineWidth: 0, flowCollectionPadding: true }) };
}

/** Makes a block of what is empty on the way: of nothing, or of `{}`. */
function openEmptyBlocks(document: Document, path: readonly (string | undefined)[]): void {
  for (let length = 1; length <= path.length; length += 1) {
    const way = path.slice(0, length);
    const found = document.getIn(way, true);
    if (isScalar(found) && found.value === null) document.setIn(way, document.createNode({}));
    else if (isMap(found) && found.items.length === 0) found.flow = false;
  }
}

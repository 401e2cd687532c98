import type { Report } from "../../declaration/findings";
import type { SourceNode } from "../../declaration/tree";
import type { SourceFile } from "../../diagnostics/diagnostic";
import { pathText } from "./json";
import { type ParsedYaml, parseYaml } from "./yaml";

/** Reads a manifest that `jsonOf` wrote: mistakes in it name the path of their value. */
export function parseValue(source: SourceFile, json: string, report: Report): ParsedYaml {
  const read = parseYaml(source, json, report);
  source.placeAt = (offset) => {
    const path = pathText(stepsTo(read.root, offset));
    return path === "" ? source.path : `${source.path}: ${path}`;
  };
  return read;
}

function stepsTo(node: SourceNode | undefined, offset: number): readonly (string | number)[] {
  if (node === undefined || node.kind === "scalar") return [];
  const parts =
    node.kind === "list"
      ? node.items.map((value, step) => ({ step, value, start: value.range.start }))
      : [...node.entries.values()].map(({ key, keyRange: { start }, value }) => ({
          step: key,
          value,
          start,
        }));
  const part = parts.findLast(({ start, value }) => start <= offset && offset <= value.range.end);
  return part === undefined ? [] : [part.step, ...stepsTo(part.value, offset)];
}

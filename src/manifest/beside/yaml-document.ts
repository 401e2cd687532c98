import type * as z from "zod";
import type { Report } from "../../declaration/findings";
import { maxTotalBytes, readSource } from "../../declaration/project-files";
import { judgeDocument } from "../../declaration/schema-issues";
import { type MapNode, mapNode } from "../../declaration/tree";
import { SourceFile } from "../../diagnostics/diagnostic";
import { findFiles } from "../find-files";
import { parseYaml } from "../text/yaml";

/** Reads a file as a whole document, with its tree; undefined after a mistake, which is reported. */
export function readDocument<Document>(
  schema: z.ZodType<Document>,
  path: string,
  cwd: string,
  report: Report,
): { readonly root: MapNode; readonly document: Document } | undefined {
  const [file] = findFiles([path], cwd, report)[0] ?? [];
  const text = file === undefined ? undefined : readSource(file, cwd, maxTotalBytes, report);
  if (file === undefined || text === undefined) return undefined;
  const source = new SourceFile(file, text);
  const parsed = parseYaml(source, text, report);
  const root = parsed.root ?? mapNode([], source.range(0, 0));
  const document = parsed.failed ? undefined : judgeDocument(schema, root, report);
  return document === undefined ? undefined : { root, document };
}

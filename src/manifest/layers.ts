import { resolve } from "node:path";
import type { FileRequest } from "./context";
import { findFiles, type Layer, maxTotalBytes, readSource, standardInputName } from "./files";
import type { Findings, Report } from "./findings";
import { MaskedTexts } from "./mask";
import { mergeFiles, mostComparisons, overlay } from "./merge";
import { checkTopLevel } from "./meta";
import type { MapNode } from "./tree";
import type { TypeIndex } from "./type-index";
import { parseYaml } from "./yaml";

/** The files of a manifest as read so far; more may be laid over them. */
export interface ReadFiles {
  /** One tree of all layers, each over those before it. */
  readonly root: MapNode;
  /** Texts of all files, as they are and for code frames. */
  readonly texts: Map<string, string>;
  readonly masked: Map<string, string>;
  /** Bytes that further files may hold. */
  readonly bytesLeft: number;
  /** A file could not be read or parsed. */
  readonly isPartial: boolean;
}

interface Reading {
  readonly index: TypeIndex;
  readonly findings: Findings;
}

/** Reads the files that `-f` values name, and merges them. */
export function readFiles(request: FileRequest, reading: Reading): ReadFiles {
  const layers = findFiles(request.files, request.cwd, reading.findings.report);
  const none = { texts: new Map(), masked: new MaskedTexts(), bytesLeft: maxTotalBytes, isPartial: false };
  return readOver({ root: emptyRoot, ...none }, layers, request, reading);
}

/** Whether the text of any file speaks of stages; also where one that is named, or one of several, cannot be read. */
export function mentionsStages({ files, cwd, standardInput }: FileRequest): boolean {
  let isUnread = false;
  const report = (): void => {
    isUnread = true;
  };
  const texts = findFiles(files, cwd, report).flatMap((layer) =>
    layer.files.map((file) =>
      readSource(file, cwd, maxTotalBytes, report, file === standardInputName ? standardInput : undefined),
    ),
  );
  return isUnread ? texts.length + files.length > 0 : texts.some((text) => text?.includes("stages"));
}

/** Lays one more file or folder over files that were read. */
export function layOver(below: ReadFiles, path: string, cwd: string, reading: Reading): ReadFiles {
  return readOver(below, findFiles([path], cwd, reading.findings.report), { cwd }, reading);
}

const emptyRoot: MapNode = { kind: "map", entries: new Map(), range: { file: "", start: 0, end: 0 } };

function readOver(
  below: ReadFiles,
  layers: readonly Layer[],
  { cwd, standardInput }: Pick<FileRequest, "cwd" | "standardInput">,
  { index, findings: { report } }: Reading,
): ReadFiles {
  const { texts } = below;
  const masked = below.masked as MaskedTexts;
  const roots: MapNode[] = below.root === emptyRoot ? [] : [below.root];
  let { bytesLeft, isPartial } = below;
  for (const layer of layers) {
    let layerRoot: MapNode | undefined;
    for (const file of layer.files) {
      const given = file === standardInputName ? standardInput : undefined;
      const text = readSource(file, cwd, bytesLeft, report, given);
      if (text === undefined) {
        isPartial = true;
        continue;
      }
      bytesLeft -= Buffer.byteLength(text);
      texts.set(file, text);
      const parse = (to: Report) => parseYaml(file, text, to);
      const { root, failed } = parse(report);
      // A mistake is told while the tree is still there; a plan that goes on to the service lets go of it.
      const kept = root && new WeakRef(root);
      const readTree = () => kept && (kept.deref() ?? parse(() => undefined).root);
      masked.add(file, text, { readTree, failed }, index);
      isPartial ||= failed;
      if (root === undefined) continue;
      checkTopLevel(root, index, report);
      layerRoot = layerRoot === undefined ? root : mergeFiles(layerRoot, root, index, texts, report);
    }
    if (layerRoot !== undefined) roots.push(layerRoot);
  }
  const [first = emptyRoot, ...overlays] = roots;
  const overlaying = { index, report, isWhole: !isPartial, comparisons: { left: mostComparisons } };
  const root = overlays.reduce((lower, upper) => overlay(lower, upper, overlaying), first);
  return { root, texts, masked, bytesLeft, isPartial };
}

/** The files of a manifest by their absolute paths. */
export const pathsOf = ({ texts }: Pick<ReadFiles, "texts">, cwd: string): readonly string[] =>
  [...texts.keys()].filter((file) => file !== standardInputName).map((file) => resolve(cwd, file));

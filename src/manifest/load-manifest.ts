import { resolve } from "node:path";
import { type Diagnostic, error, hasErrors, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Desired, DesiredResource } from "../model/desired";
import { walkBlocks } from "./blocks";
import { buildResource } from "./build-resource";
import { type LoadedManifest, type ManifestRequest, type ReadContext, secretNamesIn } from "./context";
import { fetchSecrets } from "./fetch-secrets";
import { findFiles, type Layer, maxTotalBytes, readSource, standardInputName } from "./files";
import { collectFindings, type Findings } from "./findings";
import { MaskedTexts, maskBroken } from "./mask";
import { mergeFiles, mostComparisons, overlay } from "./merge";
import { checkTopLevel, readMoved, readOutputs, readRemoved } from "./meta";
import { checkCycles } from "./references";
import { takeShared } from "./share";
import { findStacks, isStackPath, type StackFile } from "./stack/files";
import type * as stack from "./stack/load";
import type { MapNode } from "./tree";
import { trustOf } from "./trust";
import { indexTypes, type TypeIndex } from "./type-index";
import { printManifest } from "./write";
import { parseYaml } from "./yaml";

/** The desired state that `-f` values name: YAML manifests, or synthesized stacks, but not both at once. */
export async function loadDesired(request: ManifestRequest): Promise<LoadedManifest> {
  const stacks: string[] = [];
  for (const file of request.files)
    if (file !== "-" && (await isStackPath(file, request.cwd))) stacks.push(file);
  if (stacks.length === 0) return loadManifest(request);
  if (stacks.length === request.files.length)
    return (require("./stack/load") as typeof stack).loadStack(request);
  const summary = "stacks and YAML manifests cannot be read together";
  const hint = "name one of the two with -f; a stack reads an environment from variables (RNV_VAR_name)";
  return { diagnostics: [error("manifest.unsupported", summary, { hint })], sources: new Map() };
}

/** The stacks that `-f` values name, in the order of their dependencies; empty for manifests, and after a mistake. */
export async function listStacks(files: readonly string[], cwd: string): Promise<readonly StackFile[]> {
  const arePaths = await Promise.all(files.map((file) => file !== "-" && isStackPath(file, cwd)));
  if (files.length === 0 || arePaths.includes(false)) return [];
  const diagnostics: Diagnostic[] = [];
  const stacks = await findStacks(files, cwd, (diagnostic) => diagnostics.push(diagnostic));
  return hasErrors(diagnostics) ? [] : stacks;
}

/** Reads the desired state of DESIGN section 3. Every mistake of every file is collected. */
export async function loadManifest(request: ManifestRequest): Promise<LoadedManifest> {
  const findings = collectFindings();
  const index = indexTypes(request.types);
  const cwd = resolve(request.cwd);
  const files = readLayers(
    findFiles(request.files, cwd, findings.report),
    { ...request, cwd },
    index,
    findings,
  );
  const { environment } = request;
  const root = takeShared(mergeLayers(files, index, findings), {
    ...{ index, cwd, environment, report: findings.report },
    ...{ texts: files.texts, masked: files.masked, bytesLeft: files.bytesLeft },
  });
  const merged = (): string => printManifest(root, { index, texts: files.texts });
  const blocks = walkBlocks(root, index, findings.report);
  const context: ReadContext = {
    index,
    blocks,
    trust: trustOf(request.environment, request.untrusted === true),
    secretNames: secretNamesIn(blocks.values()),
    environment,
    texts: files.texts,
    report: findings.report,
    misses: { count: 0 },
    isPartial: files.isPartial,
  };
  const built = [...context.blocks.values()].map((block) => buildResource(block, context, request.secrets));
  const resources = new Map<Address, DesiredResource>(
    built.map(({ resource }) => [resource.address, resource]),
  );
  checkCycles(resources, findings.report);
  const desired: Desired = {
    data: new Map(),
    resources,
    moved: readMoved(root, context),
    removed: readRemoved(root, context),
    outputs: readOutputs(root, context),
    sources: files.masked,
  };
  const concerns = request.concerns?.(desired);
  await fetchSecrets(built, cwd, context, { findings, reach: request.secrets, concerns });
  const diagnostics = sortDiagnostics(findings.all());
  return { ...(hasErrors(diagnostics) ? {} : { desired }), diagnostics, sources: files.masked, merged };
}

/** One tree of all layers, each over those before it. */
function mergeLayers({ roots, isPartial }: ReadFiles, index: TypeIndex, { report }: Findings): MapNode {
  const [first = emptyRoot, ...overlays] = roots;
  const overlaying = { index, report, isWhole: !isPartial, comparisons: { left: mostComparisons } };
  return overlays.reduce((lower, upper) => overlay(lower, upper, overlaying), first);
}

const emptyRoot: MapNode = { kind: "map", entries: new Map(), range: { file: "", start: 0, end: 0 } };

interface ReadFiles {
  /** One tree per layer. */
  readonly roots: readonly MapNode[];
  readonly texts: Map<string, string>;
  readonly masked: Map<string, string>;
  /** Bytes that further files may hold. */
  readonly bytesLeft: number;
  /** A file could not be read or parsed. */
  readonly isPartial: boolean;
}

function readLayers(
  layers: readonly Layer[],
  { cwd, standardInput }: Pick<ManifestRequest, "cwd" | "standardInput">,
  index: TypeIndex,
  { report }: Findings,
): ReadFiles {
  const texts = new Map<string, string>();
  const masked = new MaskedTexts();
  const roots: MapNode[] = [];
  let left = maxTotalBytes;
  let isPartial = false;
  for (const layer of layers) {
    let layerRoot: MapNode | undefined;
    for (const file of layer.files) {
      const given = file === standardInputName ? standardInput : undefined;
      const text = readSource(file, cwd, left, report, given);
      if (text === undefined) {
        isPartial = true;
        continue;
      }
      left -= Buffer.byteLength(text);
      texts.set(file, text);
      const { root, failed } = parseYaml(file, text, report, (broken) => maskBroken(broken, index));
      masked.add(file, text, root, failed, index);
      isPartial ||= failed;
      if (root === undefined) continue;
      checkTopLevel(root, index, report);
      layerRoot = layerRoot === undefined ? root : mergeFiles(layerRoot, root, index, texts, report);
    }
    if (layerRoot !== undefined) roots.push(layerRoot);
  }
  return { roots, texts, masked, bytesLeft: left, isPartial };
}

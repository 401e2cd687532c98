import { resolve } from "node:path";
import { type Diagnostic, hasErrors, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Desired, DesiredResource } from "../model/desired";
import type { ResourceType } from "../model/resource-type";
import { walkBlocks } from "./blocks";
import { buildResource } from "./build-resource";
import { type ReadContext, secretNamesIn } from "./context";
import { fetchSecrets } from "./fetch-secrets";
import { findFiles, type Layer, maxTotalBytes, readSource, standardInputName } from "./files";
import { collectFindings, type Findings } from "./findings";
import { MaskedTexts, maskBroken } from "./mask";
import { mergeFiles, mostComparisons, overlay } from "./merge";
import { checkTopLevel, readMoved, readOutputs, readRemoved } from "./meta";
import { checkCycles } from "./references";
import type { SecretReach } from "./secrets";
import { takeShared } from "./share";
import type { StackUnit } from "./stack/unit";
import type { MapNode } from "./tree";
import { trustOf } from "./trust";
import { indexTypes, type TypeIndex } from "./type-index";
import { printManifest } from "./write";
import { parseYaml } from "./yaml";

export interface ManifestRequest {
  /** Values of `-f`; empty: rnv.yaml, else rnv.yml, else every YAML file below rnv. */
  readonly files: readonly string[];
  /** The project folder, absolute. */
  readonly cwd: string;
  readonly types: readonly ResourceType[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `-f -` reads. */
  readonly standardInput?: Uint8Array | undefined;
  readonly secrets: SecretReach;
  /** The manifest comes from someone who may not see secrets. */
  readonly untrusted?: boolean;
  /** Of an app of several stacks, the one to read; all are read as one unless said. */
  readonly stack?: StackUnit | undefined;
  /** Of what is declared, whose values are needed: commands run for no others. All are unless said. */
  readonly concerns?: (desired: Desired) => (address: Address) => boolean;
}

export interface LoadedManifest {
  /** Undefined when there are errors. */
  readonly desired?: Desired;
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every file read, for code frames: same offsets, secrets starred out. */
  readonly sources: ReadonlyMap<string, string>;
  /** The text of all files as one, secrets as their sources; of manifests only. */
  readonly merged?: () => string;
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

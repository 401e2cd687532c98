import { basename, resolve } from "node:path";
import { buildResource } from "../declaration/build-resource";
import { secretNamesIn } from "../declaration/declared-block";
import { fetchSecrets } from "../declaration/fetch-secrets";
import { collectFindings, type Findings, type Report } from "../declaration/findings";
import { waitForParts } from "../declaration/lifecycle";
import type { LoadContext } from "../declaration/load-context";
import type { LoadedManifest, ManifestRequest } from "../declaration/load-request";
import { readMoved, readRemoved } from "../declaration/moves";
import { maxTotalBytes, projectFolder, readSource } from "../declaration/project-files";
import { checkCycles } from "../declaration/references";
import { type MapNode, mapNode } from "../declaration/tree";
import { appEnvironment, forbiddenInTests, trustOf } from "../declaration/trust";
import { indexTypes, type TypeIndex } from "../declaration/type-index";
import {
  type Diagnostic,
  error,
  hasErrors,
  SourceFile,
  sortDiagnostics,
  warning,
} from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Desired, DesiredResource } from "../model/desired";
import { anyId, type StageName, splitStage, stageText } from "../model/stage";
import { walkBlocks } from "./blocks";
import { findFiles, programName, standardInputName, valueName } from "./find-files";
import { expandShared } from "./groups";
import { maskText } from "./mask";
import {
  checkImports,
  checkNames,
  findStage,
  readStages,
  type StageDeclaration,
  type StageSettings,
  type Stages,
  stageMissing,
  stageSettings,
  withStage,
} from "./stage-declarations";
import { mergeFiles, overlay } from "./text/merge";
import { programRunner } from "./text/run-program";
import { parseValue, parseYaml } from "./text/yaml";
import { checkTopLevel, readOutputs } from "./top-level";
import { printManifest } from "./write";

/** Reads the desired state of DESIGN section 3. Every mistake of every file is collected. */
export async function loadManifest(given: ManifestRequest): Promise<LoadedManifest> {
  const reading = readingOf(given);
  const { index, findings } = reading;
  const base = await readFiles(given.files, reading);
  const { files, stage, sharedFiles = [] } = await readStage(base, reading);
  const outer = contextOf(reading, files);
  const root = expandShared(files.root, outer);
  const blocks = walkBlocks(root, index, findings.report);
  const context: LoadContext = { ...outer, blocks, secretNames: secretNamesIn(blocks.values()) };
  const built = [...context.blocks.values()].map((block) => buildResource(block, context));
  const declared = new Map<Address, DesiredResource>(
    built.map(({ resource }) => [
      resource.address,
      stage?.protect ? withPreventDestroy(resource, index) : resource,
    ]),
  );
  checkCycles(declared, findings.report);
  const waiting = hasErrors(findings.all()) ? undefined : waitForParts(built, declared);
  if (waiting !== undefined) checkCycles(waiting, findings.report);
  const resources = waiting ?? declared;
  const asked = given.stage === "any" ? undefined : given.stage;
  if (asked && stage?.each) checkNames(resources.values(), asked, context);
  if (stage) checkImports(resources.values(), stage, sharedFiles, findings.report);
  const desired: Desired = {
    data: new Map(),
    resources,
    moved: readMoved(root.entries.get("moved")?.value, context),
    removed: readRemoved(root.entries.get("removed")?.value, context),
    outputs: readOutputs(root, context),
    stage: asked && stage && { name: stageText(asked), protect: stage.protect, disposable: stage.disposable },
  };
  await fetchSecrets(built, context, findings);
  const [file] = files.names;
  if (resources.size === 0 && file !== undefined && !hasErrors(findings.all()))
    findings.report(warning("manifest.empty", `${basename(file)} declares nothing`));
  const diagnostics = sortDiagnostics(findings.all());
  return {
    desired: hasErrors(diagnostics) ? undefined : desired,
    diagnostics,
    // The tree needs more memory than all else: nothing that a request uses refers to it.
    merged: given.secrets === "skip" ? () => printManifest(root, index) : undefined,
  };
}

/** Lays the overlay of the stage over a manifest, and fills in its name; unchanged where it has no stages. */
async function readStage(
  base: ReadFiles,
  reading: FileReading,
): Promise<{ files: ReadFiles; stage?: StageDeclaration; sharedFiles?: readonly string[] }> {
  const { findings, stage: asked } = reading;
  const stages = readStages(base.root, findings.report);
  const anyStage = () => ({ files: { ...base, root: withStage(base.root, { name: "x", id: "x" }) } });
  if (asked === "any") return anyStage();
  if (asked === undefined) {
    if (stages.size === 0) return { files: base };
    findings.report(stageMissing(stages));
    return anyStage();
  }
  // A file that cannot be read may declare the stage.
  const isUnclear =
    base.isPartial ||
    findings.all().some(({ code }) => code === "manifest.stage" || code === "manifest.not_found");
  if (isUnclear && !stages.has(asked.name)) return { files: base };
  const found = findStage(stages, asked);
  if (found.stage === undefined) {
    findings.report(found.mistake);
    return anyStage();
  }
  const { stage } = found;
  const context = contextOf(reading, base);
  const { overlay } = stageSettings(stage, asked, context, pathsOf(base, reading.cwd));
  const files = overlay === undefined ? base : await readFiles([overlay], { ...reading, below: base });
  const again = files.root.entries.get("stages");
  if (again !== undefined && again !== base.root.entries.get("stages")) {
    const summary = `the overlay of stage ${stageText(asked)} declares stages itself`;
    const hint = "declare stages in the manifest that it is laid over";
    findings.report(error("manifest.stage", summary, { range: again.keyRange, hint }));
  }
  const root = withStage(files.root, asked, context);
  const entries = new Map(root.entries);
  entries.delete("stages");
  const isShared = [...stages.values()].filter(({ each }) => !each).length > 1;
  return { files: { ...files, root: { ...root, entries } }, stage, sharedFiles: isShared ? base.names : [] };
}

function contextOf(
  { cwd, files, environment, untrusted, secrets: reach, checksOnly, stage, index, findings }: FileReading,
  { isPartial }: ReadFiles,
): LoadContext {
  return {
    index,
    environment,
    report: findings.report,
    isPartial,
    reach,
    cwd,
    checksOnly,
    hasAnyId: checksOnly && typeof stage === "object" && stage.id === anyId,
    blocks: new Map(),
    trust: trustOf({ environment, untrusted }),
    project: projectFolder({ cwd, files, untrusted }),
    secretNames: new Set(),
    misses: { count: 0 },
  };
}

/** A resource whose deletion is confirmed by name is not deleted in a protected stage; its state remembers that. */
function withPreventDestroy(resource: DesiredResource, index: TypeIndex): DesiredResource {
  if (index.byType.get(resource.type)?.form.meta === undefined) return resource;
  return { ...resource, lifecycle: { ...resource.lifecycle, preventDestroy: true } };
}

/** The stages of a manifest, read before its settings are known. */
export interface FoundStages {
  readonly stages: Stages;
  readonly settingsOf: (stage: StageName) => {
    readonly settings: StageSettings;
    readonly diagnostics: readonly Diagnostic[];
  };
  /** Mistakes that keep the files from being read, and those in `stages`. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads `stages` alone. Files whose text does not speak of stages are not parsed for it. */
export async function findStages(request: Omit<ManifestRequest, "secrets">): Promise<FoundStages> {
  const reading: FileReading = { ...readingOf({ ...request, secrets: "skip" }), onlyWith: "stages" };
  const files = await readFiles(request.files, reading);
  const stages = readStages(files.root, reading.findings.report);
  return {
    stages,
    settingsOf: (stage) => {
      const own = collectFindings();
      const declared = stages.get(stage.name);
      const context = contextOf({ ...reading, findings: own }, files);
      const settings = declared && stageSettings(declared, stage, context, pathsOf(files, reading.cwd));
      return { settings: settings ?? {}, diagnostics: own.all() };
    },
    diagnostics: sortDiagnostics(reading.findings.all()),
  };
}

/** The files of a manifest as read so far; more may be laid over them. */
interface ReadFiles {
  readonly root: MapNode;
  readonly names: readonly string[];
  readonly bytesLeft: number;
  readonly isPartial: boolean;
}

interface FileReading extends ManifestRequest {
  readonly index: TypeIndex;
  readonly findings: Findings;
  /** Files whose text lacks this word are skipped: the tree is then partial. */
  readonly onlyWith?: string;
  /** Files that were read before, which these are laid over. */
  readonly below?: ReadFiles;
}

const readingOf = (request: ManifestRequest): FileReading => ({
  ...request,
  cwd: resolve(request.cwd),
  index: indexTypes(request.types),
  findings: collectFindings(),
});

async function readFiles(requested: readonly string[], reading: FileReading): Promise<ReadFiles> {
  const { below, index, onlyWith = "" } = reading;
  const { report } = reading.findings;
  const names = [...(below?.names ?? [])];
  const roots: MapNode[] = below === undefined ? [] : [below.root];
  let { bytesLeft, isPartial } = below ?? { bytesLeft: maxTotalBytes, isPartial: false };
  for (const layer of layersOf(requested, reading)) {
    let layerRoot: MapNode | undefined;
    for (const file of layer) {
      const text = await textOf(file, bytesLeft, reading);
      if (text === undefined) {
        isPartial = true;
        continue;
      }
      bytesLeft -= Buffer.byteLength(text);
      names.push(file);
      if (!text.includes(onlyWith)) {
        isPartial = true;
        continue;
      }
      const source = new SourceFile(file);
      const parse = (to: Report = () => undefined) =>
        isValue(file)
          ? parseValue(source, text, to)
          : parseYaml(source, text, to, "begin with a line such as projects: or services:");
      const { root, failed } = parse(report);
      // Parsed again for a frame: most plans show none, and the tree is large.
      source.shown = () => maskText(text, parse(), index);
      isPartial ||= failed;
      if (root === undefined) continue;
      checkTopLevel(root, index, report);
      layerRoot = layerRoot === undefined ? root : mergeFiles(layerRoot, root, index, report);
    }
    if (layerRoot !== undefined) roots.push(layerRoot);
    else if (roots.length > 0 && layer[0] !== undefined && !isPartial) report(emptyOverlay(layer[0]));
  }
  const [first = mapNode([], { file: "", start: 0, end: 0 }), ...overlays] = roots;
  const overlaying = { index, report, isWhole: !isPartial, misses: { count: 0 } };
  const root = overlays.reduce((lower, upper) => overlay(lower, upper, overlaying), first);
  return { root, names, bytesLeft, isPartial };
}

const emptyOverlay = (file: string): Diagnostic =>
  error("manifest.empty", `the overlay ${file} is empty: what it set would be reset`, {
    hint: "restore it, or write {} where nothing is meant",
  });

function layersOf(requested: readonly string[], { cwd, manifest, below, findings }: FileReading) {
  if (manifest === undefined || below) return findFiles(requested, cwd, findings.report);
  return [[valueName], ...(requested.length === 0 ? [] : findFiles(requested, cwd, findings.report))];
}

/** Returns the text of a file, or of a value as JSON; undefined after a problem, which is reported. */
async function textOf(file: string, limit: number, reading: FileReading): Promise<string | undefined> {
  const { cwd, standardInput, findings } = reading;
  const read = (given?: Uint8Array) => readSource(file, cwd, limit, findings.report, given);
  if (!isValue(file)) return read(file === standardInputName ? standardInput : undefined);
  const json = await jsonIn(file, reading);
  return json === undefined ? undefined : read(Buffer.from(json));
}

const isValue = (file: string): boolean => file === valueName || programName.test(file);

async function jsonIn(file: string, reading: FileReading): Promise<string | undefined> {
  const { manifest, environment, untrusted, cwd, stage, findings, runProgram } = reading;
  const refuse = (problem: Diagnostic): undefined => findings.report(problem) as undefined;
  if (file === valueName && manifest !== undefined)
    return "json" in manifest ? manifest.json : refuse(error("manifest.invalid_value", manifest.problem));
  const { commandsForbiddenBy: forbiddenBy } = trustOf({ environment, untrusted });
  if (forbiddenBy !== undefined && forbiddenBy !== forbiddenInTests) {
    const hint = "run it where it is trusted, or keep an rnv.yaml in place of it";
    return refuse(error("guard.untrusted", `${file} is not run: ${forbiddenBy} forbids it`, { hint }));
  }
  const named = stage === undefined || stage === "any" ? undefined : splitStage(stageText(stage));
  const program = { file, cwd, environment: appEnvironment(environment), stage: named };
  const result = await (runProgram ?? programRunner())(program);
  return "json" in result ? result.json : refuse(result.diagnostic);
}

const pathsOf = ({ names }: Pick<ReadFiles, "names">, cwd: string): readonly string[] =>
  names.filter((file) => file !== standardInputName && file !== valueName).map((file) => resolve(cwd, file));

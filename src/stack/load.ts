import { resolve } from "node:path";
import { type Diagnostic, error, hasErrors, sortDiagnostics, warning } from "../diagnostics/diagnostic";
import type { Block } from "../manifest/blocks";
import type { BuiltResource } from "../manifest/build-resource";
import {
  type LoadedManifest,
  type ManifestRequest,
  type ReadContext,
  secretNamesIn,
} from "../manifest/context";
import { fetchSecrets } from "../manifest/fetch-secrets";
import { maxTotalBytes, readSource } from "../manifest/files";
import { collectFindings, type Findings, formatLocation, type Report } from "../manifest/findings";
import { star } from "../manifest/mask";
import { checkCycles, type Dependant } from "../manifest/references";
import { trustOf } from "../manifest/trust";
import { indexTypes } from "../manifest/type-index";
import type { Address } from "../model/address";
import { isDataAddress } from "../model/data-source";
import type { Desired, DesiredResource } from "../model/desired";
import { terraformPrefix } from "../model/text";
import { referencesOf } from "../model/value";
import { checkVariables } from "./conditions";
import { dependants, readData } from "./data";
import { type JsonNode, parseStackDocument } from "./document";
import { findStacks, maskStack, type StackFile } from "./files";
import { indexDataTypes, indexStackTypes } from "./names";
import type { BlockReader } from "./resolve";
import { buildStackResource, readResource, type StackBlock } from "./resources";
import { ownerOf, readStack, type Stack, type StackContext, type StackResource } from "./stack";
import { readImports, readProviders, readStackMoves, readStackOutputs, readStackRemovals } from "./top-level";

/**
 * Reads the desired state from a synthesized stack (DESIGN section 3): `files` are output folders of the library or
 * Terraform JSON, of which `request.stack` names one where they are several. No program is run. Every mistake is collected.
 */
export async function loadStack(request: ManifestRequest): Promise<LoadedManifest> {
  const findings = collectFindings();
  const cwd = resolve(request.cwd);
  const index = indexTypes(request.types);
  const types = indexStackTypes(index);
  const known = { types, dataTypes: indexDataTypes(types) };
  const { stack, others, texts, masked } = await readStacks(request, cwd, known, findings);
  if (stack === undefined) return { diagnostics: sortDiagnostics(findings.all()), sources: masked };
  const blocks = new Map<Address, Block>();
  const secretNames = new Set<string>();
  const owners = new Map<string, string>();
  const reading: ReadContext = {
    index,
    blocks,
    environment: request.environment,
    texts,
    report: withConstructs(owners, findings),
    misses: { count: 0 },
    secretFolder: cwd,
    trust: trustOf(request.environment, request.untrusted === true),
    secretNames,
    isPartial: false,
  };
  const context: StackContext = {
    stack,
    others,
    unit: request.stack,
    ...known,
    reading,
    fillIn: request.secrets === "resolve",
    spent: { steps: 0 },
    owners,
    report: findings.report,
  };
  const stackBlocks = readBlocks(context, blocks);
  for (const name of secretNamesIn(blocks.values())) secretNames.add(name);
  checkVariables(context);
  const built = stackBlocks.map((block) => buildStackResource(block, request.secrets));
  reportNamesakes(stackBlocks, built, reading);
  const resources = new Map(built.map(({ resource }) => [resource.address, resource]));
  const found = readData(context);
  const data = new Map(found.map((one) => [one.data.address, one.data]));
  const conditions = [...built, ...found].flatMap((one) => one.conditions);
  checkCycles(new Map<Address, Dependant>([...resources, ...dependants(data.values())]), findings.report);
  const desired: Desired = {
    resources: withoutDataEdges(resources),
    data,
    moved: readStackMoves(context, stackBlocks),
    removed: readStackRemovals(context),
    outputs: readStackOutputs(context),
    ...(conditions.length > 0 && { conditions }),
    sources: masked,
  };
  const concerns = request.concerns?.(desired);
  await fetchSecrets(built, cwd, reading, { findings, reach: request.secrets, concerns });
  const diagnostics = sortDiagnostics(findings.all());
  return { ...(hasErrors(diagnostics) ? {} : { desired }), diagnostics, sources: masked };
}

/** Reads the stack that is asked for, undefined after a report, and those that values may come from. */
async function readStacks(
  request: ManifestRequest,
  cwd: string,
  { types, dataTypes }: Pick<StackContext, "types" | "dataTypes">,
  { report }: Findings,
) {
  const files = await findStacks(request.files, cwd, report);
  const asked = files.filter(({ unit }) => request.stack === undefined || unit === request.stack.name);
  if (asked.length > 1) report(severalStacks(asked));
  const others: Stack[] = [];
  let stack: Stack | undefined;
  const texts = new Map<string, string>();
  /** The texts for code frames. */
  const masked = new Map<string, string>();
  let left = maxTotalBytes;
  for (const stackFile of files) {
    const { file } = stackFile;
    const isOther = stackFile !== asked[0];
    // Mistakes in another stack are reported where that one is read: it may be left to Terraform.
    const reportOf: Report = isOther ? () => {} : report;
    tellAnnotations(stackFile, reportOf);
    if (!file.endsWith(".tf.json")) reportOf(synthesizedToHcl(stackFile));
    const text = file.endsWith(".tf.json") ? readSource(file, cwd, left, reportOf) : undefined;
    if (text === undefined) continue;
    left -= Buffer.byteLength(text);
    texts.set(file, text);
    const parsed = parseStackDocument(file, text);
    if ("root" in parsed) {
      const found = readStack(parsed.root, stackFile, types, reportOf);
      if (isOther) others.push(found);
      else stack = found;
      masked.set(file, maskStack(text, found, dataTypes));
    } else {
      masked.set(file, star(text, [[0, text.length]]));
      parsed.problems.forEach(reportOf);
    }
  }
  return { stack, others, texts, masked };
}

const severalStacks = (files: readonly StackFile[]): Diagnostic =>
  error("command.usage", `${files.length} stacks are read, and this is about one`, {
    hint: `name it: ${files.map(({ unit }) => `--stack ${unit}`).join(", ")}`,
  });

const synthesizedToHcl = ({ name }: StackFile): Diagnostic =>
  error("stack.unsupported", `the stack ${name} was synthesized to HCL`, {
    hint: "unset SYNTH_HCL_OUTPUT: rnv reads cdk.tf.json",
  });

/** Reports the warnings and errors that a program notes of its constructs. */
function tellAnnotations({ annotations }: StackFile, report: Report): void {
  for (const { level, constructPath, message } of annotations) {
    if (level === "info") continue;
    const [first = "", ...others] = message.split("\n");
    const make = level === "error" ? error : warning;
    const detail = others.join("\n").trim();
    report(make("stack.annotation", `${constructPath}: ${first}`, detail === "" ? {} : { detail }));
  }
}

/** Adds the resources to `blocks`, each after its parent. An address that is declared twice is an error. */
function readBlocks(context: StackContext, blocks: Map<Address, Block>): readonly StackBlock[] {
  const around = { imports: readImports(context), protecting: readProviders(context) };
  const levelOf = ({ type }: StackResource): number => type?.level ?? 0;
  const found = new Map<Address | undefined, StackBlock>();
  for (const resource of [...context.stack.resources].sort((a, b) => levelOf(a) - levelOf(b))) {
    const before = found.get(resource.address);
    if (before !== undefined) context.report(declaredTwice(resource, before, context.reading.texts));
    const read = before === undefined ? readResource(resource, context, around) : undefined;
    if (read === undefined) continue;
    found.set(read.block.address, read);
    blocks.set(read.block.address, read.block);
  }
  return [...found.values()];
}

/**
 * Reports two blocks that the platform cannot tell apart: a key of a service twice, two deployments of a service, two
 * services or projects of one name in one stack.
 */
function reportNamesakes(
  blocks: readonly StackBlock[],
  built: readonly BuiltResource[],
  { report, texts }: ReadContext,
): void {
  const first = new Map<string, StackBlock>();
  blocks.forEach((one, i) => {
    const { block } = one;
    const { reader, resource } = one.source;
    const { owner } = reader;
    const { type, place } = block.placed;
    const of = parentTextOf(one);
    const isPart = type.removedWithParent === true;
    const name = place.shape === "single" ? "" : built[i]?.attributes.get(type.nameAttribute ?? "")?.value;
    if (typeof name !== "string" || (isPart && of === undefined)) return;
    const around = isPart ? [] : workspaceOf(resource.block, reader);
    const key = [type.type, of, name, ...around].join("\0");
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, one);
      return;
    }
    const named = name === "" ? type.type : `${type.type} ${JSON.stringify(name)}`;
    const what = of === undefined ? named : `${named} of ${of}`;
    const summary = `${owner} declares the ${what}, as does ${earlier.source.reader.owner}`;
    const { address, range } = block;
    const detail = `The other is declared at ${formatLocation(earlier.block.range, texts)}.`;
    const hint = isPart ? "remove one of the two" : "give one of the two another name";
    report(error("stack.duplicate", summary, { address, range, detail, hint }));
  });
}

/** The settings that say where the provider of a block reads and writes. */
function workspaceOf(block: JsonNode, { context }: BlockReader): readonly string[] {
  const provider = context.stack.providers.get(String(block.at("provider").value ?? terraformPrefix));
  return ["base_url", "workspace_id"].map((key) => String(provider?.at(key).value));
}

/** The parent of a block as its address, or as the id that stands for it. */
function parentTextOf({ block, parent: { link } }: StackBlock): string | undefined {
  if (block.parent !== undefined) return block.parent.address;
  const value = link?.value.value;
  if (typeof value === "string") return value;
  const references = referencesOf(value);
  return references.length > 0
    ? references.map(({ address, attribute }) => `${address}.${attribute}`).join()
    : undefined;
}

const declaredTwice = (
  resource: StackResource,
  { block: { address, range } }: StackBlock,
  texts: ReadonlyMap<string, string>,
) =>
  error("stack.duplicate", `${ownerOf(resource)} is declared twice: both are ${address}`, {
    address,
    range: resource.block.keyRange,
    detail: `It is declared at ${formatLocation(range, texts)} as well.`,
    hint: "remove one of the two",
  });

/** Adds the path of the construct to the findings about its resource. */
const withConstructs =
  (owners: ReadonlyMap<string, string>, { report }: Findings): Report =>
  (diagnostic) => {
    const owner = owners.get(diagnostic.address ?? "");
    const construct = owner && `Construct: ${owner}.`;
    const detail = [diagnostic.detail, construct].filter((line) => line !== undefined).join("\n");
    report(detail === "" ? diagnostic : { ...diagnostic, detail });
  };

/** Resources wait for resources only: data sources are read before anything changes. */
const withoutDataEdges = (
  resources: ReadonlyMap<Address, DesiredResource>,
): ReadonlyMap<Address, DesiredResource> =>
  new Map(
    [...resources].map(([address, resource]) => {
      const dependsOn = resource.dependsOn.filter((on) => !isDataAddress(on));
      return [address, { ...resource, dependsOn }];
    }),
  );

import { resolve } from "node:path";
import type { BuiltResource } from "../declaration/build-resource";
import { type Block, secretNamesIn } from "../declaration/declared-block";
import { fetchSecrets } from "../declaration/fetch-secrets";
import { collectFindings, type Findings, formatLocation, type Report } from "../declaration/findings";
import type { LoadContext } from "../declaration/load-context";
import type { LoadedManifest, ManifestRequest } from "../declaration/load-request";
import { maxTotalBytes, projectFolder, readSource } from "../declaration/project-files";
import { readValue } from "../declaration/read-value";
import { checkCycles, type Dependant } from "../declaration/references";
import { star } from "../declaration/secret-texts";
import type { SourceNode } from "../declaration/tree";
import { trustOf } from "../declaration/trust";
import { indexTypes } from "../declaration/type-index";
import { error, hasErrors, SourceFile, sortDiagnostics, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { dataSegments, isDataAddress } from "../model/data-source";
import type { Desired, DesiredAttribute, DesiredData, DesiredResource } from "../model/desired";
import { snakeCase, terraformPrefix } from "../model/terraform-names";
import { referredAddresses } from "../model/value";
import { type BlockReader, readerOf, refuseOthers } from "./block-reader";
import { type JsonNode, parseStackDocument } from "./json-node";
import { invalid, missingKey, refused, unsupported } from "./language/problem";
import {
  buildStackResource,
  dependsOnOf,
  readProvider,
  readResource,
  type StackBlock,
  withoutRepetition,
} from "./resources";
import { knownText } from "./source-nodes";
import {
  constructPathOf,
  crossStackInput,
  nestedBlocks,
  ownerOf,
  problemAt,
  readStack,
  type Stack,
  type StackContext,
} from "./stack";
import { findStacks, maskStack, type StackFile } from "./stack-files";
import { type DataType, indexDataTypes, indexStackTypes } from "./stack-types";
import {
  readImports,
  readProviders,
  readStackMoves,
  readStackOutputs,
  readStackRemovals,
} from "./top-level-blocks";

/**
 * Reads the desired state from a synthesized stack (DESIGN section 3). `files` are output folders of the library or
 * Terraform JSON; `request.stack` names the stack if there are several. No program is run. Every mistake is collected.
 */
export async function loadStack(request: ManifestRequest): Promise<LoadedManifest> {
  const findings = collectFindings();
  const cwd = resolve(request.cwd);
  const index = indexTypes(request.types);
  const types = indexStackTypes(index);
  const known = { types, dataTypes: indexDataTypes(types) };
  const { stack, others } = await readStacks(request, cwd, known, findings);
  if (stack === undefined) return { diagnostics: sortDiagnostics(findings.all()) };
  const blocks = new Map<Address, Block>();
  const secretNames = new Set<string>();
  const owners = new Map<string, string>();
  const reading: LoadContext = {
    index,
    blocks,
    environment: request.environment,
    report: withConstructs(owners, findings),
    reach: request.secrets,
    cwd,
    misses: { count: 0 },
    secretFolder: cwd,
    project: projectFolder({ cwd, files: [], untrusted: request.untrusted }),
    trust: trustOf(request),
    secretNames,
    isPartial: false,
    importsByName: true,
  };
  const context: StackContext = {
    stack,
    others,
    unit: request.stack,
    ...known,
    reading,
    spent: { steps: 0 },
    owners,
    report: findings.report,
  };
  const stackBlocks = readBlocks(context, blocks);
  for (const name of secretNamesIn(blocks.values())) secretNames.add(name);
  checkVariables(context);
  const built = stackBlocks.map((block) => buildStackResource(block));
  reportNamesakes(stackBlocks, built, reading);
  const resources = new Map(built.map(({ resource }) => [resource.address, resource]));
  const data = new Map(readData(context).map((one) => [one.address, one]));
  checkCycles(new Map<Address, Dependant>([...resources, ...dependants(data.values())]), findings.report);
  const desired: Desired = {
    resources: withoutDataEdges(resources),
    data,
    moved: readStackMoves(context, stackBlocks),
    removed: readStackRemovals(context),
    outputs: readStackOutputs(context),
  };
  await fetchSecrets(built, reading, findings);
  const diagnostics = sortDiagnostics(findings.all());
  return { desired: hasErrors(diagnostics) ? undefined : desired, diagnostics };
}

/** Reads the stack that is asked for, undefined after a report, and those that values may come from. */
async function readStacks(
  request: ManifestRequest,
  cwd: string,
  { types, dataTypes }: Pick<StackContext, "types" | "dataTypes">,
  { report }: Findings,
) {
  const files = await findStacks({ ...request, cwd }, report);
  const asked = files.filter(({ unit }) => request.stack === undefined || unit === request.stack.name);
  if (asked.length > 1) {
    const hint = `name it: ${asked.map(({ unit }) => `--stack ${unit}`).join(", ")}`;
    report(error("command.usage", `${asked.length} stacks are read, and this is about one`, { hint }));
  }
  const others: Stack[] = [];
  let stack: Stack | undefined;
  let left = maxTotalBytes;
  for (const stackFile of files) {
    const { file } = stackFile;
    const isOther = stackFile !== asked[0];
    // Mistakes in another stack are reported when that stack is read: it may be left to Terraform.
    const reportOf: Report = isOther ? () => {} : report;
    tellAnnotations(stackFile, reportOf);
    if (!file.endsWith(".tf.json")) {
      const hint = "unset SYNTH_HCL_OUTPUT: rnv reads cdk.tf.json";
      reportOf(error("stack.unsupported", `the stack ${stackFile.unit} was synthesized to HCL`, { hint }));
      continue;
    }
    const text = readSource(file, cwd, left, reportOf, request.synthesized?.get(file));
    if (text === undefined) continue;
    left -= Buffer.byteLength(text);
    const source = new SourceFile(file);
    const root = parseStackDocument(source, text, reportOf);
    if (root === undefined) {
      source.shown = star(text, [[0, text.length]]);
      continue;
    }
    const found = readStack(root, stackFile, types, reportOf);
    if (isOther) others.push(found);
    else stack = found;
    source.shown = maskStack(text, found, dataTypes);
  }
  return { stack, others };
}

function tellAnnotations({ annotations }: StackFile, report: Report): void {
  for (const { level, constructPath, message } of annotations) {
    if (level === "info") continue;
    const [first = "", ...others] = message.split("\n");
    const make = level === "error" ? error : warning;
    const detail = others.join("\n").trim();
    report(make("stack.annotation", `${constructPath}: ${first}`, detail === "" ? {} : { detail }));
  }
}

function readBlocks(context: StackContext, blocks: Map<Address, Block>): readonly StackBlock[] {
  const imports = readImports(context);
  const protecting = readProviders(context);
  // The types are listed after those of their parents.
  const types = [undefined, ...context.types.values()];
  const sorted = types.flatMap((type) => context.stack.resources.filter((one) => one.type === type));
  return sorted.flatMap((resource) => {
    const read = readResource(resource, context, imports, protecting);
    if (read === undefined) return [];
    blocks.set(read.block.address, read.block);
    return [read];
  });
}

/**
 * Reports pairs of blocks that mean the same resource. They share an address, a key of a service, the deployment of a
 * service, or the name of a service or project.
 */
function reportNamesakes(
  blocks: readonly StackBlock[],
  built: readonly BuiltResource[],
  { report }: LoadContext,
): void {
  const first = new Map<string, StackBlock>();
  blocks.forEach((one, i) => {
    const { block, source, link } = one;
    const { type, form } = block.blockType;
    const { address, range } = block;
    const isPart = type.removedWithParent === true;
    const id = link?.value.value;
    const of = block.parent?.address ?? (typeof id === "string" ? id : referredAddresses(id)[0]);
    const name = form.shape === "single" ? "" : built[i]?.attributes.get(type.nameAttribute ?? "")?.value;
    const around = isPart ? [] : workspaceOf(source);
    const isNamed = typeof name === "string" && (!isPart || of !== undefined);
    const key = isNamed ? [type.type, of, name, ...around].join("\0") : address;
    const earlier = first.get(key) ?? first.get(address);
    first.set(key, one).set(address, one);
    if (earlier === undefined) return;
    const named = name ? `${type.type} ${JSON.stringify(name)}` : type.type;
    const what = of === undefined ? named : `${named} of ${of}`;
    const summary = `${source.reader.owner} declares the ${what}, as does ${earlier.source.reader.owner}`;
    const detail = `The other is declared at ${formatLocation(earlier.block.range)}.`;
    const hint = isPart ? "remove one of the two" : "give one of the two another name";
    report(error("stack.duplicate", summary, { address, range, detail, hint }));
  });
}

/** The settings that say where the provider of a block reads and writes. */
function workspaceOf({ resource, reader }: StackBlock["source"]): readonly string[] {
  const name = String(resource.block.at("provider").value ?? terraformPrefix);
  const provider = reader.context.stack.providers.get(name);
  return ["base_url", "workspace_id"].map((key) => String(provider?.at(key).value));
}

const withConstructs =
  (owners: ReadonlyMap<string, string>, { report }: Findings): Report =>
  (diagnostic) => {
    const construct = owners.get(diagnostic.address ?? "");
    report(construct === undefined ? diagnostic : { ...diagnostic, construct });
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

/** The data sources of a stack; problems of the values that they are looked up by are reported. */
function readData(context: StackContext): readonly DesiredData[] {
  const { stack } = context;
  return [...stack.data].flatMap(([label, entry]) => {
    const [terraformType = "", name = ""] = label.split(".");
    if (label.startsWith(`terraform_remote_state.${crossStackInput}`)) return [];
    if (context.dataTypes.has(terraformType)) return [readLookup(terraformType, name, entry, context)];
    context.report(problemAt(unsupported(`the data source ${label}`), { owner: stack.name }, entry.keyRange));
    return [];
  });
}

function readLookup(
  terraformType: string,
  name: string,
  entry: JsonNode,
  context: StackContext,
): DesiredData {
  const { type, listing } = context.dataTypes.get(terraformType) as DataType;
  const owner = ownerOf({
    terraformType: `data.${terraformType}`,
    name,
    constructPath: constructPathOf(entry),
  });
  const address = dataSegments(context.stack.name, terraformType, name).join(".") as Address;
  const reader = readerOf(context, { owner, address });
  const query = readQuery(entry, terraformType, address, reader);
  for (const [key, { isNeeded }] of Object.entries(listing?.query ?? {}))
    if (isNeeded && entry.at(snakeCase(key)).isAbsent)
      reader.refuse(missingKey(`it needs ${snakeCase(key)}`), entry.keyRange);
  readProvider(entry, reader);
  if (type?.nameKey !== undefined && entry.at("id").isAbsent && entry.at(type.nameKey).isAbsent)
    reader.refuse(missingKey(`it needs an id or a ${type.nameKey}`), entry.keyRange);
  for (const block of nestedBlocks(entry, "lifecycle")) refuseOthers(block, [], "lifecycle", reader);
  const range = entry.keyRange;
  return {
    address,
    owner,
    type: type?.blockType.type.type,
    listing: listing && terraformType,
    query,
    dependsOn: dependsOnOf(entry, { address, range }, reader),
    range,
  };
}

/** The values that a data source is looked up by, by their name in rnv: its id, its name, the id of its parent. */
function readQuery(
  entry: JsonNode,
  terraformType: string,
  address: Address,
  reader: BlockReader,
): DesiredData["query"] {
  const { dataTypes, reading } = reader.context;
  const { query: names, listing } = dataTypes.get(terraformType) as DataType;
  const query = new Map<string, DesiredAttribute>();
  for (const [key, at] of entry.entries) {
    const attribute = names.get(key);
    if (at.isAbsent || ["depends_on", "provider", "lifecycle"].includes(key)) continue;
    if (attribute === undefined) {
      reader.refuse(withoutRepetition(key), at.keyRange);
      continue;
    }
    const node = reader.read(at);
    if (node === undefined) continue;
    const { range } = node;
    const wanted = listing?.query[attribute]?.type ?? "string";
    const isTyped = node.kind === "scalar" && typeof node.value === wanted && !node.isSensitive;
    if (!isTyped || !isListable(key, Number(node.value))) {
      reader.refuse(invalid(`${key} is ${queryWords[wanted]}`), range);
      continue;
    }
    const value = readValue(node, { context: reading, address, attribute });
    const summary = `${reader.owner}: ${attribute} is empty`;
    if (value === "") reading.report(error("stack.invalid_value", summary, { address, attribute, range }));
    else if (value !== undefined) query.set(attribute, { value, range });
  }
  return query;
}

const queryWords = { string: "text that is no secret", number: "a whole number from 1 to 200" } as const;

/** Returns true if a page of the service can be that long (interface, "Limits"). */
const isListable = (key: string, value: number): boolean =>
  key !== "limit" || (Number.isInteger(value) && value >= 1 && value <= 200);

/** Data sources as nodes of the graph, each after its references. */
const dependants = (data: Iterable<DesiredData>): readonly (readonly [Address, Dependant])[] =>
  [...data].map(({ address, query, dependsOn, range }) => {
    const referred = [...query.values()].flatMap(({ value }) => referredAddresses(value));
    return [address, { attributes: query, dependsOn: [...new Set([...dependsOn, ...referred])], range }];
  });

/** Reads `condition` and `error_message` of a `validation`; undefined after a report. */
function readValidation(block: JsonNode, reader: BlockReader) {
  const read = (key: string, why: string): SourceNode | undefined => {
    const at = block.at(key);
    if (at.isAbsent) reader.refuse(missingKey(`validation lacks ${key}`), block.range);
    const node = at.isAbsent ? undefined : reader.readWhole(at);
    if (node?.isSensitive !== true) return node;
    reader.refuse(refused(`validation.${key} ${why}`), at.range);
    return undefined;
  };
  refuseOthers(block, ["condition", "error_message"], "validation", reader);
  const condition = read("condition", "compares a secret, which rnv hands on and never reads");
  const message = read("error_message", "would show a secret");
  return condition && message && { condition, message };
}

function checkVariables(context: StackContext): void {
  const { stack } = context;
  for (const [name, entry] of stack.variables) {
    const reader = readerOf(context, { owner: `${stack.name}: var.${name}` });
    for (const block of nestedBlocks(entry, "validation")) {
      const read = readValidation(block, reader);
      const verdict = read && knownText(read.condition);
      if (read === undefined || verdict === "true") continue;
      const summary =
        verdict === "false"
          ? (knownText(read.message) ?? "the value is not valid")
          : "validation.condition is true or false, known before anything is made";
      reader.refuse(invalid(summary), read.condition.range);
    }
  }
}

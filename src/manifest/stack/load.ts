import { resolve } from "node:path";
import { error, hasErrors, sortDiagnostics } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { isDataAddress } from "../../model/data-source";
import type { Desired, DesiredAttribute, DesiredResource } from "../../model/desired";
import { terraformNameOf } from "../../model/terraform-name";
import { Template } from "../../model/value";
import { type BuiltResource, buildResource } from "../build-resource";
import { fetchSecrets } from "../fetch-secrets";
import { collectFindings, type Findings, placeOf } from "../findings";
import type { LoadedManifest, ManifestRequest } from "../load-manifest";
import { maxTotalBytes, readSource } from "../read-source";
import { type Reading, secretNamesIn } from "../reading";
import { checkCycles, type Dependant } from "../references";
import type { SecretReach } from "../secret-reach";
import { trustOf } from "../trust";
import { indexTypes } from "../type-index";
import type { Block } from "../walk-blocks";
import { buildData, dependants, type FoundData, readData } from "./data";
import { parseStackDocument } from "./document";
import { findStacks, maskBrokenStack, maskStack } from "./files";
import { addressOfResource } from "./names";
import { ownerOf } from "./resolve";
import { readResource, type StackBlock } from "./resources";
import { type Program, readStack, type Stack } from "./stack";
import { checkProvider, readImports, readStackMoves, readStackOutputs, readStackRemovals } from "./top-level";

/**
 * Reads the desired state from synthesized stacks (DESIGN section 3): `files` are output folders of the library or
 * Terraform JSON. No program is run. Every mistake of every stack is collected.
 */
export async function loadStack(request: ManifestRequest): Promise<LoadedManifest> {
  const findings = collectFindings();
  const cwd = resolve(request.cwd);
  const index = indexTypes(request.types);
  const types = new Map([...index.byType.values()].map((placed) => [terraformNameOf(placed.type), placed]));
  const read = await readStacks(await findStacks(request.files, cwd, findings.report), cwd, types, findings);
  const program: Program = {
    stacks: read.stacks,
    types,
    environment: request.environment,
    fillIn: request.secrets === "resolve",
    spent: { misses: 0, characters: 0 },
    report: findings.report,
  };
  const stackBlocks = readBlocks(program);
  const foundData = program.stacks.flatMap((stack) => readData(stack, program));
  const blocks = new Map(stackBlocks.map(({ block }) => [block.address, block]));
  const reading: Reading = {
    index,
    blocks,
    environment: request.environment,
    texts: read.texts,
    report: withConstructs(stackBlocks, foundData, findings),
    misses: { count: 0 },
    secretFolder: cwd,
    trust: trustOf(request.environment, request.untrusted === true),
    secretNames: secretNamesIn(blocks.values()),
    isPartial: read.isPartial,
  };
  const built = stackBlocks.map((one) => build(one, reading, request.secrets));
  const resources = new Map(built.map(({ resource }) => [resource.address, resource]));
  const data = new Map(foundData.map((one) => [one.address, buildData(one, reading)]));
  checkCycles(new Map<Address, Dependant>([...resources, ...dependants(data)]), findings.report);
  const desired: Desired = {
    resources: data.size === 0 ? resources : withoutDataEdges(resources),
    data,
    moved: readStackMoves(program, stackBlocks, reading),
    removed: readStackRemovals(program, reading),
    outputs: readStackOutputs(program, reading),
    sources: read.masked,
  };
  const concerns = request.concerns?.(desired);
  await fetchSecrets(built, cwd, reading, { findings, reach: request.secrets, concerns });
  const diagnostics = sortDiagnostics(findings.all());
  return { ...(hasErrors(diagnostics) ? {} : { desired }), diagnostics, sources: read.masked };
}

interface ReadStacks {
  readonly stacks: readonly Stack[];
  readonly texts: ReadonlyMap<string, string>;
  readonly masked: ReadonlyMap<string, string>;
  readonly isPartial: boolean;
}

async function readStacks(
  files: Awaited<ReturnType<typeof findStacks>>,
  cwd: string,
  types: Program["types"],
  { report }: Findings,
): Promise<ReadStacks> {
  const stacks: Stack[] = [];
  const texts = new Map<string, string>();
  const masked = new Map<string, string>();
  let left = maxTotalBytes;
  for (const { file, name } of files) {
    const text = readSource(file, cwd, left, report);
    if (text === undefined) continue;
    left -= Buffer.byteLength(text);
    texts.set(file, text);
    const parsed = parseStackDocument(file, text);
    if ("document" in parsed) {
      const stack = readStack(parsed.document, name, report);
      stacks.push(stack);
      masked.set(file, maskStack(stack, { types }));
    } else {
      masked.set(file, maskBrokenStack(text, parsed.failedAt));
      parsed.problems.forEach(report);
    }
  }
  return { stacks, texts, masked, isPartial: stacks.length < files.length };
}

/** Every resource of every stack, each after its parent; one address twice is an error. */
function readBlocks(program: Program): readonly StackBlock[] {
  const found = new Map<Address, StackBlock>();
  const waiting = new Map<Address, () => void>();
  const texts = new Map(program.stacks.map(({ document }) => [document.file, document.text]));
  const parentOf = (address: Address): Block | undefined => {
    waiting.get(address)?.();
    return found.get(address)?.block;
  };
  for (const stack of program.stacks) {
    checkProvider(stack, program);
    const imports = readImports(stack, program);
    for (const resource of stack.resources) {
      const placed = program.types.get(resource.terraformType);
      const address = placed === undefined ? undefined : addressOfResource(placed, resource.name);
      const read = (): void => {
        if (address !== undefined) waiting.delete(address);
        const block = readResource(resource, stack, program, parentOf, imports);
        if (block !== undefined) found.set(block.block.address, block);
      };
      if (address === undefined) read();
      else if (waiting.has(address)) {
        const before = program.stacks
          .flatMap((one) => one.resources)
          .find((one) => one.terraformType === resource.terraformType && one.name === resource.name);
        program.report(
          error("manifest.duplicate_address", `${ownerOf(resource)} is declared twice: both are ${address}`, {
            address,
            range: resource.place.keyPlace,
            ...(before === undefined
              ? {}
              : { detail: `It is declared at ${placeOf(before.place.keyPlace, texts)} as well.` }),
            hint: "plan the stacks one by one (-f cdktf.out/stacks/NAME/cdk.tf.json, each with a --state of its own), or name one with overrideLogicalId",
          }),
        );
      } else waiting.set(address, read);
    }
  }
  for (const read of [...waiting.values()]) read();
  return [...found.values()];
}

/** Adds the path of the construct to what is found out about its resource. */
function withConstructs(
  blocks: readonly StackBlock[],
  data: readonly FoundData[],
  { report }: Findings,
): Findings["report"] {
  const owners = new Map<string, string>([
    ...blocks.map(({ block, owner }) => [block.address, owner] as const),
    ...data.map(({ address, owner }) => [address, owner] as const),
  ]);
  return (diagnostic) => {
    const owner = owners.get(diagnostic.address ?? "");
    const detail = [diagnostic.detail, owner === undefined ? undefined : `Construct: ${owner}.`];
    const text = detail.filter((line) => line !== undefined).join("\n");
    report(text === "" ? diagnostic : { ...diagnostic, detail: text });
  };
}

function build(
  { block, dependsOn, foreignParent, parentRange }: StackBlock,
  reading: Reading,
  reach: SecretReach,
): BuiltResource {
  const built = buildResource(block, reading, reach);
  if (foreignParent !== undefined) built.attributes.set(foreignParent.attribute, foreignParent.value);
  for (const { attribute } of block.placed.type.parents) {
    const written = built.attributes.get(attribute);
    if (written !== undefined && parentRange !== undefined)
      built.attributes.set(attribute, { ...written, range: parentRange });
  }
  const known = dependsOn.filter((address) => {
    const named = reading.blocks.get(address);
    if (named !== undefined) return !isImplied(block, named);
    reading.report(
      error("manifest.reference_unknown", `depends_on names ${address}, which is not declared`, {
        address: block.address,
        range: block.range,
      }),
    );
    return false;
  });
  const resource: DesiredResource = {
    ...built.resource,
    dependsOn: [...new Set([...built.resource.dependsOn, ...known, ...referencesOf(foreignParent?.value)])],
  };
  return { ...built, resource };
}

/** An order that the type gives already: only Terraform has to be told. */
const isImplied = ({ placed, parent }: Block, named: Block): boolean =>
  parent !== undefined &&
  named.parent?.address === parent.address &&
  placed.type.follows.includes(named.placed.type.type);

const referencesOf = (attribute: DesiredAttribute | undefined): readonly Address[] =>
  attribute?.value instanceof Template ? attribute.value.references.map(({ address }) => address) : [];

/** Resources wait for resources only: data sources are read before anything changes. */
const withoutDataEdges = (
  resources: ReadonlyMap<Address, DesiredResource>,
): ReadonlyMap<Address, DesiredResource> =>
  new Map(
    [...resources].map(([address, resource]) => {
      const dependsOn = resource.dependsOn.filter((on) => !isDataAddress(on));
      return [
        address,
        dependsOn.length === resource.dependsOn.length ? resource : { ...resource, dependsOn },
      ];
    }),
  );

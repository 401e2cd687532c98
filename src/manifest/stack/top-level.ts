import { error } from "../../diagnostics/diagnostic";
import { type Address, isLogicalName } from "../../model/address";
import type { Desired, DesiredAttribute } from "../../model/desired";
import { terraformPrefix } from "../../model/terraform-name";
import { readValue } from "../read-attribute";
import { readMoved, readRemoved } from "../read-top-level";
import type { Reading } from "../reading";
import type { MapEntry, MapNode, SourceNode } from "../source-tree";
import { isObject, type JsonObject, type Place } from "./document";
import { readerOf } from "./resolve";
import { blocksOf, resourceNamed, type StackBlock } from "./resources";
import { crossStackOutput, labelled, type Program, type Stack, StackProblem, unsupported } from "./stack";

const topBlocks = (stack: Stack, key: string): readonly { value: JsonObject; place: Place }[] =>
  blocksOf(
    isObject(stack.document.value) ? stack.document.value[key] : undefined,
    stack.document.root.at(key),
  );

/** `import` blocks by the address that they name. */
export function readImports(stack: Stack, program: Program): ReadonlyMap<Address, MapEntry> {
  const imports = new Map<Address, MapEntry>();
  const reader = readerOf(stack, program, stack.name);
  for (const { value, place } of topBlocks(stack, "import")) {
    refuseOthers(value, place, ["to", "id"], "import", reader);
    const to = resourceNamed(value.to ?? null, place.at("to"), program, reader);
    const id = reader.read(value.id ?? null, place.at("id"));
    if (to === undefined || id === undefined) continue;
    const isDeclared = stack.resources.some((one) => `${one.terraformType}.${one.name}` === value.to);
    if (isDeclared) imports.set(to, { key: "import", keyRange: place, value: id });
    else
      reader.refuse(
        new StackProblem(
          "manifest.reference_unknown",
          `import names ${String(value.to)}, which is not declared`,
        ),
        place.at("to"),
      );
  }
  return imports;
}

function refuseOthers(
  value: JsonObject,
  place: Place,
  known: readonly string[],
  block: string,
  reader: ReturnType<typeof readerOf>,
): void {
  for (const key of Object.keys(value))
    if (key !== "//" && !known.includes(key))
      reader.refuse(unsupported(`${block}.${key}`), place.at(key).keyPlace);
}

const scalar = (value: string, range: SourceNode["range"]): SourceNode => ({ kind: "scalar", value, range });

const listRoot = (key: string, items: readonly SourceNode[], range: SourceNode["range"]): MapNode => ({
  kind: "map",
  range,
  entries: new Map([[key, { key, keyRange: range, value: { kind: "list", items, range } }]]),
});

const moveNode = (from: SourceNode, to: string, range: SourceNode["range"]): SourceNode => ({
  kind: "map",
  range,
  entries: new Map([
    ["from", { key: "from", keyRange: range, value: from }],
    ["to", { key: "to", keyRange: range, value: scalar(to, range) }],
  ]),
});

/** `moved` blocks, and the addresses of a manifest that constructs say they had; checked like those of a manifest. */
export function readStackMoves(
  program: Program,
  blocks: readonly StackBlock[],
  reading: Reading,
): Desired["moved"] {
  const items: SourceNode[] = [];
  for (const stack of program.stacks) {
    const reader = readerOf(stack, program, stack.name);
    for (const { value, place } of topBlocks(stack, "moved")) {
      refuseOthers(value, place, ["from", "to"], "moved", reader);
      const from = resourceNamed(value.from ?? null, place.at("from"), program, reader);
      const to = resourceNamed(value.to ?? null, place.at("to"), program, reader);
      if (from !== undefined && to !== undefined)
        items.push(moveNode(scalar(from, place.at("from")), to, place));
    }
  }
  for (const { block, movedFrom } of blocks)
    for (const { value } of movedFrom) {
      // The same address as before is no move: a program may keep the line.
      if (value.kind === "scalar" && value.value === block.address) continue;
      items.push(moveNode(value, block.address, value.range));
    }
  const [first] = items;
  return first === undefined ? [] : readMoved(listRoot("moved", items, first.range), reading);
}

/** `removed` blocks: deletions confirmed by name. */
export function readStackRemovals(program: Program, reading: Reading): Desired["removed"] {
  const items: SourceNode[] = [];
  for (const stack of program.stacks) {
    const reader = readerOf(stack, program, stack.name);
    for (const { value, place } of topBlocks(stack, "removed")) {
      refuseOthers(value, place, ["from", "lifecycle"], "removed", reader);
      if (blocksOf(value.lifecycle, place.at("lifecycle")).some((one) => one.value.destroy === false)) {
        reader.refuse(
          new StackProblem(
            "manifest.unsupported",
            "removed without destroy is not supported by rnv",
            "rnv state rm forgets a resource and leaves it running",
          ),
          place.at("lifecycle"),
        );
        continue;
      }
      const from = resourceNamed(value.from ?? null, place.at("from"), program, reader);
      if (from !== undefined) items.push(scalar(from, place.at("from")));
    }
  }
  const [first] = items;
  return first === undefined ? [] : readRemoved(listRoot("removed", items, first.range), reading);
}

/** `output` blocks, without those that only carry a value from stack to stack. */
export function readStackOutputs(program: Program, reading: Reading): Desired["outputs"] {
  const outputs = new Map<string, DesiredAttribute>();
  for (const stack of program.stacks)
    for (const [name, { value, place }] of stack.outputs) {
      if (name.startsWith(crossStackOutput) || !isObject(value)) continue;
      const reader = readerOf(stack, program, `${stack.name}: output.${name}`);
      const at = place.at("value");
      const refuse = (text: string): void =>
        reader.refuse(new StackProblem("manifest.unsupported", text), at);
      const node = reader.read(value.value ?? null, at);
      if (node === undefined) continue;
      if (node.isSensitive || value.sensitive === true)
        refuse("outputs are shown and recorded, so they hold no secrets");
      else if (!isLogicalName(name))
        reader.refuse(
          new StackProblem("manifest.invalid_name", `${JSON.stringify(name)} cannot name an output`),
          at,
        );
      else if (outputs.has(name))
        reading.report(
          error("manifest.duplicate_key", `two stacks have an output ${name}`, { range: place.keyPlace }),
        );
      else {
        const read = readValue(node, { attribute: `outputs.${name}` }, reading);
        if (read !== undefined) outputs.set(name, { value: read, range: at });
      }
    }
  return outputs;
}

/** Settings of the provider that rnv takes from its environment. */
const settings: Readonly<Record<string, string>> = {
  base_url: "RNV_BASE_URL",
  workspace_id: "RNV_WORKSPACE_ID",
};

/**
 * The provider block of rnv. A run goes where its environment says; a stack that names another service or workspace
 * must not be applied there. What Terraform's provider has besides is refused, so that nobody relies on it.
 */
export function checkProvider(stack: Stack, program: Program): void {
  const body = isObject(stack.document.value) ? stack.document.value : {};
  const reader = readerOf(stack, program, `${stack.name}: provider.${terraformPrefix}`);
  for (const { labels, value, place } of labelled(body, stack.document.root, "provider", 1)) {
    if (labels[0] !== terraformPrefix || !isObject(value)) continue;
    for (const [key, written] of Object.entries(value)) {
      const at: Place = place.at(key);
      const variable = settings[key];
      if (key === "//" || key === "alias" || written === null) continue;
      if (key === "api_key")
        reader.refuse(
          new StackProblem(
            "manifest.unsupported",
            "a key does not belong into a stack",
            "set RNV_API_KEY, or RNV_API_KEY_FILE",
          ),
          at.keyPlace,
        );
      else if (variable === undefined) reader.refuse(unsupported(key), at.keyPlace);
      else {
        const node = reader.read(written, at);
        const found = node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
        const wanted = program.environment[variable];
        if (found === undefined || wanted === undefined || sameText(found, wanted)) continue;
        reader.refuse(
          new StackProblem(
            "config.invalid",
            `${key} is not what ${variable} says`,
            `this run is for ${wanted}`,
          ),
          at,
        );
      }
    }
  }
}

const sameText = (a: string, b: string): boolean =>
  a.replace(/\/+$/, "").toLowerCase() === b.trim().replace(/\/+$/, "").toLowerCase();

import * as z from "zod";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, addressOf, nameOf, parseAddress, typeOf } from "../model/address";
import { dataType, splitDataReference } from "../model/data-source";
import type { DesiredAttribute } from "../model/desired";
import { topologicalOrder } from "../model/graph-walk";
import { isOpenField } from "../model/resource-type";
import { type Reference, referencesOf } from "../model/value";
import { hintForMiss, type Report } from "./findings";
import { type LoadContext, type PieceUse, refuse, type ValueLocation } from "./load-context";
import { quoteShort } from "./tree";
import {
  type BlockType,
  orderKey,
  schemaKinds,
  structures,
  type TypeIndex,
  unknownField,
} from "./type-index";

/** Segments; a text between dots may be long, and no address is. */
const longestAddress = 8;

/** The declared attribute that `service.shop.api.url` names; undefined after a mistake, which is reported. */
export function resolveReference(
  segments: readonly string[],
  range: SourceRange,
  location: ValueLocation,
  use: PieceUse,
): Reference | undefined {
  const { context } = location;
  // The attribute of a data source was checked when its name was looked up.
  if (segments[0] === dataType) return { ...splitDataReference(segments), range };
  const blockType = context.index.byType.get(segments[0] as string) as BlockType;
  const split = splitReference(segments, blockType, context);
  const guessed = segments.slice(0, -1).join(".") as Address;
  if (split === undefined && !mayBeAbsent(guessed, blockType, context))
    return reportUndeclared(guessed, blockType, range, location);
  const { address, attribute } = split ?? { address: guessed, attribute: segments.at(-1) as string };
  const selfReference = `${address} refers to itself`;
  if (address === location.address)
    return refuse(location, range, { code: "manifest.reference_cycle", summary: selfReference });
  const known = attributeKind(blockType, attribute);
  const paths = [...blockType.paths.keys()];
  if (known === "open")
    context.report(
      unknownField(address, attribute, range, didYouMean(attribute, paths), {
        code: "manifest.reference_unknown",
        name: attribute,
        owner: address,
      }),
    );
  if (known === undefined)
    return refuse(location, range, {
      code: "manifest.reference_unknown",
      summary: `${blockType.type.type} has no attribute "${attribute}"`,
      hint: didYouMean(attribute, [...paths, ...Object.keys(blockType.type.computed)]),
    });
  const summary =
    known === "secret" && (use === "argument" || !location.isSecret)
      ? "a secret can be referred to from a secret only"
      : known === "structure" && (use === "text" || location.isSecret)
        ? `${address}.${attribute} is not a single value`
        : undefined;
  if (summary === undefined) return { address, attribute, range };
  return refuse(location, range, { code: "manifest.unsupported", summary });
}

/** Names and attribute both use dots: the longest declared address with an attribute it has. */
function splitReference(
  segments: readonly string[],
  blockType: BlockType,
  context: LoadContext,
): { address: Address; attribute: string } | undefined {
  let declared: { address: Address; attribute: string } | undefined;
  for (let length = Math.min(segments.length - 1, longestAddress); length >= 2; length -= 1) {
    const address = segments.slice(0, length).join(".") as Address;
    if (!context.blocks.has(address)) continue;
    const attribute = segments.slice(length).join(".");
    declared ??= { address, attribute };
    if (attributeKind(blockType, attribute) !== undefined) return { address, attribute };
  }
  return declared;
}

/** Returns true if a source that is not here may declare it. */
const mayBeAbsent = (address: Address, { type }: BlockType, { blocks }: LoadContext): boolean =>
  type.parents.some((parent) => {
    const holder = addressOf(parent.type, nameOf(address).split(".").slice(0, -1).join("."));
    return blocks.get(holder)?.absent?.type === type.type;
  });

function attributeKind(
  blockType: BlockType,
  attribute: string,
): "value" | "secret" | "structure" | "open" | undefined {
  const shape = blockType.paths.get(attribute);
  if (shape?.secret === true) return "secret";
  if (shape !== undefined)
    return schemaKinds(shape.schema).every((kind) => structures.has(kind)) ? "structure" : "value";
  if (!Object.hasOwn(blockType.type.computed, attribute))
    return isOpenField(blockType.type, attribute) ? "open" : undefined;
  return blockType.type.computed[attribute]?.valueType === "json" ? "structure" : "value";
}

export function reportUndeclared(
  guessed: Address,
  blockType: BlockType,
  range: SourceRange,
  location: ValueLocation,
): undefined {
  const { context } = location;
  if (context.isPartial) return undefined;
  const isMeant = (address: Address): boolean => address.startsWith(`${blockType.type.type}.`);
  const hint = hintForMiss(context.misses, guessed, () => [...context.blocks.keys()].filter(isMeant));
  const summary = `${quoteShort(guessed).slice(1, -1)} is not declared`;
  return refuse(location, range, { code: "manifest.reference_unknown", summary, hint });
}

export interface Dependant {
  readonly attributes: ReadonlyMap<string, DesiredAttribute>;
  readonly dependsOn: readonly Address[];
  readonly range: SourceRange;
}

/** Reports every cycle of references and parents once, with the way round it. */
export function checkCycles(resources: ReadonlyMap<Address, Dependant>, report: Report): void {
  topologicalOrder(
    resources.keys(),
    (address) => resources.get(address)?.dependsOn ?? [],
    (ring) => reportCycle([...ring, ring[0] as Address], resources, report),
  );
}

function reportCycle(
  cycle: readonly Address[],
  resources: ReadonlyMap<Address, Dependant>,
  report: Report,
): void {
  const [from, to] = [cycle[cycle.length - 2] as Address, cycle[cycle.length - 1] as Address];
  const { attributes = [], range } = resources.get(from) ?? {};
  const [edge = { attribute: orderKey, range }] = [...attributes].flatMap(([attribute, { value }]) => {
    const reference = referencesOf(value).find(({ address }) => address === to);
    return reference === undefined ? [] : [{ attribute, range: reference.range ?? range }];
  });
  const summary = `references form a cycle: ${cycle.join(" -> ")}`;
  report(error("manifest.reference_cycle", summary, { address: from, ...edge }));
}

export const addressSchema = ({ byType }: Pick<TypeIndex, "byType">, type?: string) =>
  z
    .string()
    .refine(
      (text) => {
        const found = typeOf(parseAddress(text) ?? ("" as Address));
        return type === undefined ? byType.has(found) : found === type;
      },
      `expected ${type === undefined ? "an address" : `the address of a ${type},`} such as service.shop.api`,
    )
    .meta({ pattern: `^(${type ?? [...byType.keys()].join("|")})(\\.[A-Za-z0-9_][A-Za-z0-9_-]*)+$` });

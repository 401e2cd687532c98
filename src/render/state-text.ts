import type { Address } from "../model/address";
import type { AppliedValue, RecordedResource, State } from "../model/state";
import type { Plain } from "../model/value";
import { alignColumns } from "./display-width";
import { inertString, inertText } from "./inert";
import { counted } from "./plan-wording";
import { readingOrder } from "./reading-order";
import type { Style } from "./style";
import { plainText } from "./value-text";

/** The recorded addresses in reading order. */
export const recordedAddresses = (state: State): Address[] =>
  readingOrder(
    (Object.entries(state.resources) as [Address, RecordedResource][]).map(([address, resource]) => ({
      address,
      action: "no-op" as const,
      dependsOn:
        resource.parent === undefined ? resource.dependsOn : [...resource.dependsOn, resource.parent],
      withParent: false,
    })),
  ).map(({ address }) => address);

/** `state list`: one address a line. */
export const stateList = (state: State): string =>
  recordedAddresses(state)
    .map((address) => `${inertText(address)}\n`)
    .join("");

/** `show`: everything recorded, and what a run left open. */
export function stateText(state: State, style: Style): string {
  const blocks = recordedAddresses(state).flatMap((address) => {
    const resource = state.resources[address];
    return resource === undefined ? [] : [resourceText(address, resource, style)];
  });
  const outputs =
    Object.keys(state.outputs).length === 0 ? [] : [`Outputs:\n\n${outputsText(state.outputs)}`];
  const sections = [...blocks, ...outputs, ...unfinished(state, style)];
  return sections.length === 0
    ? "The state is empty.\n"
    : `${sections.map((text) => text.trimEnd()).join("\n\n")}\n`;
}

/** `state show ADDRESS`: one resource. */
export function resourceText(address: Address, resource: RecordedResource, style: Style): string {
  const { colors } = style;
  const applied = Object.entries(resource.applied).map(([path, value]) => [path, appliedText(value)]);
  const computed = Object.entries(resource.computed)
    .filter(([path]) => !Object.hasOwn(resource.applied, path))
    .map(([path, value]) => [path, plainText(value)]);
  const kept = [
    ...(resource.preventDestroy ? ["preventDestroy"] : []),
    ...(resource.onRemove === "delete" ? [] : [`onRemove: ${resource.onRemove}`]),
    ...(resource.retained
      ? ["retained: archived or kept with what was; not managed until it is declared again"]
      : []),
    ...(resource.deletionFailed === undefined
      ? []
      : [`its last deletion failed: ${inertText(resource.deletionFailed)}`]),
    ...(resource.pending === undefined ? [] : ["a write of it was accepted and its end was not seen yet"]),
  ];
  const fields = alignColumns(
    [...applied.sort(byPath), ...computed.sort(byPath)].map(([path = "", value = ""]) => [
      `    ${inertText(path)}`,
      value,
    ]),
  );
  return [
    `${colors.bold(inertText(address))} (${inertString(resource.name)})${colors.dim(` [id=${inertText(resource.id)}]`)}`,
    ...fields.slice(0, applied.length),
    ...fields.slice(applied.length).map((line) => colors.dim(line)),
    ...kept.map((line) => `    # ${line}`),
    "",
  ].join("\n");
}

const byPath = ([a = ""]: string[], [b = ""]: string[]): number => (a < b ? -1 : a > b ? 1 : 0);

export const isFingerprint = (value: AppliedValue): value is { readonly fingerprint: string } =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  Object.keys(value).length === 1 &&
  typeof (value as { fingerprint?: unknown }).fingerprint === "string";

const appliedText = (value: AppliedValue): string =>
  isFingerprint(value) ? "(sensitive)" : plainText(value as Plain);

function unfinished(state: State, style: Style): string[] {
  if (state.run === null && state.open.length === 0) return [];
  const lines = state.open.map(
    (intent) => `  ${inertText(intent.address)}: ${inertText(intent.operation)} at ${inertText(intent.at)}`,
  );
  const opening =
    state.run === null
      ? "A run did not end."
      : `A run that started at ${inertText(state.run.startedAt)} did not end.`;
  const open = lines.length === 0 ? "" : ` The outcome of ${counted(lines.length, "write")} is not known:`;
  return [[style.colors.yellow(`${opening}${open}`), ...lines].join("\n")];
}

/** `output`: `name = value`, one a line. */
export const outputsText = (outputs: Readonly<Record<string, Plain>>): string =>
  Object.keys(outputs)
    .sort()
    .map((name) => `${inertText(name)} = ${plainText(outputs[name] as Plain)}\n`)
    .join("");

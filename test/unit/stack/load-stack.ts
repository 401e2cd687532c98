import { loadDesired } from "../../../src/commands/load";
import type { LoadedManifest, ManifestRequest } from "../../../src/declaration/load-request";
import type { Address } from "../../../src/model/address";
import type { DesiredResource } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import { GeneratedSecret, Template } from "../../../src/model/value";
import { resourceTypes } from "../../../src/resources";
import { folderWith } from "../manifest/load";

export const file = "cdk.tf.json";

/** Loads one stack, written as an object or as text. */
export const loadStackJson = (
  stack: object | string,
  request: Partial<ManifestRequest> = {},
): Promise<LoadedManifest> =>
  loadFiles(
    { [file]: typeof stack === "string" ? stack : JSON.stringify(stack, undefined, 2) },
    [file],
    request,
  );

export const loadFiles = (
  files: Readonly<Record<string, string | Uint8Array>>,
  names: readonly string[],
  request: Partial<ManifestRequest> = {},
): Promise<LoadedManifest> =>
  loadDesired({
    files: names,
    cwd: folderWith(files),
    types: resourceTypes,
    environment: {},
    secrets: "resolve",
    ...request,
  });

/** A stack with one service, whose body is given. */
export const withService = (body: object, others: object = {}): object => ({
  resource: {
    rnv_service: { api: { name: "api", kind: "web", "//": { metadata: { path: "shop/api" } }, ...body } },
  },
  ...others,
});

export function resource(found: LoadedManifest, address: string): DesiredResource {
  const one = found.desired?.resources.get(address as Address);
  if (one === undefined) throw new Error(`${address} is not declared: ${JSON.stringify(found.diagnostics)}`);
  return one;
}

/** Attributes as plain values; references in angle brackets. */
export function values(found: LoadedManifest, address: string): Record<string, unknown> {
  const shown = [...resource(found, address).attributes].map(([path, { value }]) => [
    path,
    shownValue(value),
  ]);
  return Object.fromEntries(shown);
}

export function shownValue(value: unknown): unknown {
  if (value instanceof Secret) return "(secret)";
  if (value instanceof GeneratedSecret) return `(generated ${value.length})`;
  if (!(value instanceof Template)) return value;
  const parts = value.parts.map((part) => {
    if (typeof part === "string") return part;
    return part instanceof Secret ? "(secret)" : `<${part.address} ${part.attribute}>`;
  });
  return parts.join("");
}

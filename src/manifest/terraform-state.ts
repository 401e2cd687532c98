import * as z from "zod";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { ResourceType } from "../model/resource-type";
import { terraformNameOf } from "../model/text";

/** The part of a Terraform state, version 4, that is read; values of secrets are not in it. */
const terraformState = z.object({
  version: z.literal(4),
  resources: z.array(
    z.object({
      mode: z.string(),
      type: z.string(),
      name: z.string(),
      module: z.string().optional(),
      instances: z.array(
        z.object({
          index_key: z.union([z.string(), z.number()]).optional(),
          attributes: z.object({ id: z.string().optional() }).nullish(),
        }),
      ),
    }),
  ),
});

/**
 * Returns the ids of resources of `types` that a Terraform state holds, each with its address there. Throws
 * `DiagnosticsError` for a text that is no such state.
 */
export function parseTerraformState(
  text: string,
  types: readonly ResourceType[],
): ReadonlyMap<string, string> {
  const { resources } = read(text);
  const ours = new Set(types.map(terraformNameOf));
  const held = new Map<string, string>();
  for (const { mode, type, name, module, instances } of resources) {
    if (mode !== "managed" || !ours.has(type)) continue;
    for (const { index_key: key, attributes } of instances) {
      if (attributes?.id == null) continue;
      const index = key === undefined ? "" : `[${JSON.stringify(key)}]`;
      held.set(attributes.id, `${module === undefined ? "" : `${module}.`}${type}.${name}${index}`);
    }
  }
  if (held.size > 0) return held;
  throw new DiagnosticsError([
    error("command.usage", "the Terraform state holds no resource of rnv", {
      hint: `it knows ${[...ours].join(", ")}`,
    }),
  ]);
}

function read(text: string): z.infer<typeof terraformState> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // A message of the parser may quote a secret.
  }
  const parsed = terraformState.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new DiagnosticsError([
    error("command.usage", "this is no Terraform state of version 4", {
      hint: "terraform state pull prints it",
    }),
  ]);
}

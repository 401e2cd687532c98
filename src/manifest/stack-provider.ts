import { terraformPrefix } from "../model/terraform-name";
import type { Program, Stack } from "./stack";
import { isObject, type Place } from "./stack-document";
import { StackProblem, unsupported } from "./stack-problem";
import { labelled } from "./stack-read";
import { readerOf } from "./stack-reader";

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

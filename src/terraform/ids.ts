import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { canonicalId, uuidPattern } from "../model/text";
import { textIn } from "./schema/attributes";
import type { Schema } from "./schema/block";
import type { TerraformObject } from "./values/terraform-value";

/** Whether an attribute holds the id of something. */
export const isIdAttribute = (name: string): boolean => name === "id" || name.endsWith("_id");

/** Returns the id that a configuration gives, as the service writes it. */
export function idIn(config: TerraformObject, name: string): string | undefined {
  const given = textIn(config, name);
  return given === undefined ? undefined : canonicalId(given);
}

/** Returns what is wrong with the ids of a configuration, as far as they are known. */
export const idFindings = (config: TerraformObject): Diagnostic[] =>
  Object.entries(config).flatMap(([attribute, value]) =>
    !isIdAttribute(attribute) || typeof value !== "string" || uuidPattern.test(value)
      ? []
      : [error("manifest.invalid_value", `${attribute}: expected an id, which is a UUID`, { attribute })],
  );

/** Returns which of the required attributes are null: core lets that through, as of a reference to nothing. */
export const nullFindings = ({ block }: Schema, config: TerraformObject): Diagnostic[] =>
  block.attributes
    .filter(({ name, required }) => required && (config[name] ?? null) === null)
    .map(({ name: attribute }) =>
      error("manifest.missing_key", `${attribute} must not be null`, { attribute }),
    );

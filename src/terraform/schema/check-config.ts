import * as z from "zod";
import { expectations, leafIssues } from "../../declaration/schema-issues";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { canonicalId, uuidPattern } from "../../model/address";
import { asObject, holdsUnknown, type TerraformObject, textIn, toPlain, valueAt } from "../codec";
import type { AttributeSchema, BlockSchema } from "./block";

const idCheck = z.string().regex(uuidPattern, "expected an id, which is a UUID");

/** Returns the ID that a configuration gives, as the service writes it. */
export function idIn(config: TerraformObject, name: string): string | undefined {
  const given = textIn(config, name);
  return given === undefined ? undefined : canonicalId(given);
}

/** Returns the findings about the known values of a configuration, each at its attribute: `configuration.port`. */
export function checkConfig(
  { attributes, groups = [] }: BlockSchema,
  config: TerraformObject,
  within = "",
): Diagnostic[] {
  return [
    ...attributes.flatMap((schema) => checkAttribute(schema, config, `${within}${schema.name}`)),
    ...groups.flatMap(({ name, block }) => {
      const given = asObject(config[name]);
      return given === undefined ? [] : checkConfig(block, given, `${within}${name}.`);
    }),
  ];
}

function checkAttribute(schema: AttributeSchema, config: TerraformObject, attribute: string): Diagnostic[] {
  const { name, required, optional } = schema;
  const check = schema.check ?? (name === "id" || name.endsWith("_id") ? idCheck : undefined);
  const value = valueAt(config, [name]);
  if (!required && !optional) {
    const hint = `remove ${attribute}`;
    const summary = `the platform decides ${attribute}`;
    return value === null ? [] : [error("manifest.invalid_value", summary, { attribute, hint })];
  }
  // Core lets null through, as of a reference to nothing, and in a list.
  if (value === null)
    return required ? [error("manifest.missing_key", `${attribute} must not be null`, { attribute })] : [];
  if (Array.isArray(value) && value.includes(null))
    return [error("manifest.invalid_value", `${attribute} must not hold null`, { attribute })];
  if (check === undefined || holdsUnknown(value)) return [];
  const issues = check.safeParse(toPlain(value)).error?.issues ?? [];
  return issues.flatMap(leafIssues).map((issue) => {
    const at = `${attribute}${issue.path.map(stepText).join("")}`;
    return error("manifest.invalid_value", `${at}: ${expectations([issue])}`, { attribute });
  });
}

/** `[1]`, `.plan`. */
const stepText = (step: PropertyKey): string => (typeof step === "number" ? `[${step}]` : `.${String(step)}`);

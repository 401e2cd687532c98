import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { emptyCatalog } from "../../model/catalog";
import { generatedName, timeoutNames } from "../../model/text";
import { durationPattern } from "../../model/time";
import { generatedLengths, isGeneratedLength } from "../../model/value";
import { unmetExpectations } from "../expectation";
import { idFindings } from "../ids";
import { diagnosticMessages } from "../messages";
import type { RequestOf } from "../protocol";
import type { RpcAnswer } from "../provider";
import { declaredWithSecrets, valueAt } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { decodeObject } from "../values/codec";
import {
  asObject,
  holdsUnknown,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  toPlain,
  unknown,
} from "../values/terraform-value";

/** ValidateResourceConfig: what is wrong with the values that are known, each at its attribute. */
export const validateResourceConfig: RpcAnswer<"ValidateResourceConfig"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const config = decodeObject(type.valueType, request.config) ?? {};
  const found = [
    ...valueFindings(type, config),
    ...idFindings(config),
    ...secretFindings(type, config, request),
    ...pinFindings(type, config),
    ...timeoutFindings(config),
    ...whenFindings(config),
    ...combinationFindings(type, config),
    ...sizeFindings([
      ...type.declared.map(({ steps }) => valueAt(config, steps)),
      ...type.secrets.map(({ name, writeOnlyName }) => config[name] ?? config[writeOnlyName] ?? null),
    ]),
  ];
  return { diagnostics: diagnosticMessages(found, (attribute) => attribute.split(".")) };
};

/** Returns the combinations of values that cannot be anywhere: a minimum above its maximum. */
const combinationFindings = (type: TerraformShape, config: TerraformObject): readonly Diagnostic[] =>
  (type.resource.check?.(declaredWithSecrets(type, config), emptyCatalog) ?? [])
    .filter(({ code, attribute }) => code === "plan.invalid_combination" && attribute !== undefined)
    .map(({ code, summary, hint, attribute = "" }) =>
      error(code, summary, { hint, attribute: type.stepsOf(attribute)?.join(".") }),
    );

/** Bytes of a request (interface, "Limits"), less what stands around its values. */
const largestValues = 262_144 - 1024;

/** Returns the error of values that are too large for a request. */
export function sizeFindings(values: readonly TerraformValue[]): readonly Diagnostic[] {
  const known = values.map((value) => (holdsUnknown(value) ? null : toPlain(value)));
  const bytes = Buffer.byteLength(JSON.stringify(known));
  if (bytes <= largestValues) return [];
  const summary = `the values have ${bytes} bytes; the service takes at most 262144 in a request`;
  return [error("apply.body_too_large", summary, { hint: "make the value smaller" })];
}

function valueFindings(type: TerraformShape, config: TerraformObject): readonly Diagnostic[] {
  return type.declared.flatMap(({ steps, schema, required }): readonly Diagnostic[] => {
    const value = valueAt(config, steps);
    if (value === null && !required) return [];
    const attribute = steps.join(".");
    if (value === null) {
      return [error("manifest.missing_key", `${attribute} must not be null`, { attribute })];
    }
    if (holdsUnknown(value)) return [];
    return unmetExpectations(schema, toPlain(value)).map((message) =>
      error("manifest.invalid_value", `${attribute}: ${message}`, { attribute }),
    );
  });
}

function secretFindings(
  type: TerraformShape,
  config: TerraformObject,
  { clientCapabilities }: Pick<RequestOf<"ValidateResourceConfig">, "clientCapabilities">,
): readonly Diagnostic[] {
  const mayWriteOnly = clientCapabilities?.writeOnlyAttributesAllowed === true;
  return type.secrets.flatMap(({ name, writeOnlyName, versionName }): readonly Diagnostic[] => {
    const isSet = (attribute: string): boolean => (config[attribute] ?? null) !== null;
    const wrong = (attribute: string, summary: string, hint: string): readonly Diagnostic[] => [
      error("plan.invalid_combination", summary, { attribute, hint }),
    ];
    if (isSet(generatedName)) {
      const other = [name, writeOnlyName, versionName].find(isSet);
      if (other !== undefined)
        return wrong(generatedName, `${other} and ${generatedName} are both set`, "keep one of the two");
      return generatedFindings(config[generatedName] ?? null);
    }
    if (!isSet(writeOnlyName))
      return isSet(versionName)
        ? wrong(
            versionName,
            `${versionName} is set without ${writeOnlyName}`,
            `set ${writeOnlyName}, or remove it`,
          )
        : [];
    if (!mayWriteOnly) {
      const summary = "write-only attributes need Terraform 1.11";
      return wrong(writeOnlyName, summary, `use ${name}, or a newer Terraform`);
    }
    if (isSet(name))
      return wrong(writeOnlyName, `${name} and ${writeOnlyName} are both set`, "keep one of the two");
    if (isSet(versionName)) return [];
    const hint = `set ${versionName} to 1, and raise it with every new value`;
    return wrong(writeOnlyName, `${writeOnlyName} has no ${versionName}`, hint);
  });
}

/** What is wrong with a value that is to be made up; `key`: of one among several. */
export function generatedFindings(given: TerraformValue, key?: string): readonly Diagnostic[] {
  const length = isUnknown(given) ? unknown : asObject(given)?.length;
  if (isUnknown(length) || isGeneratedLength(length)) return [];
  const { from, to } = generatedLengths;
  const summary = `a length of ${generatedName} is a whole number from ${from} to ${to}`;
  return [
    error("manifest.invalid_value", key === undefined ? summary : `${key}: ${summary}`, {
      attribute: generatedName,
      hint: `write ${key ?? generatedName} = { length = 32 }`,
    }),
  ];
}

/** `commit` and `commit_sha` are one: both at once would be two answers to one question. */
function pinFindings(type: TerraformShape, config: TerraformObject): readonly Diagnostic[] {
  return type.computed.flatMap(({ steps, rule }): readonly Diagnostic[] => {
    const declared = type.declared.find(({ path }) => path === rule.pinnedBy);
    const value = valueAt(config, steps);
    if (declared === undefined || value === null || holdsUnknown(value)) return [];
    const attribute = steps.join(".");
    if (valueAt(config, declared.steps) !== null) {
      const summary = `${declared.steps.join(".")} and ${attribute} are both set`;
      return [error("plan.invalid_combination", summary, { hint: "keep one of the two", attribute })];
    }
    return unmetExpectations(declared.schema, toPlain(value)).map((message) =>
      error("manifest.invalid_value", `${attribute}: ${message}`, { attribute }),
    );
  });
}

/** Returns what is wrong with the durations in `timeouts`. */
export function timeoutFindings(config: TerraformObject): readonly Diagnostic[] {
  const timeouts = asObject(config.timeouts ?? null) ?? {};
  return timeoutNames.flatMap((name) => {
    const value = timeouts[name];
    if (typeof value !== "string" || durationPattern.test(value)) return [];
    const summary = `${name}: expected a duration such as 30m, 90s or 1h30m`;
    return [error("manifest.invalid_value", summary, { attribute: `timeouts.${name}` })];
  });
}

/** Terraform needs no word for a run that never runs: the resource itself says that it runs. */
function whenFindings(config: TerraformObject): readonly Diagnostic[] {
  if (config.when !== "never") return [];
  const hint = "remove the resource, or set its count to 0";
  return [
    error("manifest.unsupported", `with when = "never" this resource does nothing`, {
      hint,
      attribute: "when",
    }),
  ];
}

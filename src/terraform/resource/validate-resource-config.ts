import { maxBodyBytes } from "../../api/wire/shapes";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { emptyCatalog } from "../../model/catalog";
import { generatedName } from "../../model/terraform-names";
import {
  decodeObject,
  holdsUnknown,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  toPlain,
  valueAt,
} from "../codec";
import { diagnosticMessages } from "../messages";
import type { RequestOf } from "../protocol";
import type { RpcAnswer } from "../provider";
import { checkConfig } from "../schema/check-config";
import type { SecretBinding } from "../schema/resource-block";
import type { TerraformShape } from "../schema/terraform-shape";

export const validateResourceConfig: RpcAnswer<"ValidateResourceConfig"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const config = decodeObject(type.valueType, request.config) ?? {};
  const found = [
    ...checkConfig(type.block, config),
    ...secretFindings(type.secrets, config, request),
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
function combinationFindings(type: TerraformShape, config: TerraformObject): readonly Diagnostic[] {
  const isOpen = ({ name, writeOnlyName }: SecretBinding): boolean =>
    [name, writeOnlyName, generatedName].some((attribute) => isUnknown(config[attribute]));
  const open = ["", ...type.secrets.filter(isOpen).map(({ path }) => path)];
  return (type.resource.check?.(type.declaredWithSecrets(config), emptyCatalog) ?? [])
    .filter(({ code, attribute = "" }) => code === "plan.invalid_combination" && !open.includes(attribute))
    .map(({ code, summary, hint, attribute: path = "" }) => {
      const attribute = type.stepsOf(path)?.join(".") ?? path;
      const named = summary.startsWith("expected ") ? `${attribute}: ${summary}` : summary;
      return error(code, named, { hint, attribute });
    });
}

export function sizeFindings(values: readonly TerraformValue[]): readonly Diagnostic[] {
  const known = values.map((value) => (holdsUnknown(value) ? null : toPlain(value)));
  const bytes = Buffer.byteLength(JSON.stringify(known));
  // A request has other bytes around the values.
  if (bytes <= maxBodyBytes - 1024) return [];
  const summary = `the values have ${bytes} bytes; the platform takes at most ${maxBodyBytes} in a request`;
  return [error("apply.body_too_large", summary, { hint: "make the value smaller" })];
}

/** Returns the combinations of secrets that cannot be. An unknown may turn out to be null: it is not set yet. */
export function secretFindings(
  secrets: readonly Omit<SecretBinding, "path">[],
  config: TerraformObject,
  { clientCapabilities }: Pick<RequestOf<"ValidateResourceConfig">, "clientCapabilities">,
): readonly Diagnostic[] {
  const mayWriteOnly = clientCapabilities?.writeOnlyAttributesAllowed === true;
  const isNull = (attribute: string): boolean => (config[attribute] ?? null) === null;
  const isSet = (attribute: string): boolean => !isNull(attribute) && !isUnknown(config[attribute]);
  return secrets.flatMap(({ name, writeOnlyName, versionName }): readonly Diagnostic[] => {
    const other = isSet(generatedName) ? [name, writeOnlyName, versionName].find(isSet) : undefined;
    const keepOne = "keep one of the two";
    const wrong = (attribute: string, summary: string, hint: string): readonly Diagnostic[] => [
      error("plan.invalid_combination", summary, { attribute, hint }),
    ];
    if (other) return wrong(generatedName, `both ${other} and ${generatedName} are set`, keepOne);
    const set = `set ${writeOnlyName}, or remove it`;
    if (isSet(versionName) && isNull(writeOnlyName))
      return wrong(versionName, `${versionName} is set without ${writeOnlyName}`, set);
    if (!isSet(writeOnlyName)) return [];
    const use = `use ${name}, or a newer Terraform`;
    if (!mayWriteOnly) return wrong(writeOnlyName, "write-only attributes need Terraform 1.11", use);
    if (isSet(name)) return wrong(writeOnlyName, `both ${name} and ${writeOnlyName} are set`, keepOne);
    const hint = `set ${versionName} to 1, and raise it with every new value`;
    return isNull(versionName) ? wrong(writeOnlyName, `${writeOnlyName} has no ${versionName}`, hint) : [];
  });
}

function whenFindings({ when, commit = null }: TerraformObject): readonly Diagnostic[] {
  if (when !== "never" || typeof commit !== "string") return [];
  const details = { hint: "remove one of the two", attribute: "when" };
  return [error("plan.invalid_combination", `with when = "never" no commit is deployed`, details)];
}

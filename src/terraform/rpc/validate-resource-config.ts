import type { ZodType } from "zod";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { snakeCase } from "../../model/terraform-name";
import { durationPattern } from "../../model/time";
import { diagnosticMessage } from "../diagnostic-message";
import type { Provider } from "../provider";
import type { ManagedType } from "../schema/managed-type";
import { timeoutNames } from "../schema/managed-type";
import { valueAt } from "../values/attributes";
import { decodeValue } from "../values/codec";
import { asObject, holdsUnknown, type TerraformObject, toPlain } from "../values/terraform-value";

interface Request {
  readonly typeName: string;
  readonly config: { readonly msgpack: Uint8Array };
  readonly clientCapabilities?: { readonly writeOnlyAttributesAllowed?: boolean };
}

interface Located {
  readonly diagnostic: Diagnostic;
  readonly steps: readonly string[];
}

/** ValidateResourceConfig: what is wrong with the values that are known, each at its attribute. */
export async function validateResourceConfig(provider: Provider, request: Request): Promise<object> {
  const type = provider.typeNamed(request.typeName);
  const config = asObject(decodeValue(type.valueType, request.config.msgpack)) ?? {};
  const found = [
    ...valueFindings(type, config),
    ...secretFindings(type, config, request.clientCapabilities?.writeOnlyAttributesAllowed === true),
    ...pinFindings(type, config),
    ...timeoutFindings(config),
    ...whenFindings(config),
  ];
  return {
    diagnostics: found.map(({ diagnostic, steps }) =>
      diagnosticMessage({ ...diagnostic, attribute: "here" }, () => steps),
    ),
  };
}

function valueFindings(type: ManagedType, config: TerraformObject): readonly Located[] {
  return type.declared.flatMap(({ path, steps, schema, required }): readonly Located[] => {
    const value = valueAt(config, steps);
    if (value === null) {
      if (!required) return [];
      const name = steps.join(".");
      return [{ diagnostic: error("manifest.missing_key", `${name} must not be null`), steps }];
    }
    if (holdsUnknown(value)) return [];
    return issuesOf(schema, toPlain(value)).map((message) => ({
      diagnostic: error("manifest.invalid_value", `${snakeCase(path)}: ${message}`),
      steps,
    }));
  });
}

function issuesOf(schema: ZodType | undefined, value: unknown): readonly string[] {
  // An empty id is what a reference to something that is not there looks like.
  if (schema === undefined) return value === "" ? ["expected an id"] : [];
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.map(({ message, path }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
}

function secretFindings(
  type: ManagedType,
  config: TerraformObject,
  mayWriteOnly: boolean,
): readonly Located[] {
  return type.secrets.flatMap(({ name, writeOnlyName, versionName }): readonly Located[] => {
    const writeOnly = config[writeOnlyName] ?? null;
    const at = (steps: readonly string[], summary: string, hint: string): Located => ({
      diagnostic: error("plan.invalid_combination", summary, { hint }),
      steps,
    });
    if (writeOnly === null) {
      if ((config[versionName] ?? null) === null) return [];
      return [
        at(
          [versionName],
          `${versionName} is set without ${writeOnlyName}`,
          `set ${writeOnlyName}, or remove it`,
        ),
      ];
    }
    if (!mayWriteOnly)
      return [
        at([writeOnlyName], "write-only attributes need Terraform 1.11", `use ${name}, or a newer Terraform`),
      ];
    if ((config[name] ?? null) !== null)
      return [at([writeOnlyName], `${name} and ${writeOnlyName} are both set`, "keep one of the two")];
    if ((config[versionName] ?? null) === null)
      return [
        at(
          [writeOnlyName],
          `${writeOnlyName} has no ${versionName}`,
          `set ${versionName} to 1, and raise it with every new value`,
        ),
      ];
    return [];
  });
}

/** `commit` and `commit_sha` are one: both at once would be two answers to one question. */
function pinFindings(type: ManagedType, config: TerraformObject): readonly Located[] {
  return type.computed.flatMap(({ steps, rule }): readonly Located[] => {
    const declared = type.declared.find(({ path }) => path === rule.pinnedBy);
    const value = valueAt(config, steps);
    if (declared === undefined || value === null || holdsUnknown(value)) return [];
    if (valueAt(config, declared.steps) !== null) {
      const summary = `${declared.steps.join(".")} and ${steps.join(".")} are both set`;
      return [
        { diagnostic: error("plan.invalid_combination", summary, { hint: "keep one of the two" }), steps },
      ];
    }
    return issuesOf(declared.schema, toPlain(value)).map((message) => ({
      diagnostic: error("manifest.invalid_value", `${steps.join(".")}: ${message}`),
      steps,
    }));
  });
}

function timeoutFindings(config: TerraformObject): readonly Located[] {
  const timeouts = asObject(config.timeouts ?? null) ?? {};
  return timeoutNames.flatMap((name) => {
    const value = timeouts[name];
    if (typeof value !== "string" || durationPattern.test(value)) return [];
    const diagnostic = error(
      "manifest.invalid_value",
      `${name}: expected a duration such as 30m, 90s or 1h30m`,
    );
    return [{ diagnostic, steps: ["timeouts", name] }];
  });
}

/** A run that never runs has no place in Terraform: there the resource itself says that it runs. */
function whenFindings(config: TerraformObject): readonly Located[] {
  if (config.when !== "never") return [];
  const hint = "remove the resource, or set its count to 0";
  return [
    {
      diagnostic: error("manifest.unsupported", `with when = "never" this resource does nothing`, { hint }),
      steps: ["when"],
    },
  ];
}

import type { Construct } from "constructs";
import { sha256 } from "../model/sha256";
import { terraformPrefix } from "../model/terraform-names";
import type { StackLike } from "./confirm-removed";
import type { Library } from "./library";
import type { SecretOrigin, SecretSource } from "./secrets";

/**
 * Returns a reference to the sensitive Terraform variable for a secret source, and declares it in the stack, once for
 * each source. rnv reads the source from the comment of the variable. Terraform ignores the comment and takes
 * `TF_VAR_<name>`.
 */
export function secretReference(library: Library, user: Construct, { origin }: SecretSource): string {
  const stack = library.TerraformStack.of(user) as StackLike;
  const name = variableName(origin);
  const variable = {
    "//": { [terraformPrefix]: { source: origin } },
    type: "string",
    sensitive: true,
    description: describe(origin),
  };
  // Key by key: other overrides of the program stay.
  for (const [key, value] of Object.entries(variable)) stack.addOverride(`variable.${name}.${key}`, value);
  return `\${var.${name}}`;
}

/**
 * Returns an expression of Terraform for a number that changes with the values of variables. It is 32 bits of a digest,
 * which differ with the salt for the same value.
 */
export function versionOf(references: readonly string[], salt: string): string {
  const text = `${salt.replace(/[^\w/.-]/g, "_")} ${references.join(" ")}`;
  return `\${parseint(substr(sha256("${text}"), 0, 8), 16)}`;
}

function variableName(origin: SecretOrigin): string {
  if ("fromEnv" in origin && /^[A-Za-z_][A-Za-z0-9_]*$/.test(origin.fromEnv)) return `env_${origin.fromEnv}`;
  const text = JSON.stringify(origin);
  const words = text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return `secret_${words.slice(0, 40)}_${sha256(`\0${text}`).slice(0, 8)}`;
}

function describe(origin: SecretOrigin): string {
  if ("fromEnv" in origin) return `The environment variable ${origin.fromEnv}.`;
  if ("fromFile" in origin) return `The text of the file ${origin.fromFile}.`;
  if ("fromCommand" in origin) return `What ${origin.fromCommand[0]} prints.`;
  return `A random text of ${origin.generate.length} characters.`;
}

import type { Construct } from "constructs";
import { terraformPrefix } from "../model/terraform-name";
import { sha256 } from "../model/text";
import type { Library, VariableLike } from "./library";
import type { SecretOrigin, SecretSource } from "./secret-source";

/**
 * The sensitive Terraform variable that stands for a secret source, one for each source in a stack. rnv reads the
 * source from its comment; Terraform, which does not know the comment, takes `TF_VAR_<name>`.
 */
export function secretVariable(library: Library, within: Construct, source: SecretSource): VariableLike {
  const stack = library.TerraformStack.of(within);
  // What is generated belongs to one variable alone: two of them must not become equal.
  const owner = "generate" in source.origin ? within.node.path : "";
  const id = variableName(source.origin, owner);
  const known = stack.node.tryFindChild(id);
  if (known !== undefined) return known as VariableLike;
  const variable = new library.TerraformVariable(stack, id, {
    type: "string",
    sensitive: true,
    description: describe(source.origin),
  });
  variable.addOverride("//", { [terraformPrefix]: { source: source.origin } });
  return variable;
}

function variableName(origin: SecretOrigin, owner: string): string {
  if ("fromEnv" in origin && /^[A-Za-z_][A-Za-z0-9_]*$/.test(origin.fromEnv)) return `env_${origin.fromEnv}`;
  const text = JSON.stringify(origin);
  const digest = sha256(`${owner}\0${text}`).slice(0, 8);
  const words = text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return `secret_${words.slice(0, 40)}_${digest}`;
}

function describe(origin: SecretOrigin): string {
  if ("fromEnv" in origin) return `The environment variable ${origin.fromEnv}.`;
  if ("fromFile" in origin) return `The text of the file ${origin.fromFile}.`;
  if ("fromCommand" in origin) return `What ${origin.fromCommand[0]} prints.`;
  return `A random text of ${origin.generate.length} characters.`;
}

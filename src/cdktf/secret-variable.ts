import type { Construct } from "constructs";
import { sha256, terraformPrefix } from "../model/text";
import type { Library, VariableLike } from "./library";
import { isSecretSource, type SecretOrigin, type SecretSource } from "./secrets";
import { sharedMark } from "./shared";

/** The Terraform variables of a construct, by the name of the field whose secret is given by its source. */
export class SecretVariables {
  readonly #variables = new Map<string, VariableLike>();

  constructor(
    private readonly library: Library,
    private readonly owner: Construct,
  ) {}

  /** Declares the variable of a field that is given a source, and takes away the one before. */
  place(name: string, value: unknown): void {
    const before = this.#variables.get(name);
    this.#variables.delete(name);
    if (isSecretSource(value))
      this.#variables.set(name, secretVariable(this.library, this.owner, value, name));
    if (before !== undefined && before !== this.#variables.get(name)) releaseVariable(before, this.owner);
  }

  /** Returns a reference to the value; undefined where no source is given. */
  valueOf(name: string): string | undefined {
    return this.#variables.get(name)?.stringValue;
  }

  /** Returns a number that changes with the values of all fields, as an expression of Terraform; undefined where no source is given. */
  version(salt: string): string | undefined {
    const variables = [...this.#variables.values()];
    return variables.length === 0 ? undefined : versionExpression(variables, salt);
  }

  /** Names of the fields that are given a source. */
  names(): readonly string[] {
    return [...this.#variables.keys()];
  }
}

/** The constructs that need a variable; without one it is declared no longer. */
const usersOf = (variable: VariableLike): Set<Construct> => sharedMark(variable, "users", () => new Set());

/**
 * The sensitive Terraform variable that stands for a secret source, one for each source in a stack. rnv reads the
 * source from its comment; Terraform, which does not know the comment, takes `TF_VAR_<name>`.
 */
function secretVariable(library: Library, user: Construct, source: SecretSource, name: string): VariableLike {
  const stack = library.TerraformStack.of(user);
  // What is generated belongs to one variable alone: two of them must not become equal.
  const part = name.includes(".") ? `\0${name}` : "";
  const owner = "generate" in source.origin ? `${user.node.path}${part}` : "";
  const id = variableName(source.origin, owner);
  const known = stack.node.tryFindChild(id) as VariableLike | undefined;
  const variable = known ?? makeVariable(library, stack, id, source);
  usersOf(variable).add(user);
  return variable;
}

function makeVariable(
  library: Library,
  stack: Construct,
  id: string,
  { origin }: SecretSource,
): VariableLike {
  const variable = new library.TerraformVariable(stack, id, {
    type: "string",
    sensitive: true,
    description: describe(origin),
  });
  variable.addOverride("//", { [terraformPrefix]: { source: origin } });
  return variable;
}

/** Removes the variable when no other construct needs it, so that Terraform does not ask for its value. */
function releaseVariable(variable: VariableLike, user: Construct): void {
  const users = usersOf(variable);
  users.delete(user);
  if (users.size === 0) variable.node.scope?.node.tryRemoveChild(variable.node.id);
}

/**
 * A number that changes with the values of variables, as an expression of Terraform: 32 bits of a digest, which differ with
 * the salt for the same value.
 */
function versionExpression(variables: readonly VariableLike[], salt: string): string {
  const texts = variables.map(({ friendlyUniqueId }) => `\${var.${friendlyUniqueId}}`).join(" ");
  return `\${parseint(substr(sha256("${salt.replace(/[^\w/.-]/g, "_")} ${texts}"), 0, 8), 16)}`;
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

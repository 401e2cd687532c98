import { mark, markOf } from "./shared";

/** The source of the text of a secret, in the words of a manifest. */
export type SecretOrigin =
  | { readonly fromEnv: string }
  | { readonly fromFile: string }
  | { readonly fromCommand: readonly string[]; readonly env?: readonly string[] }
  | { readonly generate: { readonly length: number } };

/**
 * A secret by its source. The text itself is no part of the program and never lands in the JSON. rnv reads it during
 * the plan; Terraform takes it as a sensitive variable.
 */
export class SecretSource {
  constructor(readonly origin: SecretOrigin) {
    mark(this, "secret", true);
  }

  /** A source is no text: it has to be given as a value of its own. */
  toString(): string {
    throw new Error("a secret source is not allowed inside text: give it as the whole value of a variable");
  }

  /** A source is no JSON either. */
  toJSON(): string {
    return this.toString();
  }
}

/** Returns true if a value is a source made by this or another copy of the package. */
export const isSecretSource = (value: unknown): value is SecretSource =>
  typeof value === "object" && value !== null && markOf(value, "secret") === true;

/** Returns the length of a value that is to be generated; undefined for another. */
export const generatedLength = (value: unknown): number | undefined =>
  isSecretSource(value) && "generate" in value.origin ? value.origin.generate.length : undefined;

/**
 * Returns the value of an environment variable of the run as a source.
 * @example
 * const api = new Service(this, "api", { kind: "web" });
 * api.addVariable("TOKEN", fromEnv("SHOP_TOKEN"));
 */
export const fromEnv = (name: string): SecretSource => new SecretSource({ fromEnv: name });

/**
 * Returns the text of a file as a source, without its last newline. The path starts from the folder that rnv runs in.
 * @example
 * const api = new Service(this, "api", { kind: "web" });
 * api.addVariable("LICENSE", fromFile("secrets/license.txt"));
 */
export const fromFile = (path: string): SecretSource => new SecretSource({ fromFile: path });

/**
 * Returns the output of a program as a source. It gets PATH, HOME and the like, and the variables that `env` names.
 * @example
 * const api = new Service(this, "api", { kind: "web" });
 * api.addVariable("KEY", fromCommand({ env: ["OP_SERVICE_ACCOUNT_TOKEN"] }, "op", "read", "op://shop/api/key"));
 */
export const fromCommand = (
  first: string | { readonly env: readonly string[] },
  ...args: readonly string[]
): SecretSource =>
  new SecretSource(
    typeof first === "string" ? { fromCommand: [first, ...args] } : { fromCommand: args, env: first.env },
  );

/**
 * Returns a source of random text, 16 to 256 characters, generated once when the variable is created.
 * @example
 * const api = new Service(this, "api", { kind: "web" });
 * api.addVariable("SESSION_KEY", generate({ length: 32 }));
 */
export const generate = (options: { readonly length: number }): SecretSource =>
  new SecretSource({ generate: { length: options.length } });

import { mark, markOf } from "./shared";

/** Where the text of a secret comes from, in the words of a manifest. */
export type SecretOrigin =
  | { readonly fromEnv: string }
  | { readonly fromFile: string }
  | { readonly fromCommand: readonly string[]; readonly env?: readonly string[] }
  | { readonly generate: { readonly length: number } };

/**
 * A secret by its source. The text itself is no part of the program and never lands in the JSON: rnv reads it when
 * it plans; Terraform takes it as a sensitive variable.
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

/** Returns true if a value is a source that this copy of the package or another one made. */
export const isSecretSource = (value: unknown): value is SecretSource =>
  typeof value === "object" && value !== null && markOf(value, "secret") === true;

/** Returns the length of a value that is to be generated; undefined for another. */
export const generatedLength = (value: unknown): number | undefined =>
  isSecretSource(value) && "generate" in value.origin ? value.origin.generate.length : undefined;

/** The value of an environment variable of the run. */
export const fromEnv = (name: string): SecretSource => new SecretSource({ fromEnv: name });

/** The text of a file, its last newline left out; the path starts from the folder that rnv runs in. */
export const fromFile = (path: string): SecretSource => new SecretSource({ fromFile: path });

/**
 * What a program prints: `fromCommand("vault", "read", "-field=password", "secret/shop")`. Of the environment it is given
 * PATH, HOME and the like; `fromCommand({ env: ["VAULT_ADDR"] }, "vault", …)` names what else.
 */
export const fromCommand = (
  first: string | { readonly env: readonly string[] },
  ...args: readonly string[]
): SecretSource =>
  new SecretSource(
    typeof first === "string" ? { fromCommand: [first, ...args] } : { fromCommand: args, env: first.env },
  );

/** A random text of 16 to 256 characters, made once when the variable is created. */
export const generate = (options: { readonly length: number }): SecretSource =>
  new SecretSource({ generate: { length: options.length } });

/** A value that is known only when the stack is applied; both libraries write it alike. */
export interface Resolvable {
  /** Where in the program it was made. */
  readonly creationStack: string[];
  /** Returns the value, as the library writes it. */
  // biome-ignore lint/suspicious/noExplicitAny: the context is the library's own
  resolve(context: any): any;
  /** The value as text in a program: a token. */
  toString(): string;
}

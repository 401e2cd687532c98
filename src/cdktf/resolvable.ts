/** A value that is known only when the stack is applied; both libraries write it alike. */
export interface Resolvable {
  readonly creationStack: string[];
  // biome-ignore lint/suspicious/noExplicitAny: the context is the library's own
  resolve(context: any): any;
  toString(): string;
}

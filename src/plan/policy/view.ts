/** Fields by name: the CEL type of each, and how it is read. */
export type ViewFields<Source> = Readonly<
  Record<string, readonly [celType: string, read: (source: Source) => unknown]>
>;

/** A CEL type. Its objects read a field when an expression asks for it: a policy reads few fields of many resources. */
export interface View<Source> {
  readonly name: string;
  /** Each field with its CEL type. */
  readonly fields: Readonly<Record<string, string>>;
  /** The library knows the type of an object by its class alone: without one `changes[0]` would be refused when it is judged. */
  readonly ctor: new (
    source: Source,
  ) => object;
  readonly of: (source: Source) => object;
}

/** Makes a CEL type from its fields. */
export function defineView<Source>(name: string, fields: ViewFields<Source>): View<Source> {
  class Viewed {
    readonly #source: Source;
    constructor(source: Source) {
      this.#source = source;
    }
    static addField(field: string, read: (source: Source) => unknown): void {
      Object.defineProperty(Viewed.prototype, field, {
        enumerable: true,
        get(this: Viewed) {
          return read(this.#source);
        },
      });
    }
  }
  for (const [field, [, read]] of Object.entries(fields)) Viewed.addField(field, read);
  return {
    name,
    fields: Object.fromEntries(Object.entries(fields).map(([field, [celType]]) => [field, celType])),
    ctor: Viewed,
    of: (source) => new Viewed(source),
  };
}

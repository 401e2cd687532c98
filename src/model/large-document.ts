import * as z from "zod";

export type DocumentSchema<T> = Pick<z.ZodType<T>, "safeParse">;

/**
 * Returns a reader of large documents. Compiled code validates a document; if it fits, the document itself is returned,
 * not a copy. The schema must have no defaults: they would be missing. It is compiled with the first document.
 */
export function largeDocument<T extends object>(schema: z.ZodType<T>): DocumentSchema<T> {
  let compiled: z.ZodType<T> | undefined;
  // Members of a fleet share an answer; none of them changes it.
  const fitting = new WeakSet<object>();
  return {
    safeParse: (document) => {
      compiled ??= z.compile(schema);
      if (!fitting.has(document as object) && !compiled.validate(document)) return schema.safeParse(document);
      fitting.add(document as object);
      return { success: true, data: document as T };
    },
  };
}

import type * as z from "zod";

export type Check = (value: unknown) => boolean;

/** The parts of a schema's definition that are looked at here. */
interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly coerce?: boolean;
  readonly checks?: readonly { readonly _zod: { readonly def: { check: string; minimum?: number } } }[];
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, string | number>>;
}

const doubt: Check = () => false;

/**
 * Whether a value is one that the schema takes as it is, decided many times faster than by the schema; a manifest asks
 * a hundred thousand times. False means only that the schema has to be asked: for `null`, for whatever is wrong, and
 * for every value of a schema that is more than text, a whole number, a flag, a choice, one of several of these or a list of them.
 */
export function quickCheck(schema: z.ZodType): Check {
  const definition = schema.def as Definition;
  const { type, format, checks = [], innerType, element, options, entries } = definition;
  if (definition.coerce) return doubt;
  if ((type === "optional" || type === "nullable") && innerType) return quickCheck(innerType);
  if (type === "string" && format === undefined) {
    const shortest = Math.max(0, ...checks.map(minimumLength));
    return (value) => typeof value === "string" && value.length >= shortest;
  }
  if (checks.length > 0) return doubt;
  if (type === "number" && format === "safeint") return Number.isSafeInteger;
  if (type === "boolean") return (value) => typeof value === "boolean";
  if (type === "enum" && entries) {
    const choices = new Set<unknown>(Object.values(entries));
    return (value) => choices.has(value);
  }
  if (type === "array" && element) {
    const isItem = quickCheck(element);
    return (value) => Array.isArray(value) && value.every(isItem);
  }
  if (type === "union" && options) {
    const isOneOf = options.map(quickCheck);
    return (value) => isOneOf.some((isIt) => isIt(value));
  }
  return doubt;
}

/** Infinity for a check that is about something else: no text is long enough, and the schema is asked. */
const minimumLength = ({ _zod: { def } }: NonNullable<Definition["checks"]>[number]): number =>
  def.check === "min_length" && def.minimum !== undefined ? def.minimum : Number.POSITIVE_INFINITY;

/** What the core schema of YAML reads as something else than text. */
const words = new Map<string, null | boolean>(
  ["null", "Null", "NULL"].map((word): [string, null] => [word, null]),
);
for (const word of ["true", "True", "TRUE"]) words.set(word, true);
for (const word of ["false", "False", "FALSE"]) words.set(word, false);

const longestWord = 5;

const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/;
/** A superset of the numbers of the core schema. */
const numberLike =
  /^[-+]?(?:0o[0-7]+|0x[0-9a-fA-F]+|(?:\.[0-9]+|[0-9]+\.?[0-9]*)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF|nan|NaN|NAN))$/;

/** The value of unquoted text; undefined where only the YAML parser can tell. */
export function plainValue(text: string): null | boolean | number | string | undefined {
  const word = text.length <= longestWord ? words.get(text) : undefined;
  if (word !== undefined) return word;
  // Past the digits are the letters, which no number begins with.
  if (text.charCodeAt(0) > 57) return text;
  if (wholeNumber.test(text)) return Number(text);
  if (numberLike.test(text)) return undefined;
  return text;
}

/** As a key it is text, and safe to be one. */
export const isTextKey = (key: string): boolean =>
  (key.length > longestWord || !words.has(key)) && key !== "__proto__";

import type * as z from "zod";
import { leaves } from "../manifest/schema-issues";
import { snakeCase } from "../model/text";

type SchemaIssue = z.core.$ZodIssue;

const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "a map",
  null: "null",
};

/** Returns what the schema of a value says against it, in words of Terraform: none where it says nothing. */
export function unmetExpectations(schema: z.ZodType | undefined, value: unknown): readonly string[] {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return [];
  return parsed.error.issues.flatMap(leaves).map((issue) => {
    const steps = issue.path.map((step) =>
      typeof step === "number" ? `[${step}]` : snakeCase(String(step)),
    );
    const within = steps.join(".");
    return within === "" ? expectation(issue) : `${within}: ${expectation(issue)}`;
  });
}

function expectation(issue: SchemaIssue): string {
  if (issue.code === "invalid_value")
    return `expected ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(quoted).join(", ")}`;
  if (issue.code === "invalid_type") return `expected ${typeWords[issue.expected] ?? issue.expected}`;
  if (issue.code === "unrecognized_keys")
    return `there is no attribute ${issue.keys.map((key) => quoted(snakeCase(key))).join(", ")} in it`;
  if (issue.code === "invalid_union" && issue.errors.length > 0)
    return (issue.errors as SchemaIssue[][])
      .map((option) => option.map(expectation).join(", "))
      .map((option, index) => (index === 0 ? option : option.replace(/^expected /, "")))
      .join(" or ");
  // A schema's own words.
  if (!/^(Invalid|Too|Unrecognized)\b/.test(issue.message)) return issue.message;
  if (issue.code === "too_small")
    return `expected ${amountOf(issue.origin, "at least", issue.minimum, issue)}`;
  if (issue.code === "too_big") return `expected ${amountOf(issue.origin, "at most", issue.maximum, issue)}`;
  if (issue.code === "not_multiple_of") return `expected a multiple of ${issue.divisor}`;
  if (issue.code === "invalid_format") return `expected ${formatWords[issue.format] ?? "another form"}`;
  return "expected another value";
}

const quoted = (value: unknown): string =>
  typeof value === "bigint" ? String(value) : JSON.stringify(value);

const formatWords: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  guid: "a UUID",
  url: "a URL",
  email: "an email address",
  datetime: "a time such as 2026-01-31T12:00:00Z",
};

/** `at least 3 characters`, `a number above 0`. */
function amountOf(
  origin: string,
  bound: "at least" | "at most",
  limit: number | bigint,
  { inclusive }: { readonly inclusive?: boolean },
): string {
  const units: Readonly<Record<string, string>> = { string: "character", array: "item", set: "item" };
  const unit = units[origin];
  if (unit === undefined)
    return inclusive === false
      ? `a number ${bound === "at least" ? "above" : "below"} ${limit}`
      : `a number of ${bound} ${limit}`;
  if (bound === "at least" && Number(limit) === 1)
    return origin === "string" ? "text that is not empty" : "a list that is not empty";
  return `${bound} ${limit} ${unit}${Number(limit) === 1 ? "" : "s"}`;
}

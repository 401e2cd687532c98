import * as z from "zod";
import { uuidPattern } from "../model/address";

/** The service says no. Thrown before anything is written; becomes the error body (interface, "Errors"). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Refusal";
  }
}

export const invalid = (message: string, code = "invalid_value"): Refusal => new Refusal(400, code, message);
export const forbidden = (message: string, code = "forbidden"): Refusal => new Refusal(403, code, message);
export const notFound = (what: string): Refusal =>
  new Refusal(404, "not_found", `${what} does not exist or is outside your workspace membership`);
export const conflict = (code: string, message: string): Refusal => new Refusal(409, code, message);

/** 256 KiB (interface, "Limits"). */
export const bodyLimit = 262_144;

/** Checks a body against a schema; 400 names the first field that is wrong, never its value. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue?.path.join(".") || "The body";
  throw invalid(`${where}: ${issue?.message ?? "is invalid"}`);
}

export const nonEmpty = z.string().min(1, "must not be empty");
export const uuid = z.string().regex(uuidPattern, "must be a UUID");

const confirmation = z.strictObject({ confirm: z.string() });

/** 400 unless the body is `{confirm}` with the exact name. */
export function requireConfirmation(body: unknown, name: string): void {
  if (parseBody(confirmation, body).confirm !== name)
    throw invalid("confirm must equal the exact name", "confirmation_mismatch");
}

const nothing = z.strictObject({});

/** 400 unless the body is `{}`. */
export const requireEmptyBody = (body: unknown): void => void parseBody(nothing, body);

/** The JSON object of a write; 400 when it is none. */
export function readJson(text: string | undefined, contentType: string | undefined): Record<string, unknown> {
  if (text === undefined || text === "") throw invalid("A JSON body is required", "invalid_json");
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? ""))
    throw invalid("The content type must be application/json", "invalid_content_type");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("The body is not valid JSON", "invalid_json");
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw invalid("The body must be a JSON object", "invalid_json");
  return value as Record<string, unknown>;
}

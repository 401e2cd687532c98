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

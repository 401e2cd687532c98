import type { ZodType } from "zod";
import { ApiError, GAP_OFF } from "./api-error";
import { gapVariable } from "./gap-settings";
import type { GapSettings } from "./gaps";
import type { Reading } from "./parse-answer";
import type { ApiRequest, Send } from "./send";

/** What was found out about the gaps while requests were made; shared by the endpoint sets of one process. */
export interface LearnedForms {
  patchService?: "nested" | "flat";
  patchVariable?: string;
}

/** One endpoint, bound to `send` and the workspace; every part of `Endpoints` is made of these. */
export interface EndpointCall {
  readonly send: Send;
  /** `/workspaces/{workspaceId}` and below. */
  readonly path: (...segments: readonly string[]) => string;
  readonly gaps: GapSettings;
  readonly learned: LearnedForms;
  readonly read: <T>(
    schema: ZodType<T>,
    operation: string,
    path: string,
    query?: ApiRequest["query"],
    how?: Reading<T>,
  ) => Promise<T>;
  /** A write marked (I), or one of a gap that is treated so. */
  readonly write: <T>(
    schema: ZodType<T>,
    request: Pick<
      ApiRequest,
      "operation" | "method" | "path" | "body" | "sensitive" | "omitsKey" | "sentOnce" | "hostedBy"
    >,
    how: Reading<T>,
  ) => Promise<T>;
}

/** The leading empty segment makes the path absolute; every other one must be a name that no URL parser rewrites. */
export function pathSegment(segment: string, position: number): string {
  if (position > 0 && (segment === "" || segment === "." || segment === ".."))
    throw new Error(`${JSON.stringify(segment)} is not an id`);
  return encodeURIComponent(segment);
}

/** No request is made for a route that a setting turned off. */
export function turnedOff(
  { operation: name, method, path, address }: Pick<ApiRequest, "operation" | "method" | "path" | "address">,
  setting: keyof GapSettings,
): ApiError {
  return new ApiError({
    kind: "refused",
    ...{ operation: name, method, path, address },
    code: GAP_OFF,
    message: `${name} is turned off by ${gapVariable(setting)}; use the dashboard of the service`,
    requestId: "",
    attempts: 0,
  });
}

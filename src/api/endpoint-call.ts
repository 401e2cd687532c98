import type { ZodType } from "zod";
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

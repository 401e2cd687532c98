import type { DocumentSchema } from "../model/large-document";
import { ApiError } from "./api-error";
import { withGapHint } from "./gap-rules";
import type { GapName, GapSettings } from "./gaps";
import { type AnswerReading, type AskedFor, ask, type ShownFields, shows } from "./parse-answer";
import { type ApiRequest, pathSegment, type Send } from "./request";

/** The bodies that the service was seen to take where its documents show none; shared by the endpoint sets of a process. */
export interface DetectedPatchFormat {
  patchService?: string;
  patchVariable?: string;
}

export type EndpointCall = ReturnType<typeof endpointCall>;

export function endpointCall(
  send: Send,
  workspaceId: string,
  gaps: GapSettings,
  detected: DetectedPatchFormat,
) {
  return {
    send,
    gaps,
    detected,
    /** Returns `/workspaces/{workspaceId}` and below. */
    path: (...segments: readonly string[]): string =>
      ["", "workspaces", workspaceId, ...segments].map(pathSegment).join("/"),
    ask: <T>(schema: DocumentSchema<T>, request: ApiRequest, reading: AnswerReading<T> = {}): Promise<T> =>
      ask(send, schema, request, reading),
    /** Returns a member of the answer. Its fields must be those of `asked`. */
    show: async <Member extends string, T extends { readonly [Key in Member]?: ShownFields | undefined }>(
      member: Member,
      schema: DocumentSchema<T>,
      request: ApiRequest,
      { asked = {}, ...reading }: AnswerReading<T> & { readonly asked?: AskedFor } = {},
    ): Promise<T[Member]> => {
      const answer = await ask(send, schema, request, { about: shows(member, asked), ...reading });
      return answer[member];
    },
  };
}

/** A PATCH whose body the interface does not show. */
interface Patch<T> {
  readonly gap: GapName;
  readonly known: keyof DetectedPatchFormat;
  /** The form of the body that a setting chooses, or `auto`. */
  readonly setting: string;
  /** The forms that `auto` tries in this order, each once. */
  readonly assumed: readonly string[];
  readonly send: (form: string) => Promise<T>;
  readonly isApplied: (answer: T) => boolean;
}

/**
 * Sends the body in the form that a setting chooses or that the service accepted before. Otherwise it tries the next form
 * after a 400, or if the answer does not show the change. It keeps to the accepted form; without any the first answer stands.
 */
export async function patchInForm<T>(detected: DetectedPatchFormat, patch: Patch<T>): Promise<T> {
  const { gap, known, setting, assumed, send, isApplied } = patch;
  const chosen = setting === "auto" ? detected[known] : setting;
  let first: T | ApiError | undefined;
  try {
    for (const form of chosen === undefined ? assumed : [chosen]) {
      const answer = await send(form).catch(catchRefusedBody);
      if (!(answer instanceof ApiError) && (chosen !== undefined || isApplied(answer))) {
        detected[known] = form;
        return answer;
      }
      first ??= answer;
    }
    if (first instanceof ApiError) throw first;
    return first as T;
  } catch (failure) {
    // A form that took before is right; its refusal now is about the values.
    throw detected[known] === undefined ? withGapHint(failure, gap) : failure;
  }
}

function catchRefusedBody(failure: unknown): ApiError {
  if (failure instanceof ApiError && failure.kind === "refused" && failure.status === 400) return failure;
  throw failure;
}

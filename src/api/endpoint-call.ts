import type { DocumentSchema } from "../model/large-document";
import type { GapSettings } from "./gaps";
import { type AnswerReading, type AskedFor, ask, type ShownFields, shows } from "./parse-answer";
import { type ApiRequest, pathSegment, type Send } from "./send";

/** The bodies that the service was seen to take where its documents show none; shared by the endpoint sets of a process. */
export interface DetectedPatchFormat {
  patchService?: "nested" | "flat";
  patchVariable?: string;
}

/** An answer that shows a resource, or anything else that has an id, in a member. */
type Showing<Member extends string> = { readonly [Key in Member]?: ShownFields | undefined };

/** The parts that every endpoint is made of, bound to `send` and the workspace. */
export interface EndpointCall {
  readonly send: Send;
  /** `/workspaces/{workspaceId}` and below. */
  readonly path: (...segments: readonly string[]) => string;
  readonly gaps: GapSettings;
  readonly detected: DetectedPatchFormat;
  readonly ask: <T>(schema: DocumentSchema<T>, request: ApiRequest, reading?: AnswerReading<T>) => Promise<T>;
  /** Asks for what the answer shows in a member, which must be what was `asked` for. */
  readonly show: <Member extends string, T extends Showing<Member>>(
    member: Member,
    schema: DocumentSchema<T>,
    request: ApiRequest,
    reading?: AnswerReading<T> & { readonly asked?: AskedFor },
  ) => Promise<T[Member]>;
}

export function endpointCall(
  send: Send,
  workspaceId: string,
  gaps: GapSettings,
  detected: DetectedPatchFormat,
): EndpointCall {
  return {
    ...{ send, gaps, detected },
    path: (...segments) => ["", "workspaces", workspaceId, ...segments].map(pathSegment).join("/"),
    ask: (schema, request, reading = {}) => ask(send, schema, request, reading),
    show: async (member, schema, request, { asked = {}, ...reading } = {}) => {
      const answer = await ask(send, schema, request, { about: shows(member, asked), ...reading });
      return answer[member];
    },
  };
}

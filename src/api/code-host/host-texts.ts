import * as z from "zod";
import { DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import { ApiError } from "../api-error";
import {
  type CodeHost,
  type Discussion,
  type HostComment,
  type HostIssue,
  type HostOptions,
  type IssueText,
  isMarked,
} from "./code-host";
import type { HostCall, HostClient } from "./host-client";

/** A text with the login of its author; without one it is not for us: the host's own note, a pull request among issues. */
type Authored<Text> = Text & { readonly author: string | undefined };

/** The routes and forms of the comments and issues of a host. */
export interface HostTexts {
  readonly name: CodeHost["name"];
  readonly updateMethod: "PATCH" | "PUT";
  readonly comment: z.ZodType<Authored<HostComment>>;
  readonly issue: z.ZodType<Authored<HostIssue>>;
  /** `pull request 7`. */
  readonly wordsOf: (at: Discussion) => string;
  readonly commentsOf: (at: Discussion) => string;
  /** Of the comments, oldest first. */
  readonly order?: string;
  readonly commentAt: (at: Discussion, id: string) => string;
  readonly issues: string;
  /** Of the open issues, newest first. */
  readonly openIssues: (author: string) => string;
  readonly bodyOf: (issue: Partial<IssueText>) => object;
  readonly closed: object;
  /** The permissions that a job needs. */
  readonly needsOf: (kind: Discussion["kind"]) => string;
  /** Asks for the login that the token writes as. */
  readonly login: () => Promise<string>;
}

/** Reads and writes comments and issues; each is made once. */
export function textsOf(client: HostClient, host: HostTexts, options: HostOptions) {
  const { comment, issue, wordsOf, needsOf } = host;
  const ownLogin = askOnce(host.login);
  const owned = async <One extends Authored<unknown>>(found: readonly One[]): Promise<readonly One[]> => {
    const own = await ownLogin();
    return found.filter(({ author }) => author === own);
  };
  /** Returns what was just written, as long as it will be found again as our own. */
  const written = async <One extends Authored<unknown>>(one: One): Promise<One> => {
    const own = await ownLogin();
    if (one.author !== undefined && one.author !== own) throw writtenByAnother(host.name, one.author, own);
    return one;
  };
  const make = <One extends object>(call: Write<One>, find: () => Promise<One | undefined>): Promise<One> =>
    makeOnce(
      options,
      async () => withoutAuthor(await written(await client.send({ ...call, method: "POST" }))),
      find,
    );
  const rewrite = async <One extends object>(call: Write<One>): Promise<One> =>
    withoutAuthor(await client.send({ ...call, method: host.updateMethod }));
  const change = (number: number, verb: string, body: object): Promise<HostIssue> => {
    const call = { operation: `${verb} issue ${number}`, path: `${host.issues}/${number}`, body };
    return rewrite({ ...call, answer: issue, needs: needsOf("issue") });
  };
  const texts: TextCalls = {
    findComments: async (at, marker) => {
      const call = { operation: `list the comments of ${wordsOf(at)}`, needs: needsOf("pull request") };
      const path = `${host.commentsOf(at)}${host.order ?? ""}`;
      const own = await owned(await client.sendPages({ ...call, path, answer: z.array(comment) }));
      return own.filter((one) => marker === undefined || isMarked(one.body, marker)).map(withoutAuthor);
    },
    writeComment: (at, marker, body) => {
      const call = { operation: `comment on ${wordsOf(at)}`, path: host.commentsOf(at), body: { body } };
      return make({ ...call, answer: comment, needs: needsOf(at.kind) }, async () =>
        (await texts.findComments(at, marker)).find((one) => isSameText(one.body, body)),
      );
    },
    rewriteComment: (at, id, body) => {
      const operation = `rewrite a comment of ${wordsOf(at)}`;
      const call = { operation, path: host.commentAt(at, id), body: { body } };
      return rewrite({ ...call, answer: comment, needs: needsOf(at.kind) });
    },
    findIssues: async () => {
      const path = host.openIssues(await ownLogin());
      const call = { operation: "list open issues", path, needs: needsOf("issue") };
      return (await owned(await client.sendPages({ ...call, answer: z.array(issue) }))).map(withoutAuthor);
    },
    openIssue: (marker, text) => {
      const call = { operation: "open an issue", path: host.issues, body: host.bodyOf(text) };
      return make({ ...call, answer: issue, needs: needsOf("issue") }, async () =>
        (await texts.findIssues()).find(({ body }) => isMarked(body, marker)),
      );
    },
    updateIssue: (number, text) => change(number, "update", host.bodyOf(text)),
    closeIssue: (number) => change(number, "close", host.closed),
  };
  return texts;
}

type Write<One> = Omit<HostCall<Authored<One>>, "method">;

type TextCalls = Pick<
  CodeHost,
  | "findComments"
  | "writeComment"
  | "rewriteComment"
  | "findIssues"
  | "openIssue"
  | "updateIssue"
  | "closeIssue"
>;

const withoutAuthor = <Text extends object>({ author: _author, ...text }: Authored<Text>): Text =>
  text as unknown as Text;

/** A host may keep lines as a browser sends them. */
const isSameText = (kept: string, sent: string): boolean =>
  kept.replaceAll("\r\n", "\n").trim() === sent.replaceAll("\r\n", "\n").trim();

/** The token of an app of one's own cannot ask who it is. */
const writtenByAnother = (host: string, by: string, own: string): DiagnosticsError =>
  new DiagnosticsError([
    warning("config.invalid", `${host} wrote this as ${by}, and rnv looks for texts of ${own}`, {
      detail: "It is not found again: the next run writes another, and an apply finds no review.",
      hint: `set RNV_COMMENT_AUTHOR=${by} in the jobs`,
    }),
  ]);

/** Returns a question that is asked once; one that failed is asked again. */
function askOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask().catch((cause: unknown) => {
      asked = undefined;
      throw cause;
    });
    return asked;
  };
}

/** Reads may lag behind a write whose answer was lost. */
const looks = [1000, 4000] as const;

/**
 * Makes something with a POST exactly once: after an answer that was lost it looks, with pauses, for what was asked for,
 * and asks again only where it is not there.
 */
async function makeOnce<Made>(
  { clock }: Pick<HostOptions, "clock">,
  make: () => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await make();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.kind !== "uncertain") throw cause;
    for (const pause of looks) {
      await clock.sleep(pause);
      const found = await find();
      if (found !== undefined) return found;
    }
    return make();
  }
}

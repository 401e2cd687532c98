import { appendFileSync } from "node:fs";
import { type CodeHost, createHost } from "../../src/api/code-host/create-host";
import { createHttpTransport } from "../../src/api/http-transport";
import { Secret } from "../../src/model/secret";
import { type Clock, systemClock } from "../../src/model/time";
import { closing } from "./closing";
import { type SeenStateRequest, type StateAnswer, type StateServer, serveState } from "./http-state-server";

/** Secrets of jobs: no output may show them. */
export const hostTokens = {
  github: "ghs_7hCanaryOfTheWorkflow0000000000000000",
  gitlab: "glpat-7hCanaryOfTheBot",
};
/** Whoever the tokens write as. */
const authors = { github: "github-actions[bot]", gitlab: "rnv-bot" };

interface KeptComment {
  readonly id: number;
  /** `pull 7`, `issue 3`; GitHub numbers both in one row. */
  readonly at: string;
  readonly author: string;
  body: string;
}

interface KeptIssue {
  readonly number: number;
  readonly author: string;
  readonly labels: readonly string[];
  title: string;
  body: string;
  isOpen: boolean;
}

/** A branch that was made by the API: one commit on `base`, which has the file. */
interface KeptBranch {
  readonly base: string;
  readonly file: string;
  readonly text: string;
}

interface KeptPull {
  readonly number: number;
  readonly branch: string;
  readonly commit: string;
  readonly isOpen: boolean;
  /** Commits that it is found by. */
  readonly commits: readonly string[];
  readonly mergeCommit?: string;
  /** Its description, where it was opened by the API. */
  text?: string;
}

/** A host of code in memory that answers over HTTP as the public REST documents of GitHub or GitLab say. */
export interface CodeHostServer extends StateServer {
  readonly comments: KeptComment[];
  readonly issues: KeptIssue[];
  readonly pulls: KeptPull[];
  readonly branches: Map<string, KeptBranch>;
  /** Another user's comment. */
  addComment(at: string, author: string, body: string): void;
  /** The variables of a job there. */
  readonly environment: Readonly<Record<string, string>>;
  /** Opens it as a job does; `author` is the account that the token writes as. */
  open(options?: { readonly clock?: Clock; readonly author?: string }): CodeHost;
  /** Answers in place of the host: a limit, a refusal. Asked for every request. */
  refuse?: ((request: SeenStateRequest) => StateAnswer | undefined) | undefined;
}

interface Kept extends Pick<CodeHostServer, "comments" | "issues" | "pulls" | "branches"> {
  readonly platform: "github" | "gitlab";
}

type Route = readonly [
  method: string,
  path: RegExp,
  answer: (kept: Kept, found: string[], body: Body) => unknown,
  status?: number,
];
type Body = Readonly<Record<string, unknown>>;

let lastId = 1000;

/** The open pull requests, or one by its number. */
const openOrOne = ({ pulls }: Kept, one: string | undefined, shown: (pull: KeptPull) => unknown): unknown =>
  one === undefined
    ? pulls.filter(({ isOpen }) => isOpen).map(shown)
    : pulls.filter(({ number }) => one === `${number}`).map(shown)[0];

const described = ({ pulls }: Kept, number: string | undefined, body: unknown): KeptPull => {
  const pull = pulls.find((one) => number === `${one.number}`);
  if (!pull) throw new Error("is missing");
  return Object.assign(pull, { text: text(body) });
};

function opened({ pulls }: Kept, branch: string, body: unknown): KeptPull {
  const of = { number: ++lastId, branch, commit: "f".repeat(40), isOpen: true, commits: [] };
  const made = { ...of, text: text(body) };
  pulls.push(made);
  return made;
}

const addTo = (kept: Kept, at: string, body: string): KeptComment => {
  const made = { id: ++lastId, at, author: authors[kept.platform], body };
  kept.comments.push(made);
  return made;
};

/** A body with exactly these members, each of its type; anything else is what a host answers 422 to. */
function checked(body: Body, shape: Readonly<Record<string, "string" | "list" | "string?" | "list?">>): Body {
  for (const key of Object.keys(body)) if (!(key in shape)) throw new Error(`unknown member ${key}`);
  for (const [key, kind] of Object.entries(shape)) {
    const value = body[key];
    if (value === undefined && kind.endsWith("?")) continue;
    const fits = kind.startsWith("list") ? Array.isArray(value) : typeof value === "string" && value !== "";
    if (!fits) throw new Error(`${key} is no ${kind}`);
  }
  return body;
}

function longest(body: string, limit: number): string {
  if (body.length > limit) throw new Error(`body is too long (maximum is ${limit} characters)`);
  return body;
}

const text = (value: unknown): string => String(value);

const github: readonly Route[] = [
  [
    "GET",
    /^\/repos\/o\/r\/issues\/(\d+)\/comments$/,
    ({ comments }, [number]) => comments.filter(({ at }) => at.endsWith(` ${number}`)).map(asComment),
  ],
  [
    "POST",
    /^\/repos\/o\/r\/issues\/(\d+)\/comments$/,
    (kept, [number], body) => {
      const kind = kept.issues.some((one) => String(one.number) === number) ? "issue" : "pull";
      return asComment(
        addTo(kept, `${kind} ${number}`, longest(text(checked(body, { body: "string" }).body), 65_536)),
      );
    },
    201,
  ],
  [
    "PATCH",
    /^\/repos\/o\/r\/issues\/comments\/(\d+)$/,
    ({ comments }, [id], body) => {
      const found = comments.find((one) => String(one.id) === id) as KeptComment;
      found.body = longest(text(checked(body, { body: "string" }).body), 65_536);
      return asComment(found);
    },
  ],
  [
    "GET",
    /^\/repos\/o\/r\/issues$/,
    ({ issues, pulls }) => [
      // A pull request is an issue too.
      ...pulls.map(({ number }) => ({
        number,
        title: "a pull request",
        body: null,
        pull_request: {},
        user: null,
      })),
      ...issues.filter(({ isOpen }) => isOpen).map(asIssue),
    ],
  ],
  [
    "POST",
    /^\/repos\/o\/r\/issues$/,
    ({ issues }, _, body) => {
      const {
        title,
        body: said,
        labels = [],
      } = checked(body, { title: "string", body: "string", labels: "list?" });
      const made = { number: ++lastId, author: authors.github, labels: labels as string[], isOpen: true };
      issues.push({ ...made, title: text(title), body: longest(text(said), 65_536) });
      return asIssue(issues.at(-1) as KeptIssue);
    },
    201,
  ],
  [
    "PATCH",
    /^\/repos\/o\/r\/issues\/(\d+)$/,
    ({ issues }, [number], body) => {
      const shape = { title: "string?", body: "string?", state: "string?", state_reason: "string?" } as const;
      const { title, body: said, state } = checked(body, shape);
      const found = issues.find((one) => String(one.number) === number) as KeptIssue;
      if (title !== undefined) found.title = text(title);
      if (said !== undefined) found.body = text(said);
      if (state === "closed") found.isOpen = false;
      return asIssue(found);
    },
  ],
  [
    "GET",
    /^\/repos\/o\/r\/commits\/([0-9a-f]+)\/pulls$/,
    ({ pulls }, [commit = ""]) => pulls.filter(({ commits }) => commits.includes(commit)).map(asPull),
  ],
  [
    "GET",
    /^\/repos\/o\/r\/git\/commits\/([0-9a-f]{40})$/,
    (_, [sha]) => ({ sha, tree: { sha: `tree of ${sha}` } }),
  ],
  [
    "POST",
    /^\/repos\/o\/r\/git\/trees$/,
    (_, __, body) => {
      const { tree } = checked(body, { base_tree: "string", tree: "list" });
      const [{ path, mode, type, content }] = tree as [Record<string, string>];
      return { sha: JSON.stringify([path, [mode, type].join(), content]) };
    },
    201,
  ],
  [
    "POST",
    /^\/repos\/o\/r\/git\/commits$/,
    (_, __, body) => {
      const { tree, parents } = checked(body, { message: "string", tree: "string", parents: "list" });
      const [file, , content] = JSON.parse(text(tree));
      return { sha: JSON.stringify({ base: (parents as string[])[0], file, text: content }) };
    },
    201,
  ],
  [
    "POST",
    /^\/repos\/o\/r\/git\/refs$/,
    ({ branches }, _, body) => {
      const { ref, sha } = checked(body, { ref: "string", sha: "string" });
      if (branches.has(text(ref))) throw new Error("Reference already exists");
      branches.set(text(ref), JSON.parse(text(sha)));
      return { ref };
    },
    201,
  ],
  [
    "PATCH",
    /^\/repos\/o\/r\/git\/(refs\/heads\/.+)$/,
    ({ branches }, [ref = ""], { sha, force }) => {
      if (force === true) branches.set(ref, JSON.parse(text(sha)));
      return { ref };
    },
  ],
  [
    "POST",
    /^\/repos\/o\/r\/pulls$/,
    (kept, _, body) => {
      const { head } = checked(body, { title: "string", body: "string", head: "string", base: "string" });
      return asPull(opened(kept, text(head), body.body));
    },
    201,
  ],
  ["PATCH", /^\/repos\/o\/r\/pulls\/(\d+)$/, (kept, [one], { body }) => asPull(described(kept, one, body))],
  ["GET", /^\/repos\/o\/r\/pulls(?:\/(\d+))?$/, (kept, [number]) => openOrOne(kept, number, asPull)],
];

const asComment = ({ id, body, author }: KeptComment) => ({
  ...{ id, body, user: { login: author, type: "Bot" }, html_url: `https://github.example/c/${id}` },
});
const asIssue = ({ number, title, body, author, isOpen }: KeptIssue) => ({
  ...{ number, title, body, user: { login: author }, state: isOpen ? "open" : "closed" },
  html_url: `https://github.example/i/${number}`,
});
const asPull = ({ number, branch, commit, isOpen, mergeCommit }: KeptPull) => ({
  ...{ number, state: isOpen ? "open" : "closed", head: { ref: branch, sha: commit } },
  ...{
    merged_at: mergeCommit === undefined ? null : "2026-01-01T00:00:00Z",
    merge_commit_sha: mergeCommit ?? null,
  },
  html_url: `https://github.example/p/${number}`,
});

const gitlab: readonly Route[] = [
  ["GET", /^\/user$/, () => ({ id: 1, username: authors.gitlab })],
  [
    "GET",
    /^\/projects\/42\/(merge_requests|issues)\/(\d+)\/notes$/,
    ({ comments }, [kind, number]) => [
      { id: 1, body: "changed the description", system: true, author: { username: authors.gitlab } },
      ...comments.filter(({ at }) => at === atOf(kind, number)).map(asNote),
    ],
  ],
  [
    "POST",
    /^\/projects\/42\/(merge_requests|issues)\/(\d+)\/notes$/,
    (kept, [kind, number], body) =>
      asNote(
        addTo(kept, atOf(kind, number), longest(text(checked(body, { body: "string" }).body), 1_000_000)),
      ),
    201,
  ],
  [
    "PUT",
    /^\/projects\/42\/(?:merge_requests|issues)\/\d+\/notes\/(\d+)$/,
    ({ comments }, [id], body) => {
      const found = comments.find((one) => String(one.id) === id) as KeptComment;
      found.body = longest(text(checked(body, { body: "string" }).body), 1_000_000);
      return asNote(found);
    },
  ],
  [
    "GET",
    /^\/projects\/42\/issues$/,
    ({ issues }) =>
      issues.filter(({ isOpen, author }) => isOpen && author === authors.gitlab).map(asWorkItem),
  ],
  [
    "POST",
    /^\/projects\/42\/issues$/,
    ({ issues }, _, body) => {
      const shape = { title: "string", description: "string", labels: "string?" } as const;
      const { title, description, labels = "" } = checked(body, shape);
      const made = {
        number: ++lastId,
        author: authors.gitlab,
        labels: text(labels).split(","),
        isOpen: true,
      };
      issues.push({ ...made, title: text(title), body: text(description) });
      return asWorkItem(issues.at(-1) as KeptIssue);
    },
    201,
  ],
  [
    "PUT",
    /^\/projects\/42\/issues\/(\d+)$/,
    ({ issues }, [number], body) => {
      const shape = { title: "string?", description: "string?", state_event: "string?" } as const;
      const { title, description, state_event: event } = checked(body, shape);
      const found = issues.find((one) => String(one.number) === number) as KeptIssue;
      if (title !== undefined) found.title = text(title);
      if (description !== undefined) found.body = text(description);
      if (event === "close") found.isOpen = false;
      return asWorkItem(found);
    },
  ],
  [
    "GET",
    /^\/projects\/42\/repository\/commits\/([0-9a-f]+)\/merge_requests$/,
    ({ pulls }, [commit = ""]) => pulls.filter(({ commits }) => commits.includes(commit)).map(asMerge),
  ],
  [
    "POST",
    /^\/projects\/42\/repository\/commits$/,
    ({ branches }, _, { branch, start_sha: base, force, actions, commit_message: message }) => {
      const [{ action, file_path: file, content }] = actions as [Record<string, string>];
      if (force !== true || action !== "update" || !message) throw new Error("is invalid");
      branches.set(`refs/heads/${branch}`, { base: text(base), file: text(file), text: text(content) });
      return { id: "f".repeat(40) };
    },
    201,
  ],
  [
    "POST",
    /^\/projects\/42\/merge_requests$/,
    (kept, _, { source_branch: source, target_branch: target, title, description }) => {
      if (!target || !title) throw new Error("is missing");
      return asMerge(opened(kept, text(source), description));
    },
    201,
  ],
  [
    "PUT",
    /^\/projects\/42\/merge_requests\/(\d+)$/,
    (kept, [one], { description }) => asMerge(described(kept, one, description)),
  ],
  ["GET", /^\/projects\/42\/merge_requests(?:\/(\d+))?$/, (kept, [one]) => openOrOne(kept, one, asMerge)],
];

const atOf = (kind: string | undefined, number: string | undefined): string =>
  `${kind === "issues" ? "issue" : "pull"} ${number}`;
const asNote = ({ id, body, author }: KeptComment) => ({
  ...{ id, body, system: false, author: { username: author } },
});
const asWorkItem = ({ number, title, body, author }: KeptIssue) => ({
  ...{ iid: number, title, description: body, author: { username: author } },
  web_url: `https://gitlab.example/i/${number}`,
});
const asMerge = ({ number, branch, commit, isOpen, mergeCommit }: KeptPull) => ({
  ...{ iid: number, state: isOpen ? "opened" : "merged", source_branch: branch, sha: commit },
  ...{ merge_commit_sha: mergeCommit ?? null, squash_commit_sha: null },
});

const platforms = {
  github: { routes: github, prefix: "", token: `Bearer ${hostTokens.github}` },
  // A GitLab may be under a path of its host.
  gitlab: { routes: gitlab, prefix: "/gitlab/api/v4", token: `Bearer ${hostTokens.gitlab}` },
};

/** Serves a host with the repository `o/r` (GitHub) or the project 42 (GitLab). */
export async function serveCodeHost(platform: "github" | "gitlab"): Promise<CodeHostServer> {
  const kept: Kept = { platform, comments: [], issues: [], pulls: [], branches: new Map() };
  const { routes, prefix, token } = platforms[platform];
  const server = await serveState((request) => {
    const { RNV_SEEN_REQUESTS: file } = process.env;
    if (file && platform === "github") appendFileSync(file, `${JSON.stringify(request)}\n`);
    const refused = running.refuse?.(request);
    if (refused) return refused;
    if (request.headers.authorization !== token) return answer(401, { message: "Bad credentials" });
    if (!request.headers["user-agent"]?.startsWith("rnv/")) return answer(403, { message: "no user agent" });
    const url = new URL(request.path, "http://host");
    const path = url.pathname.slice(prefix.length);
    for (const [method, pattern, respond, status = 200] of routes) {
      const found = pattern.exec(path);
      if (method !== request.method || !found || !url.pathname.startsWith(prefix)) continue;
      try {
        const made = respond(kept, found.slice(1), request.body === "" ? {} : JSON.parse(request.body));
        if (made === undefined) continue;
        const branch = url.searchParams.get("source_branch") ?? url.searchParams.get("head")?.split(":")[1];
        const isOf = (one: unknown): boolean => !branch || JSON.stringify(one).includes(`"${branch}"`);
        return Array.isArray(made) ? pageOf(made.filter(isOf), url, platform) : answer(status, made);
      } catch (cause) {
        return answer(422, { message: `Validation Failed: ${(cause as Error).message}` });
      }
    }
    if (path === "/user") return answer(403, { message: "Resource not accessible by integration" });
    return answer(404, { message: "Not Found" });
  }, new Map());
  const environment: Readonly<Record<string, string>> =
    platform === "github"
      ? {
          GITHUB_ACTIONS: "true",
          GITHUB_API_URL: server.url,
          GITHUB_SERVER_URL: "https://github.example.com",
          GITHUB_REPOSITORY: "o/r",
          GITHUB_TOKEN: hostTokens.github,
        }
      : {
          GITLAB_CI: "true",
          CI_API_V4_URL: `${server.url}${prefix}`,
          CI_PROJECT_ID: "42",
          CI_PROJECT_URL: "https://gitlab.example.com/gitlab/o/r",
          RNV_GITLAB_TOKEN: hostTokens.gitlab,
        };
  const running: CodeHostServer = Object.assign(server, {
    ...kept,
    addComment: (at: string, author: string, body: string): void => {
      kept.comments.push({ id: ++lastId, at, author, body });
    },
    environment,
    open: ({ clock = systemClock, author }: Parameters<CodeHostServer["open"]>[0] = {}) =>
      createHost(platform, {
        apiUrl: `${server.url}${prefix}`,
        repository: platform === "github" ? "o/r" : "42",
        token: new Secret(hostTokens[platform]),
        author,
        transport: createHttpTransport({ environment }),
        clock,
      }),
  });
  return closing(running);
}

const answer = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): StateAnswer => ({
  status,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});

/** Pages are never longer than 100, and say whether there is another. */
function pageOf(items: readonly unknown[], url: URL, platform: Kept["platform"]): StateAnswer {
  const size = Math.min(100, Number(url.searchParams.get("per_page") ?? 20));
  const page = Number(url.searchParams.get("page") ?? 1);
  const next = page * size < items.length ? String(page + 1) : "";
  const link = `<${url.origin}${url.pathname}?page=${next}>; rel="next"`;
  const headers: Readonly<Record<string, string>> =
    platform === "gitlab" ? { "x-next-page": next } : next === "" ? {} : { link };
  return answer(200, items.slice((page - 1) * size, page * size), headers);
}

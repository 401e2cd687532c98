import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHttpTransport } from "../../../src/api/http-transport";
import { openCodeHost, readJob } from "../../../src/cli/ci-job";
import type { Invocation } from "../../../src/cli/invocation";
import { keepComments } from "../../../src/commands/ci/comments";
import { systemClock } from "../../../src/model/time";
import { serveCodeHost } from "../../support/code-host-server";

const folder = mkdtempSync(join(tmpdir(), "rnv-ci-job-"));
afterAll(() => rmSync(folder, { recursive: true }));

function jobOf(environment: Record<string, string>, payload?: object, pullRequest?: number) {
  const path = join(folder, "event.json");
  if (payload) writeFileSync(path, JSON.stringify(payload));
  const event = payload && { GITHUB_EVENT_PATH: path };
  return readJob({
    environment: { ...environment, ...event },
    cwd: folder,
    options: { pullRequest },
  } as unknown as Invocation);
}

const github = { GITHUB_ACTIONS: "true", GITHUB_SHA: "a".repeat(40) };
const gitlab = { GITLAB_CI: "true", CI_COMMIT_SHA: "a".repeat(40) };
const of = (number: number, action = "synchronize", merged = false) => ({
  action,
  pull_request: { number, merged, head: { sha: "b".repeat(40) } },
});

describe("a job", () => {
  it.each([
    [
      "of a pull request proposes what it plans",
      github,
      of(7),
      { pullRequest: 7, proposes: true, isDecided: false, commit: "b".repeat(40) },
    ],
    [
      "of a merged pull request changes no review",
      github,
      of(7, "closed", true),
      { pullRequest: 7, proposes: false, isDecided: true, commit: "a".repeat(40) },
    ],
    [
      "of a pull request that was given up decides nothing",
      github,
      of(7, "closed"),
      { pullRequest: 7, proposes: false, isDecided: false },
    ],
    [
      "of a comment on a pull request proposes",
      github,
      { action: "created", issue: { number: 8, pull_request: {} } },
      { pullRequest: 8, proposes: true, isDecided: false, commit: undefined },
    ],
    [
      "of a comment on an issue has none",
      github,
      { action: "created", issue: { number: 8 } },
      { proposes: false },
    ],
    [
      "of a push has none",
      { ...github, GITHUB_EVENT_NAME: "push" },
      {},
      { proposes: false, isQueue: false, commit: "a".repeat(40) },
    ],
    [
      "of a push of several commits has those before it, the newest first",
      { ...github, GITHUB_EVENT_NAME: "push" },
      { commits: ["1", "2", "3"].map((digit) => ({ id: digit.repeat(40) })).concat({ id: "../x" }) },
      { earlier: ["3".repeat(40), "2".repeat(40), "1".repeat(40)] },
    ],
    [
      "of a merge queue compares",
      {
        ...github,
        GITHUB_EVENT_NAME: "merge_group",
        GITHUB_REF: `refs/heads/gh-readonly-queue/release/1.x/pr-12-${"c".repeat(40)}`,
      },
      {},
      { pullRequest: 12, isQueue: true, proposes: false },
    ],
    [
      "of a merge request proposes",
      { ...gitlab, CI_MERGE_REQUEST_IID: "9" },
      undefined,
      { pullRequest: 9, proposes: true, isQueue: false, isDecided: false },
    ],
    [
      "of a merge train compares",
      { ...gitlab, CI_MERGE_REQUEST_IID: "9", CI_MERGE_REQUEST_EVENT_TYPE: "merge_train" },
      undefined,
      { pullRequest: 9, proposes: false, isQueue: true },
    ],
    ["of a branch of GitLab has none", gitlab, undefined, { proposes: false, isQueue: false }],
    ["elsewhere has none", { BUILDKITE: "true" }, undefined, { proposes: false, isQueue: false }],
  ])("%s", (_, environment, payload, expected) => {
    const job = jobOf(environment, payload);
    expect(job).toMatchObject(expected);
    expect(job.pullRequest).toBe("pullRequest" in expected ? expected.pullRequest : undefined);
  });

  it("is of the pull request that is given, whatever it says", () => {
    const queue = {
      ...github,
      GITHUB_EVENT_NAME: "merge_group",
      GITHUB_REF: "refs/heads/gh-readonly-queue/main/pr-12-c",
    };
    expect(jobOf(queue, {}, 3)).toMatchObject({
      pullRequest: 3,
      proposes: true,
      isQueue: false,
      isDecided: true,
    });
  });

  it("without the payload that it names is an error", () => {
    expect(() => jobOf({ ...github, GITHUB_EVENT_PATH: join(folder, "missing.json") })).toThrow();
  });
});

it("keeps one comment of several: two jobs at once wrote one each", async () => {
  const server = await serveCodeHost("github");
  const parts = { transport: createHttpTransport(), clock: systemClock, random: () => 0, userAgent: "rnv/1" };
  const host = openCodeHost(server.environment, parts).host as NonNullable<
    ReturnType<typeof openCodeHost>["host"]
  >;
  const at = { kind: "pull request", number: 7 } as const;
  const marker = "<!-- rnv plan manifest=rnv.yaml stack= stage= -->";
  const keep = (text: string, isQuiet = false) =>
    keepComments(host, at, [{ marker, body: `${marker}\n${text}`, isQuiet }]);
  try {
    await keep("quiet", true);
    expect(server.comments).toEqual([]);
    await Promise.all([keep("one"), keep("two")]);
    expect(server.comments).toHaveLength(2);
    await keep("three");
    expect(server.comments.map(({ body }) => body.replace(marker, "M"))).toEqual([
      "M\nthree",
      expect.stringContaining("out of date"),
    ]);
    const writes = () => server.seen.filter(({ method }) => method !== "GET").length;
    const before = writes();
    await keep("three");
    expect(writes()).toBe(before);
    await keep("quiet", true);
    expect(server.comments[0]?.body).toBe(`${marker}\nquiet`);
  } finally {
    await host.close();
    await server.close();
  }
});

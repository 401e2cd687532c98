import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withHost } from "../../../src/cli/ci/host";
import { readJob } from "../../../src/cli/ci/job";
import type { Screen } from "../../../src/cli/screen";
import { createTerminal } from "../../../src/cli/terminal";
import { keepComments } from "../../../src/commands/ci/comments";
import { serveCodeHost } from "../../support/code-host-server";
import { casesIn } from "../../support/rows";
import { newFolder } from "../../support/temp-folder";
import { fakeStreams } from "./fake-streams";

const folder = newFolder("ci-job");

function jobOf(environment: Record<string, string>, payload?: object, pullRequest?: number) {
  const path = join(folder, "event.json");
  if (payload) writeFileSync(path, JSON.stringify(payload));
  const event = payload && { GITHUB_EVENT_PATH: path };
  return readJob({ environment: { ...environment, ...event }, cwd: folder }, pullRequest);
}

const commit = "a".repeat(40);
const github = { GITHUB_ACTIONS: "true", GITHUB_SHA: commit };
const push = { ...github, GITHUB_EVENT_NAME: "push" };
const queueOf = (branch: string) => ({
  ...{ ...github, GITHUB_EVENT_NAME: "merge_group" },
  GITHUB_REF: `refs/heads/gh-readonly-queue/${branch}/pr-12-${"c".repeat(40)}`,
});
const gitlab = { GITLAB_CI: "true", CI_COMMIT_SHA: commit };
const request = { ...gitlab, CI_MERGE_REQUEST_IID: "9" };
const train = { ...request, CI_MERGE_REQUEST_EVENT_TYPE: "merge_train" };
const head = "b".repeat(40);
const of = (number: number, action = "synchronize", merged = false) => ({
  action,
  pull_request: { number, merged, head: { sha: head } },
});
const told = (issue: object) => ({ action: "created", issue: { number: 8, ...issue } });
const pushed = { commits: ["1", "2", "3", "."].map((digit) => ({ id: digit.repeat(40) })) };
const earlier = ["3", "2", "1"].map((digit) => digit.repeat(40));
const [proposes, isQueue, isDecided] = [true, true, true];
const [listens, alone, open] = [{ proposes: false }, { isQueue: false }, { isDecided: false }];

describe("a job", () => {
  it.each([
    ["proposes for a pull request", github, of(7), { pullRequest: 7, proposes, ...open, commit: head }],
    [
      "listens for a merged pull request",
      github,
      of(7, "closed", true),
      { pullRequest: 7, ...listens, isDecided, commit },
    ],
    [
      "listens for a pull request that was given up",
      github,
      of(7, "closed"),
      { pullRequest: 7, ...listens, ...open },
    ],
    [
      "proposes for a comment on a pull request",
      github,
      told({ pull_request: {} }),
      { pullRequest: 8, proposes, ...open, commit: undefined },
    ],
    ["has no pull request for a comment on an issue", github, told({}), listens],
    ["has no pull request for a push", push, {}, { ...listens, ...alone, commit }],
    ["has the earlier commits for a push of several commits, the newest first", push, pushed, { earlier }],
    ["compares in a merge queue", queueOf("release/1.x"), {}, { pullRequest: 12, isQueue, ...listens }],
    ["proposes for a merge request", request, undefined, { pullRequest: 9, proposes, ...alone, ...open }],
    ["compares in a merge train", train, undefined, { pullRequest: 9, ...listens, isQueue }],
    ["has no pull request for a branch of GitLab", gitlab, undefined, { ...listens, ...alone }],
    ["has no pull request elsewhere", { BUILDKITE: "true" }, undefined, { ...listens, ...alone }],
  ])("%s", (_, environment, payload, expected) => {
    const job = jobOf(environment, payload);
    expect(job).toMatchObject(expected);
    expect(job.pullRequest).toBe("pullRequest" in expected ? expected.pullRequest : undefined);
  });

  it("takes the pull request that is given, whatever its environment says", () => {
    const given = { pullRequest: 3, proposes, ...alone, isDecided };
    expect(jobOf(queueOf("main"), {}, 3)).toMatchObject(given);
  });

  it("is an error where the payload that it names is missing", () => {
    expect(() => jobOf({ ...github, GITHUB_EVENT_PATH: join(folder, "missing.json") })).toThrow();
  });
});

it("keeps one comment of several: two jobs at once wrote one each", async () => {
  const server = await serveCodeHost("github");
  const host = server.open();
  const marker = "<!-- rnv plan manifest=rnv.yaml stack= stage= -->";
  const keep = (text: string, isQuiet = false) =>
    keepComments(host, 7, [{ body: `${marker}\n${text}`, isQuiet }]);
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

describe("opening the host of a job", () => {
  const onGithub = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "o/r" };

  function screenOf(environment: Record<string, string>) {
    const streams = fakeStreams();
    const terminal = createTerminal(streams, { environment, noColor: true });
    const { signal } = new AbortController();
    const screen: Screen = { terminal, environment, cwd: folder, format: "text", input: false, signal };
    return { screen, streams };
  }

  it.each(casesIn<[string, Record<string, string>, readonly string[]]>(join(__dirname, "without-host.json")))(
    "writes files only for %s, and says why",
    async (_, environment, why) => {
      const { screen, streams } = screenOf(environment);
      expect(await withHost(screen, async () => "open")).toBeUndefined();
      const found = [...streams.stderr.text.matchAll(/^warning.*not notified of this run: (.*)/gm)];
      expect(found.map(([, reason]) => reason)).toEqual(why);
    },
  );

  it.each(["http://api.example.com", "https://user@host", "nonsense"])(
    "sends no token to %s",
    async (GITHUB_API_URL) => {
      const { screen } = screenOf({ ...onGithub, GITHUB_TOKEN: "t", GITHUB_API_URL });
      await expect(withHost(screen, async () => "open")).rejects.toThrow();
    },
  );
});

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

/** Title, environment, payload and fields of a job; null: it has none. */
type JobCase = readonly [string, Record<string, string>, object | null, Record<string, unknown>];

const github = { GITHUB_ACTIONS: "true", GITHUB_SHA: "a".repeat(40) };

describe("a job", () => {
  it.each(casesIn<JobCase>(join(__dirname, "jobs.json")))("%s", (_, environment, payload, expected) => {
    const job = jobOf(environment, payload ?? undefined);
    const names = Object.keys(expected) as (keyof typeof job)[];
    expect(Object.fromEntries(names.map((name) => [name, job[name] ?? null]))).toEqual(expected);
  });

  it("takes the pull request that is given, whatever its environment says", () => {
    const queue = {
      GITHUB_EVENT_NAME: "merge_group",
      GITHUB_REF: "refs/heads/gh-readonly-queue/main/pr-12-c",
    };
    const given = { pullRequest: 3, proposes: true, isQueue: false, isDecided: true };
    expect(jobOf({ ...github, ...queue }, {}, 3)).toMatchObject(given);
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

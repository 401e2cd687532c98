import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import os, { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { readJob, startedBy, untrustedJob } from "../../../src/cli/ci/job";
import { commitAt } from "../../../src/declaration/git";
import { textIn } from "../../support/rows";
import { newFolder } from "../../support/temp-folder";

const folder = newFolder("job");
const names = { sha: "0123456789".repeat(4), host: hostname(), user: userInfo().username };
const startedJobs: readonly [string, Record<string, string>, object][] = JSON.parse(
  textIn(join(__dirname, "started-by.json"), names),
);

it.each(startedJobs)("%s says who runs what", (_, environment, expected) => {
  expect(startedBy({ environment, cwd: folder }, [])).toEqual(expected);
});

it.each([
  [{ USER: "ada" }, "ada"],
  [{}, "unknown"],
])("a container whose user is a number without a name says %j", (environment, name) => {
  const nameless = jest.spyOn(os, "userInfo").mockImplementation(() => {
    throw new Error("uv_os_get_passwd returned ENOENT");
  });
  try {
    expect(startedBy({ environment, cwd: folder }, [])).toEqual({ by: `${name}@${hostname()}` });
  } finally {
    nameless.mockRestore();
  }
});

it("the commit is that of the repository of the manifest: checked out as a branch, packed, detached, in a worktree", () => {
  const repository = join(folder, "repository");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", HOME: folder },
    }).trim();
  execFileSync("git", ["init", "-q", repository]);
  expect(commitAt(repository)).toBeUndefined();
  writeFileSync(join(repository, "rnv.yaml"), "projects: {}\n");
  git("add", ".");
  git("commit", "-qm", "one");
  const one = git("rev-parse", "HEAD");
  expect(commitAt(repository)).toBe(one);
  git("pack-refs", "--all");
  expect(commitAt(join(repository, "below"))).toBe(one);
  git("worktree", "add", "-q", join(folder, "worktree"), "-b", "feature/x");
  expect(startedBy({ environment: {}, cwd: folder }, ["worktree/rnv.yaml"]).commit).toBe(one);
  git("checkout", "-q", "--detach");
  git("commit", "-qm", "two", "--allow-empty");
  expect(commitAt(repository)).toBe(git("rev-parse", "HEAD"));
  expect(commitAt(join(folder, "worktree"))).toBe(one);
});

describe("the work of a stranger", () => {
  const file = join(folder, "event.json");
  const of = (event: string, payload: unknown) => {
    writeFileSync(file, JSON.stringify(payload));
    return untrustedJob({
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: file,
    });
  };
  const pull = (head: unknown) => ({ pull_request: { head, base: { repo: { full_name: "acme/shop" } } } });
  const own = { repo: { full_name: "acme/shop" } };

  it.each(["pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"])(
    "is a %s from a fork, from a fork that is gone, and from a fork that cannot be read",
    (event) => {
      expect(of(event, pull(own))).toBeUndefined();
      for (const head of [{ repo: { full_name: "stranger/shop" } }, { repo: null }, undefined])
        expect(of(event, pull(head))).toBe(
          `This pull request ${head?.repo ? "comes" : "may come"} from a fork`,
        );
      expect(of(event, "nothing")).toBe("This pull request may come from a fork");
    },
  );

  it("is a comment on a pull request, and what follows a run of a fork; a push and an issue are not", () => {
    expect(of("issue_comment", { issue: { pull_request: { url: "x" } } })).toContain("may come from a fork");
    expect(of("issue_comment", { issue: {} })).toBeUndefined();
    expect(of("workflow_run", { workflow_run: { head_repository: { full_name: "a/b" } } })).toBeDefined();
    expect(
      of("workflow_run", { workflow_run: { head_repository: { full_name: "acme/shop" } } }),
    ).toBeUndefined();
    for (const event of ["push", "merge_group", "schedule", "workflow_dispatch"])
      expect(of(event, {})).toBeUndefined();
  });

  it("is a merge request of another project of GitLab", () => {
    const job = (source?: string) =>
      untrustedJob({ GITLAB_CI: "true", CI_PROJECT_ID: "1", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source });
    const fork = "This merge request comes from a fork";
    expect([job(), job("1"), job("2")]).toEqual([undefined, undefined, fork]);
    // Its pipeline may run there, where the number is that of another merge request.
    const inFork = { GITLAB_CI: "true", CI_PROJECT_ID: "2", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2" };
    const environment = { ...inFork, CI_MERGE_REQUEST_PROJECT_ID: "1", CI_MERGE_REQUEST_IID: "7" };
    expect(untrustedJob(environment)).toBe(fork);
    expect(readJob({ environment, cwd: folder }).pullRequest).toBeUndefined();
  });
});

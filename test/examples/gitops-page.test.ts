import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { builtCli } from "../support/built-cli";
import { openScenario } from "../support/cli";
import { serveCodeHost } from "../support/code-host-server";
import { settingsOf } from "../support/settings";
import { shareOf } from "../support/soak";
import { stepsIn, workflowOf } from "../support/workflow";

const root = join(__dirname, "..", "..");
const page = readFileSync(join(root, "docs/cli/gitops.md"), "utf8");
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
const secrets = {
  RNV_STATE_KEY: "5a".repeat(32),
  SHOP_DATABASE_URL: "postgres://example",
  SHOP_QUEUE_TOKEN: "token",
};
const merged = "a".repeat(40);

/** The script of each job that runs rnv, as a list of commands. */
function jobsIn(folder: string, platform: "github" | "gitlab"): Record<string, string> {
  const read = (file: string) => parse(readFileSync(join(folder, file), "utf8"));
  if (platform === "gitlab")
    return Object.fromEntries(
      Object.entries(read(".gitlab-ci.yml")).flatMap(([name, job]) => {
        const { script, variables = {} } = job as { script?: string[]; variables?: object };
        const given = Object.entries(variables).map(([key, value]) => `export ${key}=${value}`);
        return script ? [[name, [...given, ...script].join("\n")]] : [];
      }),
    );
  const files = readdirSync(join(folder, ".github/workflows"));
  const runs = (file: string) =>
    stepsIn(workflowOf(join(folder, ".github/workflows", file))).flatMap(({ run = "" }) =>
      /npx rnv/.test(run) ? run : [],
    );
  return Object.fromEntries(files.map((file) => [file.replace(".yml", ""), runs(file).join("\n")]));
}

it.each(shareOf(["github", "gitlab"] as const, 2))(
  "the page of two stages leads from nothing to all jobs on %s",
  async (platform) => {
    const [scenario, host] = await Promise.all([openScenario(), serveCodeHost(platform)]);
    const bin = join(scenario.folder, "bin");
    mkdirSync(bin);
    const program = (name: string, text: string) =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program("npx", `[ "$1" = --no-install ] && shift\nshift\nexec ${process.execPath} ${builtCli()} "$@"`);
    program("npm", `mkdir node_modules && ln -s ${root} node_modules/terraform-provider-rnv`);
    const base = {
      ...{
        PATH: `${bin}:${process.env.PATH}`,
        HOME: scenario.folder,
        REPOSITORY: join(scenario.folder, "origin.git"),
      },
      ...{
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b.c",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b.c",
      },
    };
    const bash = (script: string, cwd: string, env: Record<string, string> = {}) =>
      new Promise<{ code: number; said: string }>((settle) => {
        const options = { cwd, env: { ...base, ...env }, encoding: "utf8" } as const;
        execFile("bash", ["-ec", script], options, (failed, stdout, stderr) =>
          settle({ code: Number(failed?.code ?? 0), said: stdout + stderr }),
        );
      });
    const name = { github: "GitHub", gitlab: "GitLab" };
    const script = blocks
      .filter((block) => !/^# Git/.test(block) || block.startsWith(`# ${name[platform]}\n`))
      .join("");
    expect(script.split("\n").filter((line) => /^[a-z]/.test(line)).length).toBeLessThanOrEqual(15);
    const { code, said } = await bash(`git init -q --bare origin.git\n${script}`, scenario.folder);
    expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
    expect(said).toContain("6 tests: 6 passed");
    expect(said).toContain("Plan: 10 to add");

    const folder = join(scenario.folder, "shop");
    const jobs = jobsIn(folder, platform);
    expect(Object.keys(jobs).sort()).toEqual(["apply", "drift", "plan", "preview", "sweep"]);
    const event = (payload: object): string => {
      writeFileSync(join(scenario.folder, "event.json"), JSON.stringify(payload));
      return join(scenario.folder, "event.json");
    };
    const pull = {
      number: 7,
      merged: false,
      head: { sha: merged, repo: { full_name: "o/r" } },
      base: { repo: { full_name: "o/r" } },
    };
    const job = (of: string, proposes: boolean) => {
      const ofPull: Record<string, string> = proposes
        ? {
            CI_MERGE_REQUEST_IID: "7",
            GITHUB_EVENT_NAME: "pull_request",
            GITHUB_EVENT_PATH: event({ pull_request: pull }),
          }
        : { GITHUB_EVENT_NAME: "push", GITHUB_EVENT_PATH: event({}) };
      return bash(jobs[of] ?? "", folder, {
        ...{
          ...host.environment,
          ...settingsOf(scenario.url),
          ...ofPull,
          ...(of === "plan" ? { RNV_STATE_KEY: secrets.RNV_STATE_KEY } : secrets),
        },
        ...{
          SHOP_STATE: join(scenario.folder, "states"),
          SHOP_REGION: "lagos",
          GITHUB_SHA: merged,
          CI_COMMIT_SHA: merged,
        },
        // As the expressions of the workflows fill them in.
        ...(platform === "github" && {
          REVIEW: "--all-stages",
          RNV_STAGE: of === "preview" ? "preview/7" : "",
        }),
      });
    };
    const finished = () => {
      for (const { id } of scenario.emulator.store.services()) scenario.emulator.store.completeCheckout(id);
    };
    const projects = () => scenario.emulator.store.projects().map(({ name }) => name);
    host.pulls.push({ number: 7, branch: "first", commit: merged, isOpen: true, commits: [merged] });
    expect(await job("plan", true)).toMatchObject({ code: 0 });
    expect(host.comments.map(({ body }) => /stage=\w+/.exec(body)?.[0])).toEqual([
      "stage=staging",
      "stage=production",
    ]);
    expect(await job("preview", true)).toMatchObject({ code: 0 });
    expect(projects()).toEqual(["shop-pr-7"]);
    host.pulls.splice(0, 1, {
      number: 7,
      branch: "first",
      commit: merged,
      isOpen: false,
      commits: [merged],
      mergeCommit: merged,
    });
    await job("apply", false);
    finished();
    await job("apply", false);
    finished();
    expect(await job("apply", false)).toMatchObject({ code: 0 });
    expect(projects().sort()).toEqual(["Shop", "Shop (staging)", "shop-pr-7"]);
    expect(await job("sweep", false)).toMatchObject({ code: 0 });
    expect(projects().sort()).toEqual(["Shop", "Shop (staging)"]);
    expect(await job("drift", false)).toMatchObject({
      code: 0,
      said: expect.stringContaining("2 stages: 2 no drift"),
    });
  },
);

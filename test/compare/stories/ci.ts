import { type CodeHostServer, serveCodeHost } from "../../support/code-host-server";
import type { Step, Story, World } from "../world";
import { approve, shop, web } from "./shop";

const merged = "a".repeat(40);
const manifest = (branch: string): string => shop({ api: web(`branch: ${branch}`, "variables: { A: one }") });

/** A job on GitHub or GitLab: what it prints, writes and says to the host. */
class Job {
  private constructor(
    private readonly world: World,
    private readonly platform: "github" | "gitlab",
    readonly host: CodeHostServer,
  ) {}

  static async open(world: World, platform: "github" | "gitlab", isOpen = false): Promise<Job> {
    const host = world.keep(await serveCodeHost(platform));
    world.names.place(host.url, "<code host>");
    host.pulls.push({
      ...{ number: 7, branch: "change", commit: "b".repeat(40), isOpen },
      ...{ commits: [merged], mergeCommit: merged },
    });
    return new Job(world, platform, host);
  }

  async run(on: "pull request" | "main", ...args: readonly string[]): Promise<Step> {
    const { world, host } = this;
    const isPull = on === "pull request";
    const event = isPull ? { action: "synchronize", pull_request: { number: 7 } } : {};
    world.write("home/event.json", JSON.stringify(event));
    const env: Record<string, string> = {
      ...host.environment,
      RNV_STATE_KEY: "ab".repeat(32),
      RNV_STATE: "state.json",
      ...(this.platform === "github"
        ? {
            GITHUB_EVENT_NAME: isPull ? "pull_request" : "push",
            GITHUB_SHA: merged,
            GITHUB_EVENT_PATH: `${world.folder}/home/event.json`,
            GITHUB_OUTPUT: `${world.folder}/output.txt`,
            GITHUB_STEP_SUMMARY: `${world.folder}/summary.md`,
          }
        : { CI_COMMIT_SHA: merged, ...(isPull && { CI_MERGE_REQUEST_IID: "7" }) }),
    };
    const step = await world.rnvWith({ env }, "ci", ...args);
    const comments = host.comments.map(({ at, author, body }) => ({ at, author, body }));
    const issues = host.issues.map(({ title, body, isOpen }) => ({ title, body, isOpen }));
    Object.assign(step.files, { "code host": world.names.value({ comments, issues }) });
    world.remove("output.txt");
    world.remove("summary.md");
    return step;
  }
}

const review = (platform: "github" | "gitlab"): Story => ({
  name: `a reviewed plan on ${platform}`,
  play: async (world) => {
    const job = await Job.open(world, platform);
    world.write("rnv.yaml", manifest("main"));
    await job.run("pull request", "plan", "--report", "report");
    await job.run("main", "apply", "--parallelism", "1");
    await job.run("main", "apply");
    world.write("rnv.yaml", manifest("release"));
    await job.run("pull request", "plan", "--report", "report");
    world.store.editConfiguration(world.service("api").id, { branch: "hotfix" });
    await job.run("main", "apply");
    await job.run("pull request", "plan", "--report", "report");
    await job.run("main", "apply", "--parallelism", "1");
    await job.run("pull request", "plan");
  },
});

const drift = (platform: "github" | "gitlab"): Story => ({
  name: `a drift job on ${platform}`,
  play: async (world) => {
    const job = await Job.open(world, platform);
    world.write("rnv.yaml", manifest("main"));
    await world.rnv("apply", "--state", "state.json", ...approve);
    await job.run("main", "drift", "--report", "drift", "-json");
    world.store.editConfiguration(world.service("api").id, { branch: "hotfix" });
    await job.run("main", "drift", "--report", "drift", "--metrics", "rnv.prom");
    world.store.editConfiguration(world.service("api").id, { branch: "main" });
    await job.run("main", "drift", "-json");
  },
});

/** Jobs of pull requests and of a schedule. */
export const ciStories: readonly Story[] = [
  review("github"),
  review("gitlab"),
  drift("github"),
  drift("gitlab"),
  {
    name: "sweep the previews of closed pull requests",
    play: async (world) => {
      const job = await Job.open(world, "github", true);
      const id = "$" + "{stage.id}";
      world.write(
        "rnv.yaml",
        `stages: { preview: { each: true, disposable: true } }\nprojects: { shop: { name: "shop-${id}" } }\n`,
      );
      for (const instance of ["7", "8", "demo"])
        await world.rnv("apply", "--stage", `preview/${instance}`, ...approve);
      await job.run("main", "sweep", "--stage", "preview", "--dry-run");
      await job.run("main", "sweep", "--stage", "preview", "-json");
    },
  },
];

import { join } from "node:path";
import { jobKey, mainJob, pullRequestJob } from "../support/ci-jobs";
import { approve, type CliRun, openScenario, printing, type Scenario } from "../support/cli";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";
import { textIn } from "../support/rows";
import { shareOf } from "../support/soak";

type Team = "shop" | "docs";

/** The token of the shop as production has it; the job of a pull request has none. */
const tokens = { first: "7hFirstTokenOfProduction", rotated: "7hRotatedTokenOfProduction" };

const preview = (team: Team, service: string, more = "") => `projects:
  ${team}: { name: "${team}-\${stage.id}", services: { ${service}: { name: "${service}-\${stage.id}"${more} } } }
`;

interface Shop {
  readonly branch: string;
  readonly level: string;
  readonly replicas: number;
}
const shopManifest = ({ branch, level, replicas }: Shop) =>
  textIn(join(__dirname, "two-days-shop.yaml"), { branch, level, replicas });
const docsManifest = (branch: string) => textIn(join(__dirname, "two-days-docs.yaml"), { branch });
/** A manifest without resources. */
const empty = docsManifest("main").replace(/^projects:[\s\S]*/m, "projects: {}\n");

/** What main holds, by team. */
type Tree = Readonly<Record<Team, string>>;

/** A repository of two teams on a code host, with the jobs that its workflows run. */
class Repository {
  main: Tree = { shop: empty, docs: empty };
  token = tokens.first;
  actor = "ada";
  readonly #merged = new Map<number, Tree>();

  constructor(
    readonly scenario: Scenario,
    readonly host: CodeHostServer,
  ) {
    scenario.write("shop/preview.yaml", preview("shop", "api", ", variables: { TOKEN: for-previews-only }"));
    scenario.write("docs/preview.yaml", preview("docs", "site"));
  }

  /** A pull request of a team is opened, or pushed to: its job plans production and applies the preview. */
  async propose(number: number, team: Team, manifest: string): Promise<{ plan: CliRun; preview: CliRun }> {
    this.#pull(number, true);
    const branch = { ...this.main, [team]: manifest };
    const job = pullRequestJob(this.scenario, this.host, number);
    const plan = await this.#job(branch, team, job, "ci", "plan", "--stage", "production", "--no-secrets");
    const stage = ["--stage", `preview/${number}`];
    const made = await this.#job(branch, team, job, "apply", ...stage, ...approve);
    return { plan, preview: made };
  }

  /** It is merged: the jobs of main apply both manifests, and the previews of closed pull requests are swept. */
  async merge(number: number, team: Team, manifest: string): Promise<Readonly<Record<Team, CliRun>>> {
    this.main = { ...this.main, [team]: manifest };
    this.#merged.set(number, this.main);
    this.#pull(number, false);
    const applied = await this.apply(number);
    for (const one of ["shop", "docs"] as const)
      expect(await this.#job(this.main, one, {}, "ci", "sweep", "--stage", "preview")).toMatchObject({
        code: 0,
      });
    return applied;
  }

  /** The jobs of the commit that a pull request was merged with, once or again. */
  async apply(number: number): Promise<Readonly<Record<Team, CliRun>>> {
    const tree = this.#merged.get(number) ?? this.main;
    const job = mainJob(this.scenario, this.host, commitOf(number));
    const secrets = { SHOP_TOKEN: this.token };
    const run = (team: Team) =>
      this.#job(tree, team, { ...job, ...secrets }, "ci", "apply", "--stage", "production");
    return { shop: await run("shop"), docs: await run("docs") };
  }

  /** A verb by hand, on main. */
  async byHand(team: Team, ...words: readonly string[]): Promise<CliRun> {
    return this.#job(this.main, team, { SHOP_TOKEN: this.token }, ...words, "--stage", "production");
  }

  /** Our comments on a pull request, without their hidden lines. */
  comments(number: number): string {
    const found = this.host.comments.filter(({ at }) => at === `pull ${number}`);
    return found.map(({ body }) => body.replace(/^<!-- .*\n/gm, "")).join("\n");
  }

  #pull(number: number, isOpen: boolean): void {
    const { pulls } = this.host;
    const at = pulls.findIndex((one) => one.number === number);
    const commit = commitOf(number);
    const merge = isOpen ? {} : { mergeCommit: commit };
    const pull = { number, isOpen, branch: `change-${number}`, commit: "b".repeat(40), ...merge };
    pulls.splice(at < 0 ? pulls.length : at, 1, { ...pull, commits: isOpen ? [] : [commit] });
  }

  #job(
    tree: Tree,
    team: Team,
    job: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): Promise<CliRun> {
    const { scenario, host } = this;
    for (const one of ["shop", "docs"] as const) scenario.write(`${one}/rnv.yaml`, tree[one]);
    const who = { GITHUB_ACTOR: this.actor, GITLAB_USER_LOGIN: this.actor };
    const root = { GITHUB_WORKSPACE: scenario.folder, CI_PROJECT_DIR: scenario.folder };
    const env = { ...host.environment, ...jobKey, ...who, ...root, ...job };
    return scenario.runWith({ env }, `-chdir=${team}`, ...words);
  }
}

const commitOf = (number: number): string => String(number % 10).repeat(40);

/** DESIGN section 15: what was reviewed is what is applied, and a preview is only destroyed by its owner. */
describe.each(shareOf(["github", "gitlab"] as const, 2))(
  "two days of two teams in one repository on %s",
  (platform) => {
    let at: Repository;
    beforeAll(async () => {
      const [scenario, host] = await Promise.all([openScenario(), serveCodeHost(platform)]);
      at = new Repository(scenario, host);
    });

    const liveValue = (key: string) => at.scenario.valueOf(key, "api");
    const done = { code: 0 };
    const first = shopManifest({ branch: "main", level: "info", replicas: 1 });
    const louder = shopManifest({ branch: "main", level: "debug", replicas: 1 });
    const wider = shopManifest({ branch: "main", level: "debug", replicas: 2 });
    const broken = shopManifest({ branch: "next", level: "debug", replicas: 2 });
    const fixed = shopManifest({ branch: "next", level: "warn", replicas: 2 });

    it("day one, 9:00: both teams open their first pull request, and each has a preview", async () => {
      expect(await at.propose(1, "shop", first)).toMatchObject({ plan: done, preview: done });
      expect(await at.propose(2, "docs", docsManifest("main"))).toMatchObject({ plan: done, preview: done });
      expect(at.scenario.names()).toEqual(["api-1", "site-2"]);
      expect(at.comments(1)).toContain("**Plan: 5 to add, 0 to change, 0 to destroy.**");
      expect(at.comments(2)).toContain("**Plan: 3 to add, 0 to change, 0 to destroy.**");
    });

    it("day one, 10:00: the first is merged: its team's production is made, its preview goes, the other stays", async () => {
      expect(await at.merge(1, "shop", first)).toEqual({
        shop: expect.objectContaining(printing(0, "5 added")),
        docs: expect.objectContaining(done),
      });
      expect(at.scenario.names()).toEqual(["api", "site-2"]);
      expect(liveValue("TOKEN")).toBe(tokens.first);
      expect(at.comments(1)).toContain("**Applied.**");
      expect(await at.merge(2, "docs", docsManifest("main"))).toMatchObject({ shop: done, docs: done });
      expect(at.scenario.names()).toEqual(["api", "site"]);
      expect(at.comments(2)).toContain("**Applied.**");
    });

    it("day one, 14:00: pull requests of both teams are reviewed, and merged in the other order", async () => {
      at.scenario.settle();
      await at.propose(3, "shop", louder);
      expect(at.comments(3)).toContain('- value: "info"\n+ value: "debug"');
      await at.propose(4, "docs", docsManifest("next"));
      expect(await at.merge(4, "docs", docsManifest("next"))).toMatchObject({ shop: done, docs: done });
      expect(await at.merge(3, "shop", louder)).toMatchObject({ shop: done, docs: done });
      expect(liveValue("LOG_LEVEL")).toBe("debug");
    });

    it("day one, 17:00: the token is rotated between a review and its merge, and is deployed with it", async () => {
      at.scenario.settle();
      await at.propose(5, "shop", wider);
      expect(at.comments(5)).toContain("This run cannot read 1 value");
      at.token = tokens.rotated;
      expect(await at.merge(5, "shop", wider)).toMatchObject({ shop: done });
      expect(liveValue("TOKEN")).toBe(tokens.rotated);
      for (const team of ["shop", "docs"] as const)
        expect(await at.byHand(team, "plan", "-detailed-exitcode")).toMatchObject(done);
    });

    it("day two, 9:00: a deployment fails; the other team's merges are applied meanwhile", async () => {
      at.scenario.settle();
      at.actor = "grace";
      await at.propose(6, "shop", broken);
      at.scenario.emulator.store.failNextDeployment(
        at.scenario.idOf("api"),
        "npm ERR! missing script: build",
      );
      expect(await at.merge(6, "shop", broken)).toMatchObject({ shop: { code: 7 }, docs: done });
      expect(at.comments(6)).toContain("npm ERR! missing script: build (exit 7)");
      await at.propose(7, "docs", docsManifest("main"));
      const later = await at.merge(7, "docs", docsManifest("main"));
      expect(later.docs).toMatchObject(done);
      // The shop's part of that commit was reviewed with pull request 6, whose job is run again where it is wanted.
      expect(later.shop).toMatchObject({ code: 5 });
    });

    it("day two, 10:00: it is reverted, and its job that someone runs again does not bring it back", async () => {
      at.scenario.settle();
      await at.propose(8, "shop", wider);
      expect(at.comments(8)).toMatch(/branch.*"next"[\s\S]*"main"/);
      expect(await at.merge(8, "shop", wider)).toMatchObject({ shop: done, docs: done });
      expect(await at.byHand("shop", "plan", "-detailed-exitcode")).toMatchObject(done);
      at.scenario.forget();
      const again = await at.apply(6);
      expect(again.shop).toMatchObject({ code: 5 });
      expect(at.scenario.requests()).toEqual([]);
    });

    it("day two, 15:00: it comes again, repaired, and its preview goes with it", async () => {
      at.scenario.settle();
      await at.propose(9, "shop", fixed);
      expect(at.scenario.names()).toEqual(["api", "api-9", "site"]);
      expect(await at.merge(9, "shop", fixed)).toMatchObject({ shop: done, docs: done });
      expect(at.scenario.names()).toEqual(["api", "site"]);
      expect(liveValue("LOG_LEVEL")).toBe("warn");
    });

    it("in the evening nothing is left to do, the history tells who did what, and no comment has a token", async () => {
      for (const team of ["shop", "docs"] as const) {
        expect(await at.byHand(team, "plan", "-detailed-exitcode")).toMatchObject(done);
        expect(await at.byHand(team, "drift")).toMatchObject(done);
      }
      const runs = JSON.parse((await at.byHand("shop", "history", "-json")).stdout).runs;
      expect(runs.map((run: { by: string; exit_code: number }) => [run.by, run.exit_code])).toEqual([
        ...[
          ["grace", 0],
          ["grace", 0],
          ["grace", 7],
        ],
        ...[
          ["ada", 0],
          ["ada", 0],
          ["ada", 0],
        ],
      ]);
      expect(runs[0].pull_requests).toEqual([platform === "gitlab" ? "!9" : "#9"]);
      for (const { body } of at.host.comments)
        expect(body).not.toMatch(/7h(?:First|Rotated)Token|for-previews/);
    });
  },
);

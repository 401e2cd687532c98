// Reads that are older than the record, states that two repositories share, and values that change after their review.
// What happens is recorded in `beforeAll`; the first test of each group checks that it happened as meant.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticsError } from "../../src/diagnostics/diagnostic";
import type { Lags } from "../../src/emulator/lag";
import { approve, type CliRun, openScenario, type Scenario } from "../support/cli";
import { serveCodeHost } from "../support/code-host-server";
import { createWorkbench, type Workbench } from "../support/workbench";

const stateKey = { RNV_STATE_KEY: "ab".repeat(32) };
const merged = "a".repeat(40);
const open = "$" + "{";

describe("reads older than the record, three minutes after the write", () => {
  const shop = (replicas: number) =>
    `projects:\n  shop:\n    services:\n      api: { kind: web, configuration: { repository: "https://git.example.com/shop/api", replicas: ${replicas} } }\n`;
  const hour = 3_600_000;
  const olderList: Lags = { canvas: { ms: hour } };
  const olderReads: Lags = { canvas: { ms: hour }, service: { ms: hour } };
  const benches: Workbench[] = [];

  /** Applies one replica, then two that `lags` hides, and runs `act` three minutes later. */
  async function afterThreeMinutes(lags: Lags, act: (bench: Workbench) => Promise<{ exitCode: number }>) {
    const bench = createWorkbench();
    benches.push(bench);
    bench.write("rnv.yaml", shop(1));
    const { exitCode: first } = await bench.apply();
    bench.clock.advance(hour);
    const { store } = bench.emulator;
    store.setLag(lags);
    bench.write("rnv.yaml", shop(2));
    const { exitCode: second } = await bench.apply();
    const service = () => store.services()[0];
    const before = { setUp: [first, second], live: service()?.configuration.replicas };
    bench.clock.advance(3 * 60_000);
    bench.emulator.resetLog();
    const behind = store.answersBehind();
    const { exitCode } = await act(bench).catch((failure: unknown) => {
      if (failure instanceof DiagnosticsError) return failure;
      throw failure;
    });
    return {
      ...before,
      exitCode,
      answersBehind: store.answersBehind() - behind,
      writes: bench.writes().map((write) => write.replace(/[0-9a-f-]{36}/g, "ID")),
      replicas: service()?.configuration.replicas,
      deployments: store.deployments(service()?.id ?? "").length,
    };
  }
  const drift = (bench: Workbench) => bench.drift();
  const apply = (bench: Workbench) => bench.apply();
  const revert = (bench: Workbench) => {
    bench.write("rnv.yaml", shop(1));
    return bench.apply();
  };
  const seen: Record<
    "drift" | "apply" | "revert" | "stale",
    Awaited<ReturnType<typeof afterThreeMinutes>>
  > = {} as never;
  beforeAll(async () => {
    seen.drift = await afterThreeMinutes(olderList, drift);
    seen.apply = await afterThreeMinutes(olderList, apply);
    seen.revert = await afterThreeMinutes(olderList, revert);
    seen.stale = await afterThreeMinutes(olderReads, drift);
  });
  afterAll(() => {
    for (const bench of benches) bench.remove();
  });

  it("are what the service answers: two replicas are live, and the list shows one", () => {
    for (const one of Object.values(seen)) {
      expect(one).toMatchObject({ setUp: [0, 0], live: 2 });
      expect(one.answersBehind).toBeGreaterThan(0);
    }
    expect(Object.keys(seen)).toHaveLength(4);
  });

  it("drift believes no list entry that is older than the record", () => {
    expect(seen.drift.exitCode).toBe(0);
  });

  it("apply sends no change and no deployment for a list entry that is older than the record", () => {
    expect(seen.apply).toMatchObject({ exitCode: 0, writes: [], deployments: 2 });
  });

  it("a revert is sent while the list still shows the value of before", () => {
    expect(seen.revert).toMatchObject({ exitCode: 0, replicas: 1 });
  });

  it("drift stops with an error while the read by id is older than the record too", () => {
    expect(seen.stale.exitCode).toBe(1);
  });
});

describe("two repositories whose previews have the same state", () => {
  let scenario: Scenario;
  const names = () => scenario.emulator.store.projects().map(({ name }) => name);
  const rnv = (repository: "shop" | "blog", ...words: readonly string[]) => {
    const job = { CI: "true", GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: "https://github.com" };
    const env = { ...job, ...stateKey, GITHUB_REPOSITORY: `acme/${repository}` };
    return scenario.runWith({ env }, "--chdir", repository, ...words);
  };
  const setUp: CliRun[] = [];
  let before: readonly string[] = [];
  let refused: CliRun;
  let afterApply: readonly string[] = [];
  let swept: CliRun;
  let afterSweep: readonly string[] = [];
  beforeAll(async () => {
    scenario = await openScenario();
    for (const repository of ["shop", "blog"]) {
      mkdirSync(join(scenario.folder, repository));
      const state = join(scenario.folder, `states/pr-${open}stage.id}.json`);
      scenario.write(
        `${repository}/rnv.yaml`,
        `stages:\n  preview: { each: true, disposable: true, state: "${state}" }\nprojects: { ${repository}: { name: "${repository}-${open}stage.id}" } }\n`,
      );
    }
    for (const id of ["11", "12", "13"])
      setUp.push(await rnv("shop", "apply", "--stage", `preview/${id}`, ...approve));
    before = names();
    refused = await rnv("blog", "apply", "--stage", "preview/12", ...approve);
    afterApply = names();
    swept = await rnv("blog", "stage", "sweep", "--stage", "preview", "--keep", "12", "-auto-approve");
    afterSweep = names();
  });
  afterAll(() => scenario.close());

  it("begin with the three previews of the first repository", () => {
    expect(setUp.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(before).toEqual(["shop-11", "shop-12", "shop-13"]);
  });

  it("apply refuses the state of another repository with exit 4", () => {
    expect(refused.code).toBe(4);
  });

  it("apply deletes no preview of another repository", () => {
    expect(afterApply).toEqual(expect.arrayContaining([...before]));
  });

  it("a sweep does not end with exit 0 where states are of another repository", () => {
    expect(swept.code).not.toBe(0);
  });

  it("a sweep deletes no preview of another repository", () => {
    expect(afterSweep).toEqual(expect.arrayContaining(["shop-11", "shop-13"]));
  });
});

describe("a literal value that changes after its review", () => {
  const secrets = { SHOP_TOKEN: "t0ken-of-production" };
  const shop = (variables: string) =>
    `projects:\n  shop:\n    services:\n      api:\n        kind: web\n        configuration: { repository: "https://git.example.com/shop/api" }\n        variables: { ${variables} }\n`;
  const token = "TOKEN: { fromEnv: SHOP_TOKEN }";
  const own = { repo: { full_name: "acme/shop" } };

  interface ReviewedJob {
    /** Of the manifest whose plan is reviewed, and of the one that is merged. */
    readonly reviewed: string;
    readonly merged: string;
    /** Runs `ci apply` of the reviewed manifest before that; the service refuses its first variable. */
    readonly isBegun?: true;
    readonly flags?: readonly string[];
  }

  /** Applies one variable, has a plan reviewed, merges another manifest and runs `ci apply`. */
  async function applyAfterReview(job: ReviewedJob) {
    const scenario = await openScenario();
    const host = await serveCodeHost("github");
    const jobEnvironment = (event: object, env: Readonly<Record<string, string>>) => {
      scenario.write("event.json", JSON.stringify(event));
      const path = { GITHUB_EVENT_PATH: join(scenario.folder, "event.json") };
      return { env: { ...host.environment, ...stateKey, ...path, ...env } };
    };
    const values = () => {
      const { store } = scenario.emulator;
      const variables = store.variables(store.services()[0]?.id ?? "");
      return Object.fromEntries(variables.map(({ id, key }) => [key, store.variableValue(id)]));
    };
    const ciApply = () =>
      scenario.runWith(
        jobEnvironment({}, { ...secrets, GITHUB_EVENT_NAME: "push", GITHUB_SHA: merged }),
        "ci",
        "apply",
      );
    try {
      const pull = { number: 7, branch: "change", commit: "b".repeat(40), isOpen: false };
      host.pulls.push({ ...pull, commits: [merged], mergeCommit: merged });
      scenario.write("rnv.yaml", shop("LEVEL: info"));
      const first = await scenario.runWith({ env: stateKey }, "apply", ...approve);
      scenario.write("rnv.yaml", shop(job.reviewed));
      const planned = await scenario.runWith(
        jobEnvironment(
          { action: "synchronize", pull_request: { number: 7, head: own, base: own } },
          { GITHUB_EVENT_NAME: "pull_request" },
        ),
        ...["ci", "plan", ...(job.flags ?? [])],
      );
      const comments = host.comments.map(({ body }) => body);
      let begun: CliRun | undefined;
      if (job.isBegun) {
        scenario.fail(({ method, path }) =>
          method === "PATCH" && path.includes("/variables/") ? { kind: "status", status: 403 } : undefined,
        );
        begun = await ciApply();
        scenario.fail();
      }
      const before = values();
      scenario.write("rnv.yaml", shop(job.merged));
      scenario.forget();
      const applied = await ciApply();
      return {
        first,
        planned,
        comments,
        begun,
        before,
        applied,
        writes: scenario.requests(),
        after: values(),
      };
    } finally {
      await scenario.close();
      await host.close();
    }
  }
  type Seen = Awaited<ReturnType<typeof applyAfterReview>>;

  let besideSecret: Seen;
  let inRest: Seen;
  let alone: Seen;
  beforeAll(async () => {
    besideSecret = await applyAfterReview({
      reviewed: `LEVEL: debug, ${token}`,
      merged: `LEVEL: trace, ${token}`,
      flags: ["--no-secrets"],
    });
    inRest = await applyAfterReview({
      reviewed: "LEVEL: debug, MODE: fast",
      merged: "LEVEL: trace, MODE: fast",
      isBegun: true,
    });
    alone = await applyAfterReview({ reviewed: "LEVEL: debug", merged: "LEVEL: trace" });
  });

  it("begins with the plan of another value in a comment, and an apply that stopped half-way where one is meant", () => {
    for (const one of [besideSecret, inRest, alone]) {
      expect(one.first.code).toBe(0);
      expect(one.planned).toMatchObject({ code: 0, stderr: expect.not.stringContaining("fork") });
      expect(one.planned.stdout).toContain("~ variable.shop.api.LEVEL will be updated in place");
      expect(one.comments).toEqual([expect.stringContaining("<!-- rnv plan ")]);
    }
    expect([besideSecret, alone].map(({ before }) => before)).toEqual([{ LEVEL: "info" }, { LEVEL: "info" }]);
    expect(inRest).toMatchObject({ begun: { code: 3 }, before: { LEVEL: "info", MODE: "fast" } });
  });

  it("is refused by ci apply with exit 5 where the plan job read every value", () => {
    expect(alone).toMatchObject({ applied: { code: 5 }, writes: [], after: { LEVEL: "info" } });
  });

  it("is refused by ci apply with exit 5 beside a secret that the plan job could not read", () => {
    expect(besideSecret.applied.code).toBe(5);
  });

  it("is not applied beside a secret that the plan job could not read", () => {
    expect(besideSecret).toMatchObject({ writes: [], after: { LEVEL: "info" } });
  });

  it("is refused by ci apply with exit 5 in the rest of a plan that was begun", () => {
    expect(inRest.applied.code).toBe(5);
  });

  it("is not applied in the rest of a plan that was begun", () => {
    expect(inRest).toMatchObject({ writes: [], after: { LEVEL: "info", MODE: "fast" } });
  });
});

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openScenario, type Scenario } from "../support/cli";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";

const teams = ["search", "payments"] as const;
type Team = (typeof teams)[number];

/** A manifest of a team: a service that deploys a branch, a literal value, and a secret that merge requests cannot read. */
const manifest = (team: Team, level: string): string =>
  `projects:\n  ${team}:\n    services:\n      api:\n        kind: web\n` +
  `        configuration: { repository: "https://git.example.com/${team}", branch: main }\n` +
  `        variables: { LEVEL: ${level}, TOKEN: { fromEnv: TEAM_TOKEN } }\n`;

describe("thirty merge requests of two teams in one repository", () => {
  let scenario: Scenario;
  let server: CodeHostServer;
  beforeAll(async () => {
    [scenario, server] = await Promise.all([openScenario(), serveCodeHost("gitlab")]);
    for (const team of teams) mkdirSync(join(scenario.folder, team));
  });
  afterAll(() => Promise.all([scenario.close(), server.close()]));

  const write = (team: Team, level: string): void =>
    scenario.write(`${team}/rnv.yaml`, manifest(team, level));
  const ci = (team: Team, env: Record<string, string>, ...words: string[]) =>
    scenario.runWith(
      {
        env: {
          ...server.environment,
          CI_PROJECT_DIR: scenario.folder,
          RNV_STATE_KEY: "ab".repeat(32),
          ...env,
        },
      },
      ...["-chdir", team, "ci", ...words],
    );
  const commentsOf = (number: number) =>
    server.comments.filter(({ at }) => at === `pull ${number}`).map(({ body }) => body);

  it("has one comment under each of them, rewritten with each push and told what was applied", async () => {
    for (const team of teams) {
      write(team, "level-0");
      const env = { RNV_STATE_KEY: "ab".repeat(32), TEAM_TOKEN: "token-of-a-team" };
      const first = await scenario.runWith({ env }, "-chdir", team, "apply", "-auto-approve", "-input=false");
      expect(first).toMatchObject({ code: 0 });
    }
    for (let number = 1; number <= 30; number++) {
      const team = teams[number % 2] as Team;
      // Every fifth changes no manifest.
      const changesNothing = number % 5 === 0;
      const commit = number.toString(16).padStart(40, "0");
      server.pulls.push({ number, branch: `change-${number}`, commit, isOpen: true, commits: [commit] });
      for (const push of ["a", "b"]) {
        if (!changesNothing) write(team, `level-${number}${push}`);
        for (const one of teams) {
          const planned = await ci(one, { CI_MERGE_REQUEST_IID: `${number}` }, "plan", "--no-secrets");
          expect([planned.code, planned.stderr]).toEqual([0, expect.any(String)]);
        }
      }
      expect(commentsOf(number)).toHaveLength(changesNothing ? 0 : 1);
      const open = server.pulls.pop();
      if (open) server.pulls.push({ ...open, isOpen: false, mergeCommit: commit });
      for (const one of teams) {
        const env = { CI_COMMIT_SHA: commit, TEAM_TOKEN: "token-of-a-team" };
        const applied = await ci(one, env, "apply");
        expect([number, one, applied.code, applied.stderr]).toEqual([number, one, 0, expect.any(String)]);
      }
      const told = commentsOf(number);
      expect(told.filter((body) => body.startsWith("<!-- rnv plan"))).toHaveLength(changesNothing ? 0 : 1);
      expect(told.join()).not.toMatch(/token-of-a-team|level-\d/);
    }
    const values = scenario.emulator.store
      .services()
      .flatMap(({ id }) => scenario.emulator.store.variables(id))
      .filter(({ key }) => key === "LEVEL")
      .map(({ id }) => scenario.emulator.store.variableValue(id));
    expect(values.sort()).toEqual(["level-28b", "level-29b"]);
  }, 600_000);
});

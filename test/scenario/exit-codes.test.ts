import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { builtCli } from "../support/built-cli";
import {
  approve,
  baseEnvironment,
  briefly,
  openScenario,
  type RunOptions,
  type Scenario,
} from "../support/cli";
import { shareOf } from "../support/soak";

const service = (more = "") =>
  `services:\n  api: { kind: web, configuration: { repository: "https://git.example.com/api"${more} } }\n`;

/** One real situation for each exit code (DESIGN section 8); 130 is in interruption.test.ts. */
const situations: readonly {
  readonly code: number;
  readonly title: string;
  readonly prepare?: (scenario: Scenario) => unknown;
  readonly args: readonly string[];
  readonly how?: RunOptions;
  readonly stderr?: string | RegExp;
}[] = [
  { code: 0, title: "nothing to do", args: ["plan", "-detailed-exitcode"], prepare: applied },
  { code: 0, title: "changes without -detailed-exitcode", args: ["plan"] },
  {
    code: 1,
    title: "no manifest",
    args: ["plan", "-f", "nowhere.yaml"],
    stderr: "error[manifest.not_found]",
  },
  { code: 1, title: "a verb that does not exist", args: ["aply"], stderr: "apply" },
  { code: 1, title: "an option that does not exist", args: ["plan", "--fiel", "x"], stderr: "--file" },
  {
    code: 1,
    title: "a service that refuses the connection, reported at the first retry",
    args: ["plan"],
    how: { env: { RNV_BASE_URL: "http://127.0.0.1:9/api/v1" } },
    // A run of more than ten seconds says in between how long it has waited.
    stderr:
      /^Cannot connect to 127\.0\.0\.1:9; retrying\n(.* so far\)\n)*error\[api\.unavailable\]: cannot connect to 127\.0\.0\.1:9: connection refused \(6 attempts in /,
  },
  {
    code: 1,
    title: "http to another host",
    args: ["plan"],
    how: { env: { RNV_BASE_URL: "http://hosting.example.com/api/v1" } },
    stderr: "error[config.insecure]",
  },
  { code: 1, title: "no one to approve", args: ["apply", "-input=false"], stderr: "--auto-approve" },
  { code: 2, title: "changes with -detailed-exitcode", args: ["plan", "-detailed-exitcode"] },
  {
    code: 3,
    title: "one of two services refused",
    args: ["apply", ...approve],
    prepare: (s) => {
      s.write(
        "rnv.yaml",
        `${service()}  bad: { kind: web, configuration: { repository: "https://git.example.com/bad" } }\n`,
      );
      s.fail(({ body }) =>
        body?.includes('"bad"')
          ? { kind: "status", status: 400, message: "The name is reserved" }
          : undefined,
      );
    },
    stderr: "The name is reserved",
  },
  {
    code: 4,
    title: "a deletion without a confirmation",
    args: ["apply", ...approve],
    prepare: async (s) => {
      s.write("rnv.yaml", `${service()}  old: { kind: static, deploy: { when: never } }\n`);
      await s.run("apply", ...approve);
      s.write("rnv.yaml", service());
    },
    stderr: "error[guard.delete_unconfirmed]",
  },
  {
    code: 5,
    title: "a saved plan that is stale",
    args: ["apply", "p.rnvplan"],
    prepare: async (s) => {
      await s.run("plan", "-out", "p.rnvplan");
      await applied(s);
    },
    stderr: "error[plan.stale]",
  },
  {
    code: 6,
    title: "a lock that is held",
    args: ["apply", ...approve],
    prepare: async (s) => {
      await applied(s);
      s.write(
        ".rnv/state.json.lock",
        JSON.stringify({
          id: "1f",
          generation: 9,
          host: "elsewhere",
          pid: 1,
          command: "apply",
          since: "2026-01-01T00:00:00.000Z",
        }),
      );
    },
    stderr: "error[state.lock_held]",
  },
  {
    code: 1,
    title: "a service that takes requests and answers none, within the time of --timeout",
    args: ["plan", "--timeout", "200ms"],
    prepare: (s) => s.fail(() => ({ kind: "timeout-before" })),
    stderr: "did not answer in time",
  },
  {
    code: 7,
    title: "a deployment that fails",
    args: ["apply", ...approve],
    prepare: (s) => s.emulator.store.failNextDeployment("*"),
    stderr: "error[apply.deploy_failed]",
  },
  {
    code: 8,
    title: "a plan to be paid for",
    args: ["apply", ...approve],
    prepare: (s) => s.write("rnv.yaml", service(", plan: pro")),
    stderr: "apply.awaiting_checkout",
  },
];

async function applied(scenario: Scenario): Promise<void> {
  await scenario.applies();
}

describe("the exit code", () => {
  it.each(situations)("is $code for $title", async ({ code, title, prepare, args, how = {}, stderr }) => {
    // A refusal is told in the words of its body.
    const scenario = await openScenario({ readings: { errorBody: "top" } });
    scenario.write("rnv.yaml", service());
    await prepare?.(scenario);
    // A failure of each number ends a process of its own; what else fails so tells what it says.
    const isFirst = situations.find((one) => one.code === code)?.title === title;
    const ended = await (isFirst ? scenario.start(how, ...args).ended : scenario.runWith(how, ...args));
    expect(ended).toMatchObject({ code });
    if (stderr instanceof RegExp) expect(ended.stderr).toMatch(stderr);
    else if (stderr !== undefined) expect(ended.stderr).toContain(stderr);
    expect(ended.stderr).not.toMatch(/this is a bug/i);
  });

  const full = "/dev/full";
  const lines = ["apply -auto-approve -input=false", "version", "plan", "--help", "plan -detailed-exitcode"];
  (existsSync(full) ? it : it.skip).each(shareOf(lines, 5))(
    "1: standard output is a full disk: rnv %s",
    async (line) => {
      const scenario = await openScenario({ fresh: true });
      scenario.write("rnv.yaml", service());
      const stdout = openSync(full, "w");
      const child = spawn(process.execPath, [...briefly, builtCli(), ...line.split(" ")], {
        cwd: scenario.folder,
        env: baseEnvironment({ url: scenario.url }),
        stdio: ["ignore", stdout, "pipe"],
      });
      let stderr = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      const ended = await new Promise((resolve) => child.once("close", resolve));
      closeSync(stdout);
      expect({ ended, stderr }).toEqual({
        ended: 1,
        stderr: expect.stringContaining(
          "error[command.output_lost]: standard output could not be written: there is no space left on the disk",
        ),
      });
      // What it had to do was done all the same.
      if (line.startsWith("apply")) await scenario.isQuiet();
    },
  );
});

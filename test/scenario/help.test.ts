import { join } from "node:path";
import { failing, oneScenario } from "../support/cli";
import { rowsIn } from "../support/rows";

describe("help", () => {
  const scenario = oneScenario();
  const optionsOf = (help: string): string[] =>
    [...help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name ?? "");

  it("is at most 40 lines without a verb, and names the way to all verbs", async () => {
    const { stdout, stderr } = await scenario.run();
    const lines = `${stdout}${stderr}`.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.join("\n")).toContain("All verbs: rnv help -a.");
    for (const verb of ["init", "plan", "apply", "drift", "destroy"])
      expect(lines.join("\n")).toMatch(new RegExp(`^  ${verb} `, "m"));
  });

  it("lists all verbs, the environment and the exit codes with -a", async () => {
    const { code, stdout } = await scenario.run("help", "-a");
    expect(code).toBe(0);
    for (const verb of ["rollback", "fleet", "state", "completion"])
      expect(stdout).toMatch(new RegExp(`^  ${verb} `, "m"));
    expect(stdout).toContain("RNV_STATE_KEY");
    expect(stdout).toContain("Exit codes:");
  });

  it("shows the options of most days for a verb, and all with -a", async () => {
    const { stdout } = await scenario.run("help", "plan");
    const daily = ["file", "stage", "target", "out", "confirm-delete", "json"];
    expect(optionsOf(stdout)).toEqual([...daily, "help"]);
    const { stdout: all } = await scenario.run("help", "plan", "-a");
    expect(optionsOf(all).slice(0, 7)).toEqual([...daily, "app"]);
    expect(optionsOf(all)).toEqual(expect.arrayContaining(["no-secrets", "html", "chdir"]));
    expect(stdout).toMatch(/\n\nAll options: rnv help plan -a\n$/);
    expect(all).not.toContain("All options:");
    const apply = await scenario.run("apply", "--help");
    expect(optionsOf(apply.stdout)).toEqual([
      ...["file", "stage", "target", "auto-approve", "confirm-delete", "json", "help"],
    ]);
    expect((await scenario.run("help", "state", "mv")).stdout).toContain("Usage: rnv state mv");
    expect(await scenario.run("help", "nope")).toMatchObject(failing(1, 'rnv has no verb "nope"'));
  });

  it.each([
    ["deploy", ["stage", "json", "commit", "clear-cache", "no-wait", "timeout"]],
    ["restart", ["stage", "json", "no-wait", "timeout"]],
    ["suspend", ["stage", "json", "no-wait", "timeout"]],
    ["rollback", ["stage", "json", "confirm", "no-wait", "timeout"]],
    ["cancel", ["stage", "json", "no-wait", "timeout"]],
  ])("folds the options of every verb for %s", async (verb, shown) => {
    expect(optionsOf((await scenario.run("help", verb)).stdout)).toEqual(["file", ...shown, "help"]);
    const { stdout: all } = await scenario.run("help", verb, "-a");
    expect(optionsOf(all)).toEqual(expect.arrayContaining(["state", "stack", "lock-timeout"]));
  });

  it.each(["fleet", "policy", "test"])("says that %s is beta", async (verb) => {
    const { stdout } = await scenario.run("help", "-a");
    expect(stdout).toMatch(new RegExp(`^  ${verb} [\\s\\S]*?\\(beta\\)`, "m"));
  });

  it.each(rowsIn(join(__dirname, "mistakes-of-lines.tsv")))(
    "answers the mistake `%s` with an error and a hint",
    async (line, summary, hint) => {
      const { code, stdout, stderr } = await scenario.run(...line.split(" "));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^error\[command\.usage\]: /);
      expect(stderr).toContain(summary);
      expect(stderr).toContain(`hint: ${hint}\n`);
      expect(stderr).not.toContain("canary");
    },
  );

  it.each(rowsIn(join(__dirname, "lines-of-terraform.tsv")))(
    "answers Terraform's `%s` with rnv's way",
    async (line, answer) => {
      const { code, stderr } = await scenario.run(...line.split(" "));
      expect(code).toBe(1);
      expect(stderr).toContain(`error[command.usage]: ${answer}`);
    },
  );
});

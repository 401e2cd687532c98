import { oneScenario } from "../support/cli";

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

  it("with -a lists all verbs, the environment and the exit codes", async () => {
    const { code, stdout } = await scenario.run("help", "-a");
    expect(code).toBe(0);
    for (const verb of ["rollback", "fleet", "state", "completion"])
      expect(stdout).toMatch(new RegExp(`^  ${verb} `, "m"));
    expect(stdout).toContain("RNV_STATE_KEY");
    expect(stdout).toContain("Exit codes:");
  });

  it("of a verb shows the options of most days, and with -a all", async () => {
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
    expect(await scenario.run("help", "nope")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('rnv has no verb "nope"'),
    });
  });

  it.each([
    ["deploy", ["stage", "json", "commit", "clear-cache", "no-wait", "timeout"]],
    ["restart", ["stage", "json", "no-wait", "timeout"]],
    ["suspend", ["stage", "json", "no-wait", "timeout"]],
    ["rollback", ["stage", "json", "confirm", "no-wait", "timeout"]],
    ["cancel", ["stage", "json", "no-wait", "timeout"]],
  ])("of %s folds the options of every verb", async (verb, shown) => {
    expect(optionsOf((await scenario.run("help", verb)).stdout)).toEqual(["file", ...shown, "help"]);
    const { stdout: all } = await scenario.run("help", verb, "-a");
    expect(optionsOf(all)).toEqual(expect.arrayContaining(["state", "stack", "lock-timeout"]));
  });

  it.each(["fleet", "policy", "test"])("says that %s is beta", async (verb) => {
    const { stdout } = await scenario.run("help", "-a");
    expect(stdout).toMatch(new RegExp(`^  ${verb} [\\s\\S]*?\\(beta\\)`, "m"));
  });

  it.each([
    ["restrat", 'rnv has no verb "restrat"', 'did you mean "restart"?'],
    ["histroy", 'rnv has no verb "histroy"', 'did you mean "history"?'],
    ["depoly", 'rnv has no verb "depoly"', 'did you mean "deploy"?'],
    ["rolback service.shop.api", 'rnv has no verb "rolback"', 'did you mean "rollback"?'],
    ["destory", 'rnv has no verb "destory"', "rnv help -a"],
    ["state lsit", 'rnv state has no verb "lsit"', 'did you mean "list"?'],
    ["state lsit --help", 'rnv state has no verb "lsit"', 'did you mean "list"?'],
    ["help ci pln", 'rnv ci has no verb "pln"', 'did you mean "plan"?'],
    ["fleet nope", 'rnv fleet has no verb "nope"', "rnv fleet --help"],
    ["apply -auto-aprove", "unknown option '--auto-aprove'", 'did you mean "--auto-approve"?'],
    [
      "apply -confirm-delte=service.x",
      "unknown option '--confirm-delte'",
      'did you mean "--confirm-delete"?',
    ],
    ["-chdri=x plan", "unknown option '--chdri'", 'did you mean "--chdir"?'],
    ["plan -paralelism=4", "unknown option '--paralelism'", "rnv plan --help"],
    ["plan -api-key=canary", "unknown option '--api-key'", "rnv plan --help"],
    ["restart", "missing required argument 'address'", "rnv restart --help"],
    ["apply -parallelism 0", "Not a whole number above zero.", "rnv apply --help"],
  ])("answers the mistake `%s` with an error and a hint", async (line, summary, hint) => {
    const { code, stdout, stderr } = await scenario.run(...line.split(" "));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error\[command\.usage\]: /);
    expect(stderr).toContain(summary);
    expect(stderr).toContain(`hint: ${hint}\n`);
    expect(stderr).not.toContain("canary");
  });

  it.each([
    ["workspace list", "rnv has stages instead of workspaces: declare `stages`, then pass --stage NAME"],
    ["fmt --help", "rnv does not format manifests: any YAML formatter does"],
    ["taint service.shop.api", "to create a resource again: rnv apply -replace=ADDRESS"],
    ["refresh", "to record what is live: rnv apply -refresh-only"],
    ["plan -var x=1", "rnv has no -var: use ${env.NAME} in the manifest, or { fromEnv: NAME } for a secret"],
    ["plan -var-file=x", "rnv has no -var-file: pass an overlay as a later -f FILE, or use variablesFrom"],
    ["apply -lock=false", "rnv always locks a state that it writes: -lock-timeout=5m waits for another run"],
    ["plan -refresh=false", "rnv always reads what is live: a plan needs three requests"],
    ["plan -compact-warnings", "rnv prints each warning once: -json is for programs"],
    ["up", "to create or change resources: rnv apply"],
    ["console", "rnv has no console: rnv output and rnv show print values"],
    ["get", "rnv has no modules to download: pass several files with -f"],
  ])("answers Terraform's `%s` with rnv's way", async (line, answer) => {
    const { code, stderr } = await scenario.run(...line.split(" "));
    expect(code).toBe(1);
    expect(stderr).toContain(`error[command.usage]: ${answer}`);
  });
});

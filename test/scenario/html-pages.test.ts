import { join } from "node:path";
import { approve, oneScenario, printing } from "../support/cli";
import { textIn } from "../support/rows";

const manifest = (branch: string) => textIn(join(__dirname, "html-pages.yaml"), { branch });

describe("--html", () => {
  const scenario = oneScenario();
  const env = { TOKEN: "canary-of-pages" };
  const run = (...args: readonly string[]) => scenario.runWith({ env }, ...args);

  it("writes a plan, its saved plan later, drift and the state as pages, beside what it says otherwise", async () => {
    scenario.write("rnv.yaml", manifest("main"));
    await run("apply", ...approve);
    scenario.write("rnv.yaml", manifest("release"));

    const planned = await run("plan", "-html", "plan.html", "-out", "saved.plan");
    expect(planned).toMatchObject(printing(0, "Plan: 0 to add, 1 to change"));
    expect(planned.stderr).toContain("Wrote the page plan.html.");
    const page = scenario.read("plan.html");
    expect(page).toContain("<del>- configuration.branch: &quot;main&quot;</del>");
    expect(page).toContain("<ins>+ configuration.branch: &quot;release&quot;  <i>rnv.yaml:9</i></ins>");
    expect(page).toContain("rnv.yaml:9");

    await run("plan", "-html", "again.html");
    expect(scenario.read("again.html")).toBe(page);

    await run("show", "-html", "shown.html", "saved.plan");
    expect(scenario.read("shown.html")).toBe(page);
    const document = JSON.parse((await run("show", "-json", "saved.plan")).stdout);
    expect(
      document.resource_changes.flatMap(({ attributes }: { attributes: object[] }) => attributes),
    ).toEqual(
      expect.arrayContaining([expect.objectContaining({ range: expect.objectContaining({ line: 9 }) })]),
    );

    expect(await run("drift", "-html", "drift.html", "-fail-on", "pending")).toMatchObject({ code: 2 });
    expect(scenario.read("drift.html")).toContain("<title>rnv drift: 1 not applied yet.</title>");

    await run("show", "-html", "state.html");
    expect(scenario.read("state.html")).toContain('id="variable.shop.api.TOKEN"');
    const recorded = await run("show", "-html", "file.html", ".rnv/state.json");
    expect(recorded).toMatchObject(printing(0, "service.shop.api"));
    expect(scenario.read("file.html")).toBe(scenario.read("state.html"));

    for (const { path, text } of scenario.files())
      if (path.endsWith(".html")) expect(text).not.toContain("canary");
  });

  it("writes no page of what failed before there was a plan", async () => {
    scenario.write("broken.yaml", "projects: [");
    expect(await run("plan", "-f", "broken.yaml", "-html", "none.html")).toMatchObject({ code: 1 });
    expect(scenario.files().map(({ path }) => path)).not.toContain("none.html");
  });

  it("says what blocks the file", async () => {
    const { code, stderr } = await run("plan", "-html", "nowhere/plan.html");
    expect(code).toBe(1);
    expect(stderr).toContain("cannot write nowhere/plan.html: the folder nowhere does not exist");
  });
});

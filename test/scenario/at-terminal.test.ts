import { approve } from "../support/cli";
import {
  atTerminal,
  describeAtTerminal,
  interrupt,
  questions,
  servicesNamed,
} from "../support/pseudo-terminal";
import { shareOf } from "../support/soak";

describeAtTerminal("at a terminal", ({ scenario, liveNames }) => {
  it("an apply is approved with yes, and shows what it does", async () => {
    const { code, screen } = await atTerminal(scenario, "apply", [[questions.value, "yes"]]);
    expect({ code, live: liveNames() }).toEqual({ code: 0, live: ["api", "web"] });
    expect(screen).toContain("Only 'yes' will be accepted to approve.");
    expect(screen).toContain("service.shop.api: Creation complete");
    expect(screen).toContain("Apply complete! Resources: 3 added, 0 changed, 0 destroyed.");
  });

  it.each(shareOf(["y", "no", "Yes", ""], 4))(
    "an apply that is answered with %j changes nothing",
    async (answer) => {
      const { code, screen } = await atTerminal(scenario, "apply", [[questions.value, answer]]);
      expect({ code, writes: scenario.requests() }).toEqual({ code: 1, writes: [] });
      expect(screen).toContain("Apply cancelled. Nothing was changed.");
    },
  );

  it("an apply that is left with Ctrl-C leaves no line of a step in flight, and says what to do", async () => {
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1000));
    scenario.fail(({ method }) =>
      method === "POST" ? { kind: "hook", when: "before", run: pause } : undefined,
    );
    const { code, screen, left } = await atTerminal(scenario, "apply -auto-approve", [
      ["api: Creating...", interrupt],
    ]);
    expect(code).toBe(130);
    expect(screen).toContain("service.shop.api: Creating...");
    const end = left.slice(left.findIndex((line) => line.startsWith("Digest: ")));
    expect(end.filter((line) => /^[^ -~]|Creating\.\.\.|of 3 done|\^C/.test(line))).toEqual([]);
    expect(end).toContain("Finishing requests in progress. Press Ctrl-C again to quit now.");
    expect(end.join("\n")).toMatch(/^service\.shop\.api: .* after \ds/m);
  });

  it("a deletion asks for the address, and takes nothing but that address", async () => {
    await scenario.run("apply", ...approve);
    scenario.write("rnv.yaml", servicesNamed("api"));
    for (const answers of shareOf([["yes", "web", "SERVICE.SHOP.WEB"], ["service.shop.api", ""], [""]], 3)) {
      scenario.forget();
      const script = answers.map((answer) => [questions.address, answer] as [string, string]);
      const { code, screen } = await atTerminal(scenario, "apply", [...script, [questions.value, "yes"]]);
      expect({ answers, code, writes: scenario.requests() }).toEqual({ answers, code: 1, writes: [] });
      expect(screen).toContain('service.shop.web (service "web") will be deleted. This cannot be undone.');
      expect(screen).toContain("That is not service.shop.web.");
      expect(screen).toContain("Nothing was changed.");
    }
    const { code } = await atTerminal(scenario, "apply", [
      [questions.address, "service.shop.wbe"],
      [questions.address, "service.shop.web"],
      [questions.value, "yes"],
    ]);
    expect({ code, live: liveNames() }).toEqual({ code: 0, live: ["api"] });
    await scenario.isQuiet();
  });

  it("a saved plan asks for the addresses of what is not confirmed, and for nothing else", async () => {
    await scenario.run("apply", ...approve);
    scenario.write("rnv.yaml", servicesNamed("api"));
    await scenario.run("plan", "-out", "saved.rnvplan");
    scenario.forget();
    const refused = await atTerminal(scenario, "apply saved.rnvplan", [[questions.address, "yes"]]);
    expect({ code: refused.code, writes: scenario.requests() }).toEqual({ code: 1, writes: [] });
    const { code, screen } = await atTerminal(scenario, "apply saved.rnvplan", [
      [questions.address, "service.shop.web"],
    ]);
    expect({ code, live: liveNames() }).toEqual({ code: 0, live: ["api"] });
    expect(screen).toContain("service.shop.web will be destroyed");
    expect(screen).not.toContain("Only 'yes'");
    await scenario.isQuiet();
  });

  it.each([
    ["CI", "true"],
    ["TERM", "dumb"],
  ])("with %s=%s the output is that of a pipe", async (name, value) => {
    const env = { [name]: value };
    await scenario.run("apply", ...approve);
    scenario.write("rnv.yaml", servicesNamed("api"));
    const { screen } = await atTerminal(scenario, "plan --no-color", [], env, 60);
    expect(screen).toBe((await scenario.run("plan")).stdout);
    expect(screen).toMatch(/^Digest: [0-9a-f]{64}$/m);
    const asked = await atTerminal(scenario, "apply", [[questions.address, ""]], env);
    expect({ name, code: asked.code }).toEqual({ name, code: name === "CI" ? 4 : 1 });
  });
});

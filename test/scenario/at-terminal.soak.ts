import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { approve, openScenario } from "../support/cli";
import { atTerminal, describeAtTerminal, questions, servicesNamed } from "../support/pseudo-terminal";

describeAtTerminal("at a terminal", ({ scenario, liveNames }) => {
  it("a plan shows 12 digits of its digest, which are enough for --expect-digest", async () => {
    const { screen } = await atTerminal(scenario, "plan", []);
    const [, digest = ""] = /^Digest: ([0-9a-f]+)$/m.exec(screen) ?? [];
    expect(digest).toHaveLength(12);
    const applied = await atTerminal(scenario, `apply -auto-approve -expect-digest ${digest}`, []);
    expect({ code: applied.code, live: liveNames() }).toEqual({ code: 0, live: ["api", "web"] });
  });

  it("an apply that is left with Ctrl-C at its question says only that it is cancelled", async () => {
    const { code, screen } = await atTerminal(scenario, "apply", [[questions.value, "\u0003"]]);
    expect({ code, writes: scenario.requests() }).toEqual({ code: 130, writes: [] });
    expect(screen.slice(screen.lastIndexOf(questions.value))).toMatch(
      /^Enter a value: (\^C)?\s+Cancelled\.\s*$/,
    );
  });

  it("sentences are wrapped at words, in a plan, an apply, and a failure of each", async () => {
    const atSixty = async (args: string) => {
      const { screen } = await atTerminal(scenario, args, [], {}, 60);
      return screen.split("\n");
    };
    const built = "projects: { shop: { services: { web: { kind: web } } } }\n";
    scenario.write("rnv.yaml", built);
    const lines = [
      ...(await atSixty("plan -target service.shop.nothing")),
      ...(await atSixty("apply -auto-approve")),
      ...(await atSixty("apply -refresh-only -auto-approve")),
    ];
    // An id, an address of the web and a path have no words.
    const isProse = (line: string) => !/^(Workspace|To read more:) |^ *\S+$|\[id=/.test(line);
    expect(lines.filter((line) => isProse(line) && line.length > 60)).toEqual([]);
    expect(lines.join(" ").replace(/ +/g, " ")).toMatch(
      /Nothing of this plan can be applied\..* a repository is needed to deploy .*Nothing is lost\. Fix the cause, then run: rnv apply -auto-approve .*Your infrastructure still matches/,
    );
  });

  it("an error names the command that explains it; a warning and a pipe name none", async () => {
    const explain = "To read more: rnv explain";
    const kinds = (kind: string) =>
      scenario.write("rnv.yaml", `projects: { shop: { services: { api: { kind: ${kind} } } } }\n`);
    kinds("[web]");
    const { screen } = await atTerminal(scenario, "validate", []);
    expect(screen).toContain(`${explain} manifest.invalid_type\n`);
    expect((await scenario.run("validate")).stderr).not.toContain(explain);
    kinds("wbe");
    const warned = await atTerminal(scenario, "validate", []);
    expect(warned.screen).toContain("warning[manifest.unknown_value]");
    expect(warned.screen).not.toContain(explain);
  });

  it("an apply shows beside a step how long it took in the deployment before, which it asks for once", async () => {
    const slow = await openScenario({ deploySeconds: 2 });
    const deployed = (branch: string) =>
      slow.write(
        "rnv.yaml",
        `services: { api: { kind: web, configuration: { repository: "https://git.example.com/api", branch: ${branch} } } }\n`,
      );
    deployed("main");
    const first = await atTerminal(slow, "apply -auto-approve", []);
    expect({ code: first.code, told: first.screen.includes("last time") }).toEqual({ code: 0, told: false });
    const [service] = slow.emulator.store.services();
    const before = slow.emulator.store.deployments(service?.id ?? "").map(({ id }) => `/deploys/${id}`);
    let isDeployed = false;
    let asked = 0;
    slow.fail(({ method, path }) => {
      if (method === "POST" && path.endsWith("/deploys")) isDeployed = true;
      if (!isDeployed || !before.some((end) => path.endsWith(end))) return undefined;
      asked += 1;
      return { kind: "status", when: "before", status: 403 };
    });
    deployed("next");
    const failing = await atTerminal(slow, "apply -auto-approve", []);
    const told = failing.screen.includes("last time");
    expect({ code: failing.code, told, asked }).toEqual({ code: 0, told: false, asked: 1 });
    slow.fail();
    deployed("main");
    const { code, screen } = await atTerminal(slow, "apply -auto-approve", []);
    expect(code).toBe(0);
    // A step of 0.3 s has no length in times of whole seconds.
    expect(screen).toMatch(/deployment\.api: Modifying\.\.\. .*, \w+: [01]s last time/);
  }, 60_000);

  it("a plan that takes longer than 400 ms says what it reads, and a quick plan does not", async () => {
    expect((await atTerminal(scenario, "plan -json", [])).screen).not.toContain("Reading");
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1000));
    scenario.fail(({ path }) =>
      path.endsWith("/catalog") ? { kind: "hook", when: "before", run: pause } : undefined,
    );
    expect((await atTerminal(scenario, "plan", [])).screen).toContain("Reading 2 services...\n");
    expect((await scenario.run("plan")).stderr).toBe("");
  });

  it("a plan ends with what is lost, the counts and the next command; a pipe has none of it", async () => {
    const planned = await atTerminal(scenario, "plan -target service.shop.api", []);
    expect(planned.screen.trimEnd().split("\n").at(-1)).toBe("Next: rnv apply -target service.shop.api");
    const saved = await atTerminal(scenario, "plan -out a.plan", []);
    expect(saved.screen).not.toContain("Next: ");
    expect((await atTerminal(scenario, "plan -no-secrets", [])).screen).not.toContain("Next: ");
    await scenario.run("apply", ...approve);
    expect((await atTerminal(scenario, "plan", [])).screen).not.toContain("Next: ");
    scenario.write("rnv.yaml", servicesNamed("cron"));
    const { screen } = await atTerminal(scenario, "plan", []);
    expect(screen).toMatch(/^! Destroys 2: service.shop.api, service.shop.web$/m);
    const { stdout } = await scenario.run("plan");
    expect(stdout).not.toMatch(/^! |Next: /m);
    const asked = await atTerminal(scenario, "apply", [[questions.address, "no"]]);
    expect(asked.screen).toMatch(/^! Destroys 2: service.shop.api, service.shop.web$/m);
  });

  it("destroy asks once, and a no keeps everything", async () => {
    await scenario.run("apply", ...approve);
    scenario.forget();
    const refused = await atTerminal(scenario, "destroy", [[questions.value, "no"]]);
    expect({ code: refused.code, writes: scenario.requests() }).toEqual({ code: 1, writes: [] });
    const { code, screen } = await atTerminal(scenario, "destroy", [[questions.value, "yes"]]);
    expect({ code, live: liveNames() }).toEqual({ code: 0, live: [] });
    expect(screen).toContain("There is no undo.");
  });

  it("init asks what to start from, with arrow keys, and only where nothing is there yet", async () => {
    const down = "\u001b[B";
    const written = () =>
      ["rnv.yaml", ".gitignore", ".rnv"].filter((name) => existsSync(join(scenario.folder, name)));
    await scenario.run("apply", ...approve);
    const { screen } = await atTerminal(scenario, "init", []);
    expect(screen).toContain("rnv.yaml is there already: left as it is");
    const begin = () => {
      for (const name of written()) rmSync(join(scenario.folder, name), { recursive: true });
    };
    begin();
    scenario.write("Procfile", "web: npm start\n");
    for (const key of ["\u0003", "\u0004"]) {
      const { code } = await atTerminal(scenario, "init", [["Start from:", key]]);
      expect({ key, code, written: written() }).toEqual({ key, code: 130, written: [] });
    }
    const converted = await atTerminal(scenario, "init", [["Start from:", ""]]);
    expect(converted.code).toBe(0);
    expect(scenario.read("rnv.yaml")).toContain("startCommand: npm start");
    begin();
    const live = await atTerminal(scenario, "init", [["Start from:", down]]);
    expect(live.screen).toContain("taken over; nothing was written to the platform");
    begin();
    const starter = await atTerminal(scenario, "init", [["Start from:", down + down]]);
    expect(starter.screen).toContain("rnv.yaml: a first manifest to edit");
    begin();
    const unasked = await atTerminal(scenario, "init -input=false", []);
    expect(unasked.screen).not.toContain("Start from:");
    expect(unasked.screen).toContain("rnv.yaml: a first manifest to edit");
  });
});

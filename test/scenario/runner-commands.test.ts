import { join } from "node:path";
import { aliveIn, commandsIn, hiddenIn } from "../hostile/inertness";
import { oneScenario } from "../support/cli";
import { casesIn, rowsIn } from "../support/rows";

/** What runners of GitHub, Azure and TeamCity obey, at the beginning of a text and in a line of its own. */
const hostile = casesIn<string>(join(__dirname, "runner-commands.json"));

/** What a terminal, a browser and a reader of Markdown would act on. */
const others = casesIn<string>(join(__dirname, "active-texts.json"));

/** Annotations that rnv writes itself, for a job of GitHub. */
const isOwn = (line: string): boolean => /^::(error|warning|notice) (file|title)=/.test(line);

describe("a text of the service or of a manifest that is a command to a CI runner", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    const { store } = scenario.emulator;
    const { id: projectId } = store.addProject({ name: "Shop" });
    for (const [i, text] of [...hostile, ...others].entries()) {
      const { id } = store.addService({
        name: `s${i}`,
        projectId,
        live: true,
        configuration: { repository: "https://git.example.com/shop", description: text, startCommand: text },
      });
      store.addVariable(id, "NOTE", text);
    }
    store.addService({ name: "##[group]name", projectId, live: true });
    store.addService({ name: "::error::name", projectId, live: true });
  });

  const github = { GITHUB_ACTIONS: "true", CI: "true", RNV_STATE_KEY: "a".repeat(64) };

  const isInertIn = (line: string) =>
    it(`is inert in the output of rnv ${line}`, async () => {
      const { stdout, stderr } = await scenario.runWith({ env: github }, ...line.split(" "));
      const text = `${stdout}\n${stderr}`;
      expect(text.length).toBeGreaterThan(10);
      expect(commandsIn(text).filter((found) => !isOwn(found))).toEqual([]);
      expect(hiddenIn(text)).toEqual([]);
      if (line.endsWith("markdown")) expect(aliveIn(stdout)).toEqual([]);
    });

  rowsIn(join(__dirname, "runner-verbs-first.tsv")).flat().forEach(isInertIn);

  it("is changed outside of rnv", async () => {
    const { store } = scenario.emulator;
    for (const { id, configuration } of store.services())
      store.editConfiguration(id, { description: `${configuration.description}\n::notice::changed` });
    // Names of what is not managed, and what the platform says of a deployment, stand in prose.
    const [{ id: first = "" } = {}] = store.services();
    for (const text of others) {
      store.addService({ name: text, live: true });
      store.failNextDeployment(first, text);
      store.deploy(first, { actor: text });
      store.settle();
    }
    expect(await scenario.run("plan", "-detailed-exitcode")).toMatchObject({ code: 2 });
  });

  rowsIn(join(__dirname, "runner-verbs-after-edits.tsv")).flat().forEach(isInertIn);

  it("is written into a manifest as what it is", async () => {
    const { stdout } = await scenario.run("plan", "-json");
    const plan = JSON.parse(stdout) as { resource_changes: { change: { actions: string[] } }[] };
    expect(plan.resource_changes.filter(({ change }) => change.actions[0] !== "no-op")).toEqual([]);
  });

  it("is inert in every report of a job", () => {
    const reports = scenario.files().filter(({ path }) => /\/(report|drift)\/.*(?<!rnvplan)$/.test(path));
    expect(reports.length).toBeGreaterThan(5);
    for (const { path, text } of reports) {
      expect([path, commandsIn(text)]).toEqual([path, []]);
      if (path.endsWith(".md")) expect([path, aliveIn(text)]).toEqual([path, []]);
    }
  });
});

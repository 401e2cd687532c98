import { approve, failing, oneScenario, openScenario } from "../support/cli";

const shop = (branch: string) =>
  `projects:\n  shop:\n    services:\n      api: { kind: web, configuration: { repository: "https://git.example.com/shop", branch: ${branch} } }\n`;

describe("a digest that is expected", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.yaml", shop("main"));
  });
  beforeEach(() => scenario.forget());

  const apply = (digest: string) => scenario.run("apply", ...approve, "--expect-digest", digest);

  /** Plans in each form; all show one digest. */
  async function shownDigest(): Promise<string> {
    const text = await scenario.run("plan", "-out", "saved.rnvplan");
    const json = await scenario.run("plan", "-json");
    const markdown = await scenario.run("plan", "--format", "markdown");
    const saved = await scenario.run("show", "saved.rnvplan");
    const { digest } = JSON.parse(json.stdout) as { readonly digest: string };
    expect(text.stdout.trimEnd().split("\n").at(-1)).toBe(`Digest: ${digest}`);
    expect(saved.stdout).toMatch(new RegExp(`\\nDigest: ${digest}\\n$`));
    expect(markdown.stdout.trimEnd().split("\n").at(-1)).toBe(`<!-- rnv digest: ${digest} -->`);
    return digest;
  }

  it("is applied when the plan has it, and not again", async () => {
    const digest = await shownDigest();
    expect(await apply(digest)).toMatchObject({ code: 0 });
    await scenario.isQuiet();
    expect((await scenario.run("history", "--format", "json")).stdout).toContain(digest);
    scenario.forget();
    const again = await apply(digest);
    expect(again).toMatchObject(failing(5, "it has nothing left to do"));
    expect(scenario.requests()).toEqual([]);
    const quiet = await scenario.run("plan");
    expect(quiet.stdout).toMatch(/No changes\. Your infrastructure matches the configuration\.\n$/);
  });

  it("refuses a live change that came in between, shows what would be done, and writes nothing", async () => {
    scenario.write("rnv.yaml", shop("release"));
    const digest = await shownDigest();
    scenario.emulator.store.editConfiguration(scenario.idOf(), { branch: "elsewhere" });
    const refused = await apply(digest);
    expect(refused).toMatchObject({
      code: 5,
      stdout: expect.stringContaining("elsewhere"),
      stderr: expect.stringContaining("error[plan.digest]: the plan is not the reviewed one"),
    });
    expect(refused.stderr).toContain(`expected digest ${digest}`);
    expect(scenario.requests()).toEqual([]);
    const reviewed = await shownDigest();
    expect(reviewed).not.toBe(digest);
    expect(await apply(reviewed)).toMatchObject({ code: 0 });
    await scenario.isQuiet();
  });

  it("is 64 digits, of one plan", async () => {
    expect(await apply("abc")).toMatchObject(failing(1, "Not a digest"));
  });

  it("needs all 64 digits without a terminal", async () => {
    scenario.write("rnv.yaml", shop("third"));
    const digest = await shownDigest();
    expect(await apply(digest.slice(0, 12))).toMatchObject(
      failing(1, "without a terminal, --expect-digest needs all 64 digits"),
    );
    expect(await apply(digest.slice(0, 11))).toMatchObject(failing(1, "or the 12 that a terminal shows"));
  });
});

describe("the digest of a first plan", () => {
  it("is that of its apply, which creates the key of the fingerprints", async () => {
    const scenario = await openScenario();
    scenario.write(
      "rnv.yaml",
      'projects: { shop: { services: { api: { kind: web, deploy: { when: never }, variables: { A: "1" } } } } }\n',
    );
    const shown = ({ stdout }: { readonly stdout: string }) => /^Digest: (\w{64})$/m.exec(stdout)?.[1];
    const planned = shown(await scenario.run("plan"));
    expect(planned).toBeDefined();
    expect(shown(await scenario.run("apply", ...approve))).toBe(planned);
  });
});

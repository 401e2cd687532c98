import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { approve, eachScenario, openScenario } from "../support/cli";
import { atTerminal, hasTerminal } from "../support/pseudo-terminal";
import { itInSoak, shareOf } from "../support/soak";
import { newFolder } from "../support/temp-folder";

const manifest = "projects: { shop: { name: Shop } }\n";
const otherWorkspace = "6f1c0000-0000-4000-8000-000000000001";

const scenario = eachScenario();
let config: string;
beforeEach(async () => {
  scenario.write("rnv.yaml", manifest);
  config = newFolder("config");
});

/** An environment that names no service. */
const bare = (more: Record<string, string> = {}) => ({
  ...{ XDG_CONFIG_HOME: config, RNV_BASE_URL: "", RNV_WORKSPACE_ID: "", RNV_API_KEY: "" },
  ...more,
});
const saved = (file: string) => join(config, "rnv", file);
const host = () => new URL(scenario.url).host;
const firstLine = (name: string) => `Workspace ${embeddedWorkspaceId} on ${host()} (profile ${name})`;

/** Saves profiles of the workspace of the scenario, as login does. */
function save(...names: readonly string[]): void {
  mkdirSync(join(config, "rnv"), { recursive: true });
  const profile = { baseUrl: scenario.url, workspaceId: embeddedWorkspaceId };
  writeFileSync(
    saved("profiles.json"),
    JSON.stringify(Object.fromEntries(names.map((one) => [one, profile]))),
  );
  for (const name of names) writeFileSync(saved(`${name}.key`), `${embeddedApiKey}\n`, { mode: 0o600 });
}

const useInFolder = (name: string): void => scenario.write(".rnv/profile", `${name}\n`);

const run = (env: Record<string, string>, ...args: readonly string[]) => scenario.runWith({ env }, ...args);

const name = "Profile name";
const url = "Base URL, ending in /api/v1";
const workspace = "Workspace ID";
const key = "API key (not shown)";

(hasTerminal ? describe : describe.skip)("rnv login at a terminal", () => {
  const answers = (typedKey = embeddedApiKey) =>
    [
      [url, `${scenario.url}/`],
      [workspace, embeddedWorkspaceId],
      [key, typedKey],
    ] as const;

  it("asks, checks with one request, and saves a profile that this folder uses", async () => {
    scenario.forget();
    const { code, screen } = await atTerminal(scenario, "login", [[name, "shop"], ...answers()], bare());
    expect({ code, screen }).toMatchObject({ code: 0 });
    expect(screen).toContain("profile shop: saved; its key opens the workspace (0 projects)");
    expect(screen).toContain("Next: rnv plan");
    expect(screen).not.toContain(embeddedApiKey);
    expect(scenario.requests("all")).toEqual(["GET /workspaces/ID/projects"]);
    expect(JSON.parse(readFileSync(saved("profiles.json"), "utf8"))).toEqual({
      shop: { baseUrl: scenario.url, workspaceId: embeddedWorkspaceId },
    });
    expect(readFileSync(saved("shop.key"), "utf8")).toBe(`${embeddedApiKey}\n`);
    const modes = ["", "profiles.json", "shop.key"].map((file) => statSync(saved(file)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    expect(scenario.read(".rnv/profile")).toBe("shop\n");
    expect(scenario.read(".rnv/.gitignore")).toBe("*\n");
    expect(scenario.files().filter(({ text }) => text.includes(embeddedApiKey))).toEqual([]);
    const planned = await atTerminal(scenario, "plan", [], bare());
    expect(planned.screen.split("\n")[0]).toBe(firstLine("shop"));
    const applied = await atTerminal(scenario, "apply", [["Enter a value: ", "yes"]], bare());
    expect(applied.screen.split("\n")[0]).toBe(firstLine("shop"));
  });

  itInSoak("asks again after an answer that cannot be right", async () => {
    const { code, screen } = await atTerminal(
      scenario,
      "login",
      [
        [name, "../shop"],
        [name, "embedded"],
        [name, "shop"],
        [url, "http://api.example.com/api/v1"],
        [url, "embedded"],
        [url, scenario.url],
        [workspace, "6f1c"],
        [workspace, embeddedWorkspaceId],
        [key, "sk_secret"],
        [key, embeddedApiKey],
      ],
      bare(),
    );
    expect(code).toBe(0);
    for (const complaint of [
      'A profile name has letters, digits, ".", "_" and "-", at most 64; only a key begins with rnv_.',
      'The profile "embedded" is built in and needs no login.',
      "The base URL sends the API key to api.example.com without encryption.",
      "The embedded platform needs no login: use --profile embedded.",
      "Not a UUID: 8-4-4-4-12 hexadecimal digits.",
      'Not an API key: it starts with "rnv_" and has no spaces.',
    ])
      expect(screen.replaceAll(/\s+/g, " ")).toContain(` ${complaint} `);
    expect(screen).not.toContain("sk_secret");
  });

  it("saves nothing where the key does not open the workspace, nor after Ctrl-C or Ctrl-D", async () => {
    const foreign = [
      [url, scenario.url],
      [workspace, otherWorkspace],
      [key, embeddedApiKey],
    ] as const;
    const refused = await atTerminal(scenario, "login --profile shop", foreign, bare());
    expect(refused.code).toBe(1);
    expect(refused.screen).toContain("error[api.");
    expect(refused.screen).toContain("hint: nothing was saved: check the answers and run rnv login again");
    for (const typed of shareOf(["\u0003", "\u0004"], 2)) {
      const left = await atTerminal(scenario, "login --profile shop", answers(typed), bare());
      expect({ typed, ...left }).toMatchObject({ typed, code: 130 });
      expect(left.screen).toContain("Cancelled. Nothing was saved.");
    }
    expect([existsSync(saved("profiles.json")), existsSync(join(scenario.folder, ".rnv"))]).toEqual([
      false,
      false,
    ]);
  });

  it("asks for the key again where it is wrong, and in an empty folder names init as the next step", async () => {
    rmSync(join(scenario.folder, "rnv.yaml"));
    const twice = [...answers("rnv_wrong"), [key, embeddedApiKey]] as const;
    const { code, screen } = await atTerminal(scenario, "login --profile shop", twice, bare());
    expect({ code, screen }).toMatchObject({ code: 0 });
    expect(screen).toContain(" The platform refused this key.\n");
    expect(screen).toContain("\nNext: rnv init --from workspace\n");
    expect(screen).not.toContain("rnv_wrong");
    expect(readFileSync(saved("shop.key"), "utf8")).toBe(`${embeddedApiKey}\n`);
  });

  itInSoak("offers what the profile has, and keeps other profiles", async () => {
    save("shop", "other");
    const again = [
      [`${url} [${scenario.url}]`, ""],
      [`${workspace} [${embeddedWorkspaceId}]`, ""],
      [key, embeddedApiKey],
    ] as const;
    expect(await atTerminal(scenario, "login --profile shop", again, bare())).toMatchObject({ code: 0 });
    expect(Object.keys(JSON.parse(readFileSync(saved("profiles.json"), "utf8")))).toEqual(["shop", "other"]);
    const ofFolder = await atTerminal(scenario, "login", [[`${name} [shop]`, ""], ...again], bare());
    expect(ofFolder.code).toBe(0);
  });
});

it("rnv login without a terminal names the variables to set", async () => {
  const { code, stdout, stderr } = await run(bare(), "login");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("rnv login needs a terminal to ask for a key");
  expect(stderr).toContain("RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY (or RNV_API_KEY_FILE)");
});

describe("a profile", () => {
  it("is used by --profile, RNV_PROFILE and the folder's own name, in this order, and by nothing else", async () => {
    save("one", "two", "three");
    const used = async (env: Record<string, string>, ...args: string[]) =>
      (await run(env, "plan", ...args)).stderr;
    const unset = await used(bare());
    expect(unset).toContain("RNV_BASE_URL is not set");
    expect(unset.match(/hint: rnv login asks for it/g)).toHaveLength(3);
    useInFolder("one");
    expect(await used(bare())).toBe(`${firstLine("one")}\n`);
    expect(await used(bare({ RNV_PROFILE: "two" }))).toBe(`${firstLine("two")}\n`);
    expect(await used(bare({ RNV_PROFILE: "two" }), "-profile=three")).toBe(`${firstLine("three")}\n`);
    scenario.write("below/rnv.yaml", manifest);
    expect(await used(bare(), "-chdir=below")).toContain("RNV_BASE_URL is not set");
  });

  it("leaves standard output as it is, and JSON without a line on either stream", async () => {
    save("shop");
    const plain = await scenario.run("plan");
    expect(plain.stderr).toBe("");
    const planned = await run(bare(), "plan", "--profile", "shop");
    expect(planned).toEqual({ ...plain, stderr: `${firstLine("shop")}\n` });
    const json = await run(bare(), "plan", "-json", "--profile", "shop");
    expect(json).toEqual({ code: 0, stdout: expect.stringMatching(/^\{/), stderr: "" });
    const applied = await run(bare(), "apply", ...approve, "--profile", "shop");
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining(firstLine("shop")) });
    const events = await run(bare(), "apply", ...approve, "-json", "--profile", "shop");
    expect(events.stdout.split("\n")[0]).toContain('"type":"version"');
    expect(events.stdout + events.stderr).not.toContain("Workspace ");
  });

  it.each([
    ["that does not exist", "nope", 'the profile "nope" does not exist', "rnv login --profile nope"],
    ["without its key", "keyless", 'the profile "keyless" has no key', "rnv login --profile keyless"],
    ["whose name is a path", "../rnv/shop", "a profile name has letters", "rnv login --profile NAME"],
  ])("%s is an error where the run connects, and none elsewhere", async (_, wanted, summary, hint) => {
    save("shop", "keyless");
    rmSync(saved("keyless.key"));
    const asked = await run(bare(), "plan", "--profile", wanted);
    expect(asked).toMatchObject({ code: 1, stdout: "" });
    expect(asked.stderr).toContain(`error[config.invalid]: ${summary}`);
    expect(asked.stderr).toContain(hint);
    useInFolder(wanted);
    expect((await run(bare(), "plan")).stderr).toContain(".rnv/profile names it.");
    expect(await run(bare(), "validate")).toMatchObject({ code: 0 });
  });

  it("loses to the environment, and its key goes to no other address", async () => {
    save("shop");
    useInFolder("shop");
    const wrongKey = await run(bare({ RNV_API_KEY: "rnv_other" }), "plan");
    expect(wrongKey.stderr).toContain("error[api.unauthorized]");
    const elsewhere = await run(bare({ RNV_WORKSPACE_ID: otherWorkspace }), "plan");
    expect(elsewhere.stderr).toContain(`Workspace ${otherWorkspace} on ${host()} (profile shop)`);
    const other = await openScenario();
    const env = bare({ RNV_BASE_URL: other.url });
    expect((await run(env, "plan")).stderr).toContain("RNV_API_KEY is not set");
    const { stderr } = await run(env, "plan", "--profile", "shop");
    expect(stderr).toContain("The profile is not used: RNV_BASE_URL in the environment wins.");
    expect(other.requests("all")).toEqual([]);
    expect((await scenario.run("plan")).stderr).toBe("");
  });

  it("is not read in CI", async () => {
    save("shop");
    useInFolder("shop");
    for (const system of ["CI", "GITHUB_ACTIONS", "TF_BUILD"]) {
      const job = { [system]: "true" };
      expect((await run(bare(job), "plan")).stderr).toContain("RNV_BASE_URL is not set");
      const asked = await run(bare(job), "plan", "--profile", "shop");
      expect({ job, ...asked }).toMatchObject({ job, code: 1 });
      expect(asked.stderr).toContain('the profile "shop" is not read in CI');
      expect(await scenario.runWith({ env: job }, "plan")).toMatchObject({ code: 0 });
    }
  });

  it("is not chosen by the folder of an untrusted manifest", async () => {
    save("shop");
    useInFolder("shop");
    expect((await run(bare(), "plan", "--untrusted")).stderr).toContain("RNV_BASE_URL is not set");
    expect(await run(bare(), "plan", "--untrusted", "--profile", "shop")).toMatchObject({ code: 0 });
  });

  it("is built in under the name embedded", async () => {
    const { code, stderr } = await run(bare(), "apply", ...approve, "--profile", "embedded");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(`Workspace ${embeddedWorkspaceId} on the embedded platform (profile embedded)`);
    expect(existsSync(join(config, "rnv"))).toBe(false);
  });
});

(hasTerminal ? describe : describe.skip)("rnv init at a terminal", () => {
  const down = "\u001b[B";
  const service = "Which platform does this folder use?";
  beforeEach(() => rmSync(join(scenario.folder, "rnv.yaml")));

  itInSoak("offers to try it here, and plan and apply work then", async () => {
    const { code, screen } = await atTerminal(scenario, "init", [[service, down]], bare());
    expect({ code, screen }).toMatchObject({ code: 0 });
    expect(screen).toContain("try it here: embedded");
    expect(screen).not.toContain("Start from:");
    expect(scenario.read(".rnv/profile")).toBe("embedded\n");
    expect(scenario.read(".gitignore")).toBe(".rnv/\nnode_modules/\ncdktf.out/\nrnv-report/\n");
    const planned = await atTerminal(scenario, "plan", [], bare());
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.screen).toMatch(/^Workspace \S+ on the embedded platform \(profile\s+embedded\)\n/);
    const again = await atTerminal(scenario, "init", [], bare());
    expect(again.screen).not.toContain(service);
  });

  it("asks for a workspace, saves it as a profile, and starts with the example where it is empty", async () => {
    const answers = [
      [service, ""],
      [name, "shop"],
      [url, scenario.url],
      [workspace, embeddedWorkspaceId],
      [key, embeddedApiKey],
    ] as const;
    const { code, screen } = await atTerminal(scenario, "init", answers, bare());
    expect({ code, screen }).toMatchObject({ code: 0 });
    expect(screen).not.toContain(embeddedApiKey);
    expect(screen).not.toContain("Start from:");
    expect(screen).toContain("rnv.yaml: a first manifest to edit");
    expect(scenario.read(".rnv/profile")).toBe("shop\n");
    expect((await run(bare(), "plan")).code).toBe(0);
  });
});

it("init adds to .gitignore what it lacks, and only that", async () => {
  scenario.write(".gitignore", "/node_modules\n**/cdktf.out/\n.rnv");
  const { stdout } = await scenario.run("init");
  expect(stdout).toContain("+ .gitignore: added rnv-report/\n");
  const text = "/node_modules\n**/cdktf.out/\n.rnv\nrnv-report/\n";
  expect(scenario.read(".gitignore")).toBe(text);
  expect((await scenario.run("init")).stdout).toContain("  .gitignore has .rnv/ already\n");
  expect(scenario.read(".gitignore")).toBe(text);
});

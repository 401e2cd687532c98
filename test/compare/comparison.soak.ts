import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { builtCli } from "../support/built-cli";
import { type Build, cliOf } from "./build";
import { type Difference, differencesOf, expectedOf, judge } from "./differences";
import { playStory, type Step, type Story } from "./world";

const story: Story = {
  name: "a project",
  play: async (world) => {
    world.write("rnv.yaml", "projects: { shop: { name: Shop } }\n");
    await world.rnv("apply", "-auto-approve", "-input=false");
    await world.rnv("plan", "-json");
  },
};

/** Changes in what a program does, each as code that runs after it. */
const planted: Readonly<Record<string, string>> = {
  "one more request": `if (verb === "apply") await fetch(process.env.RNV_BASE_URL + "/workspaces/w/projects", { method: "POST", body: "{}" });`,
  "another exit code": `if (verb === "plan") process.exitCode = 9;`,
  "another field in the state": `if (verb === "apply") {
    const state = JSON.parse(fs.readFileSync(".rnv/state.json", "utf8"));
    state.resources["project.shop"].colour = "blue";
    fs.writeFileSync(".rnv/state.json", JSON.stringify(state));
  }`,
};

describe("the comparison of two builds", () => {
  const folder = mkdtempSync(join(tmpdir(), "rnv-planted-"));
  const build: Build = { name: "built", root: resolve(__dirname, "../..") };
  let steps: readonly Step[];
  beforeAll(async () => {
    builtCli();
    steps = await playStory(story, build, build);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const compareWith = async (name: string, code: string): Promise<Difference[]> => {
    const root = join(folder, name);
    mkdirSync(join(root, "dist/bin"), { recursive: true });
    writeFileSync(
      join(root, "dist/bin/rnv.js"),
      `const fs = require("node:fs");
const { spawnSync } = require("node:child_process");
const [verb] = process.argv.slice(2);
const rnv = ${JSON.stringify(cliOf(build))};
process.exitCode = spawnSync(process.execPath, [rnv, ...process.argv.slice(2)], { stdio: "inherit" }).status;
(async () => { ${code} })();
`,
    );
    return differencesOf(story.name, steps, await playStory(story, { name, root }, build));
  };

  it("finds nothing where the program does the same", async () => {
    expect(steps.map(({ code }) => code)).toEqual([0, 0]);
    expect(await compareWith("same", "")).toEqual([]);
  });

  it("finds one more request", async () => {
    const found = await compareWith("request", planted["one more request"] ?? "");
    expect(found).toEqual([
      expect.objectContaining({ path: "writes", text: "+ POST /workspaces/w/projects {}" }),
    ]);
  });

  it("finds another exit code", async () => {
    const found = await compareWith("code", planted["another exit code"] ?? "");
    expect(found).toEqual([
      { story: "a project", step: "2 rnv plan -json", path: "exit code", text: "0 -> 9" },
    ]);
  });

  it("finds another field in the state", async () => {
    const found = await compareWith("field", planted["another field in the state"] ?? "");
    expect(found).toEqual([
      expect.objectContaining({
        path: ".rnv/state.json resources project.shop colour",
        text: '(nothing) -> "blue"',
      }),
    ]);
  });
});

describe("the list of reviewed differences", () => {
  const difference = { story: "a", step: "1 rnv plan", path: "output digest", text: "1 -> 2" };

  it("covers a difference by its story, step and path, with * for any text", () => {
    const expected = expectedOf(
      "[1a2361bc]\n# why\na | * | output * | the digest is another\n",
      "1a2361bcff",
    );
    expect(judge([difference], expected)).toEqual({ unlisted: [], unused: [] });
    const other = { ...difference, path: "writes" };
    expect(judge([difference, other], expected).unlisted).toEqual([other]);
  });

  it("reports an entry that matches nothing", () => {
    const expected = expectedOf("[1a2361bc]\nb | * | * | nothing any more\n", "1a2361bcff");
    expect(judge([difference], expected)).toEqual({ unlisted: [difference], unused: expected });
  });

  it("holds only for the commit of its heading, and demands a reason", () => {
    expect(expectedOf("[00000000]\na | * | * | other\n", "1a2361bcff")).toEqual([]);
    expect(() => expectedOf("[1a2361bc]\na | * | *\n", "1a2361bcff")).toThrow("story | step | path | reason");
  });
});

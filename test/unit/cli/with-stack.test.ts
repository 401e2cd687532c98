import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Screen } from "../../../src/cli/screen";
import { withStack } from "../../../src/cli/synthesize";
import type { Request } from "../../../src/cli/target";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { request } from "../../support/request";
import { textIn } from "../../support/rows";
import { newFolder } from "../../support/temp-folder";

let folder: string;
let told: string[];
beforeEach(() => {
  folder = newFolder("with-stack");
  told = [];
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** A program that writes what it was given into the output folder, and a manifest unless told not to. */
const program = textIn(join(__dirname, "seen-environment.txt"));

const screen: Screen = {
  cwd: "",
  environment: {},
  format: "text",
  input: true,
  signal: new AbortController().signal,
  terminal: { note: (text: string) => told.push(text) } as unknown as Screen["terminal"],
};

const given = (options: Partial<Request> = {}, environment: Request["environment"] = {}): Request => ({
  ...request,
  cwd: folder,
  environment: { PATH: process.env.PATH, RNV_API_KEY: "rnv_key", PLAIN: "kept", ...environment },
  ...options,
});

async function refused(made: Request) {
  const failure = await withStack(made, screen).catch((cause: unknown) => cause);
  if (!(failure instanceof DiagnosticsError)) throw new Error("it was not refused");
  return failure.diagnostics[0];
}

describe("--app and cdktf.json", () => {
  it("run the program in the caller's environment, and read what it wrote", async () => {
    write("app.js", program);
    const { files, synthesized } = await withStack(given({ app: "node app.js" }), screen);
    expect(files).toEqual(["cdktf.out"]);
    expect([...(synthesized?.keys() ?? [])]).toEqual(["cdktf.out/manifest.json"]);
    const seen = JSON.parse(readFileSync(join(folder, "cdktf.out", "seen.json"), "utf8"));
    expect(seen).toEqual({ plain: "kept" });
    expect(told).toEqual(["Synthesizing: node app.js\n"]);
  });

  it("give the program no credential of rnv, and no token of the CI platform that is not listed", async () => {
    write(
      "app.js",
      `const out = process.env.CDKTF_OUTDIR;
       require("node:fs").mkdirSync(out);
       require("node:fs").writeFileSync(out + "/manifest.json", '{"stacks":{}}');
       require("node:fs").writeFileSync("seen.json", JSON.stringify(process.env));`,
    );
    const file = textIn(join(__dirname, "environment-of-a-job.json"));
    const {
      credentials,
      others,
    }: Record<"credentials" | "others", Record<string, string>> = JSON.parse(file);
    const environment = {
      ...credentials,
      ...others,
      GH_TOKEN: "listed",
      RNV_ALLOW_ENV: "GH_TOKEN RNV_API_KEY",
    };
    await withStack(given({ app: "node app.js" }, environment), screen);
    const seen = JSON.parse(readFileSync(join(folder, "seen.json"), "utf8"));
    expect(seen).toMatchObject({ ...others, GH_TOKEN: "listed" });
    expect(Object.keys(seen).filter((name) => name in credentials || name === "RNV_API_KEY")).toEqual([]);
  });

  it.each([
    ["--untrusted", { untrusted: true }, {}],
    ["RNV_ALLOW_COMMANDS=0", {}, { RNV_ALLOW_COMMANDS: "0" }],
  ])("run no program where %s forbids it", async (what, options, environment) => {
    write("app.js", program);
    write("cdktf.json", JSON.stringify({ app: "node app.js" }));
    expect(await refused(given(options, environment))).toMatchObject({
      code: "guard.untrusted",
      summary: `the program "node app.js" of cdktf.json is not run: ${what} forbids it`,
    });
    expect(await refused(given({ ...options, app: "node app.js" }, environment))).toMatchObject({
      code: "guard.untrusted",
    });
    await expect(withStack(given(options, environment), screen)).rejects.toMatchObject({ exitCode: 4 });
    expect(existsSync(join(folder, "cdktf.out"))).toBe(false);
  });

  it("remove nothing outside of the project, whatever cdktf.json calls its output, links followed", async () => {
    const outside = newFolder("outside");
    writeFileSync(join(outside, "manifest.json"), "theirs");
    symlinkSync(outside, join(folder, "link"));
    write("app.js", program);
    for (const output of [outside, join("..", basename(outside)), "link", "link/deeper"]) {
      write("cdktf.json", JSON.stringify({ app: "node app.js", output }));
      expect(await refused(given())).toMatchObject({
        summary: `the output folder ${JSON.stringify(output)} is outside the project folder`,
      });
    }
    expect(readFileSync(join(outside, "manifest.json"), "utf8")).toBe("theirs");
  });

  it("cdktf.json gives the program, its output folder and its context", async () => {
    write("app.js", program);
    write("cdktf.json", JSON.stringify({ app: "node app.js", output: "out", context: { a: 1 } }));
    expect((await withStack(given(), screen)).files).toEqual(["out"]);
    expect(JSON.parse(readFileSync(join(folder, "out", "seen.json"), "utf8")).context).toBe('{"a":1}');
  });

  it.each([
    ["a manifest stands", "rnv.yaml", {}],
    ["a folder of manifests stands", "rnv/a.yaml", {}],
    ["a file is named", undefined, { files: ["x.yaml"] }],
  ])("nothing runs where %s", async (_where, manifest, options) => {
    write("app.js", program);
    write("cdktf.json", JSON.stringify({ app: "node app.js" }));
    mkdirSync(join(folder, "rnv"));
    if (manifest !== undefined) write(manifest, "projects: {}");
    const made = given(options);
    expect(await withStack(made, screen)).toBe(made);
    expect(existsSync(join(folder, "cdktf.out"))).toBe(false);
  });

  it("nothing runs where neither names a program", async () => {
    const made = given();
    expect(await withStack(made, screen)).toBe(made);
    write("cdktf.json", "{}");
    expect(await withStack(given({ files: ["cdktf.out"] }), screen)).toMatchObject({ files: ["cdktf.out"] });
    write("rnv.yaml", "projects: {}");
    expect(await withStack(made, screen)).toBe(made);
  });

  it("a cdktf.json without an app is an error where nothing else is there to read", async () => {
    write("cdktf.json", '{"language":"typescript"}');
    expect(await refused(given())).toMatchObject({
      code: "stack.not_found",
      summary: "cdktf.json names no app",
      hint: expect.stringContaining('write "app": "npx tsx main.ts"'),
    });
  });

  it("an app with an outdir of its own is told what to write", async () => {
    write("app.js", 'require("node:fs").mkdirSync("dist");');
    expect(await refused(given({ app: "node app.js" }))).toMatchObject({
      summary: 'the program "node app.js" wrote no manifest.json into CDKTF_OUTDIR',
      hint: expect.stringContaining(
        'if the app has an outdir of its own, write that folder as "output" in cdktf.json',
      ),
    });
  });

  it("--app stands alone", async () => {
    expect(await refused(given({ app: "node app.js", files: ["a"] }))).toMatchObject({
      code: "command.usage",
    });
  });

  it("a program that fails is shown with what it printed", async () => {
    write("app.js", program);
    expect(await refused(given({ app: "node app.js fail" }))).toMatchObject({
      code: "stack.program_failed",
      summary: 'the program "node app.js fail" ended with exit code 3',
      detail: "It printed:\nwhat it prints",
    });
  });

  it("the message of an error that it throws is shown, and where", async () => {
    mkdirSync(join(folder, "node_modules"));
    write("node_modules/lib.js", "exports.run = (text) => { throw new TypeError(text); };");
    write(
      "app.js",
      'console.log("before");\nrequire("./node_modules/lib.js").run("no plan huge,\\nnor small");',
    );
    expect(await refused(given({ app: "node app.js" }))).toMatchObject({
      code: "stack.program_failed",
      summary: 'the program "node app.js" failed: TypeError: no plan huge,',
      detail: expect.stringMatching(
        /^It printed:\nbefore\n[\s\S]*\nTypeError: no plan huge,\nnor small\n +at Object\.<anonymous> \(app\.js:2:\d+\)$/,
      ),
    });
  });

  it("the files of an earlier run are not taken for the result", async () => {
    write("app.js", program);
    await withStack(given({ app: "node app.js" }), screen);
    expect(await refused(given({ app: "node app.js nothing" }))).toMatchObject({
      summary: 'the program "node app.js nothing" wrote no manifest.json into CDKTF_OUTDIR',
    });
    write("cdktf.json", '{ "output": "cdktf.out" }');
    expect(await refused(given({ app: "node app.js nothing" }))).toMatchObject({
      summary: 'the program "node app.js nothing" wrote no manifest.json into cdktf.out',
    });
    expect(existsSync(join(folder, "cdktf.out/manifest.json"))).toBe(true);
  });

  it("an interruption ends the program and what it started", async () => {
    write(
      "app.js",
      'require("node:child_process").spawn("sleep", ["600"], { stdio: "inherit" }); setInterval(() => {}, 1000);',
    );
    const abort = new AbortController();
    const waiting = withStack(given({ app: "node app.js" }), { ...screen, signal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(waiting).rejects.toThrow(abort.signal.reason);
  });

  /** A program of one stack for each word of TARGET, which waits for the file DONE if it is told to. */
  const stacksOf = textIn(join(__dirname, "stacks-by-variables.txt"));
  const stackIn = (files: Request["synthesized"], name: string): unknown =>
    JSON.parse(files?.get(`cdktf.out/stacks/${name}/cdk.tf.json`)?.toString() ?? "null");

  it.each([
    ["CDKTF_OUTDIR", {}],
    ["an output folder of its own", { OUT: "cdktf.out" }],
  ])("two runs in one folder read what their own program wrote into %s", async (_, environment) => {
    write("app.js", stacksOf);
    if ("OUT" in environment) write("cdktf.json", '{ "output": "cdktf.out" }');
    const run = (more: Request["environment"]) =>
      withStack(given({ app: "node app.js" }, { ...environment, ...more }), screen);
    const staging = run({ TARGET: "shop", WAIT: "1" });
    while (!existsSync(join(folder, ".rnv"))) await setTimeout(20);
    const production = run({ TARGET: "shop tools" });
    if (!("OUT" in environment)) await production;
    write("done", "");
    expect(stackIn((await staging).synthesized, "shop")).toEqual({ "//": "shop" });
    expect(stackIn((await production).synthesized, "shop")).toEqual({ "//": "shop tools" });
    expect(readdirSync(join(folder, ".rnv"))).toEqual([".gitignore"]);
  });

  it("the files of the program replace the stacks in cdktf.out, and files of Terraform stay there", async () => {
    write("app.js", stacksOf);
    await withStack(given({ app: "node app.js" }, { TARGET: "shop tools old" }), screen);
    for (const name of ["shop", "old"]) mkdirSync(join(folder, `cdktf.out/stacks/${name}/.terraform`));
    await withStack(given({ app: "node app.js" }, { TARGET: "shop" }), screen);
    const left = readdirSync(join(folder, "cdktf.out/stacks"), { recursive: true });
    expect(left.sort()).toEqual([
      ...["old", "old/.terraform"],
      ...["shop", "shop/.terraform", "shop/cdk.tf.json"],
    ]);
    write("cdktf.json", '{ "app": "node app.js" }');
    await withStack(given({ files: ["cdktf.out"] }), screen);
    expect(told.at(-1)).toMatch(/^Reading cdktf\.out of 20\S+Z\. The app of cdktf\.json is not run\.\n$/);
  });

  it("two apps in one program are refused by their stacks", async () => {
    write("app.js", stacksOf);
    expect(await refused(given({ app: "node app.js" }, { TARGET: "a b and c" }))).toMatchObject({
      summary: 'the program "node app.js" has two apps: of a, b, and of c',
    });
  });
});

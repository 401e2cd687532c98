import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { approve, failing, oneScenario, printing } from "../support/cli";

const manifest = (replicas: number) =>
  `services:\n  docs: { kind: web, configuration: { repository: "https://git.example.com/docs", replicas: ${replicas} } }\n`;

/** Times differ from run to run. */
const timeless = (text: string) =>
  text.replace(/"(timestamp|time|at)": ?"[^"]*"/g, '"$1":""').replace(/\d+[smh] ago/g, "");

describe("--json-into", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.yaml", manifest(1));
  });

  it("says before anything is read or applied that a file of an option cannot be written", async () => {
    scenario.write("plain", "");
    scenario.forget();
    for (const words of [
      "apply -auto-approve --json-into missing/x",
      "plan --json-into plain/x",
      "plan --out missing/x",
      "plan --html .",
      "drift --html missing/x",
      "ci drift --metrics missing/x",
      "ci plan --report plain/x",
      "fleet plan --report plain",
    ]) {
      const { code, stdout, stderr } = await scenario.run(...words.split(" "));
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
      expect(stderr).toContain(`cannot write ${words.split(" ").at(-1)}: `);
    }
    expect(scenario.requests("all")).toEqual([]);
  });

  it("writes what plan -json prints, and shows the text", async () => {
    const { code, stdout } = await scenario.run("plan", "--json-into", "plan.json");
    expect({ code, stdout }).toEqual(printing(0, "Plan: 2 to add"));
    const printed = await scenario.run("plan", "-json");
    expect(timeless(scenario.read("plan.json"))).toBe(timeless(printed.stdout));
  });

  it("writes the events of apply, line by line", async () => {
    const { code, stdout } = await scenario.run("apply", ...approve, "--json-into", "apply.jsonl");
    expect({ code, stdout }).toEqual(printing(0, "Apply complete!"));
    const types = (text: string) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).type);
    const written = types(scenario.read("apply.jsonl"));
    expect(written[0]).toBe("version");
    expect(written.at(-1)).toBe("summary");
    for (const type of ["planned", "start", "done"]) expect(written).toContain(type);
    expect(written.indexOf("planned")).toBeLessThan(written.indexOf("start"));
    scenario.write("rnv.yaml", manifest(2));
    const both = await scenario.run("apply", ...approve, "-json", "--json-into", "apply.jsonl");
    expect(types(scenario.read("apply.jsonl"))).toEqual(types(both.stdout));
  });

  it("writes what drift -json prints, and of a failure its errors", async () => {
    scenario.settle();
    scenario.emulator.store.editConfiguration(scenario.idOf(), { replicas: 3 });
    const { code, stdout } = await scenario.run("drift", "--json-into", "drift.json");
    expect({ code, stdout }).toEqual(printing(2, "replicas"));
    const printed = await scenario.run("drift", "-json");
    expect(timeless(scenario.read("drift.json"))).toBe(timeless(printed.stdout));
    const env = { RNV_API_KEY: "rnv_wrong" };
    for (const verb of ["plan", "drift"]) {
      const failed = await scenario.runWith({ env }, verb, "-json", "--json-into", "plan.json");
      expect(failed).toMatchObject({ code: 1, stdout: scenario.read("plan.json") });
      expect(failed.stdout).toMatch(/"errored": true,.*"code": "api.unauthorized"/s);
      expect(failed.stderr.match(/api\.unauthorized/g)).toHaveLength(1);
    }
    scenario.write("rnv.yaml", "services: { docs: { kind: web, wrong: 1 } }\n");
    expect((await scenario.run("plan", "--json-into", "plan.json")).code).toBe(1);
    expect(JSON.parse(scenario.read("plan.json"))).toMatchObject({
      errored: true,
      diagnostics: [{ code: "manifest.unknown_key" }],
    });
  });

  it("keeps a pipe open between its lines", async () => {
    scenario.write("rnv.yaml", manifest(4));
    const pipe = join(scenario.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = promisify(execFile)("cat", [pipe]);
    await scenario.applies("--json-into", "pipe");
    const lines = (await reader).stdout.trimEnd().split("\n");
    expect([lines[0], lines.at(-1)].map((line = "") => JSON.parse(line).type)).toEqual([
      "version",
      "summary",
    ]);
  });

  it("makes exit code 1 of an apply that went well where its file takes no line", async () => {
    scenario.write("rnv.yaml", manifest(5));
    const { code, stdout, stderr } = await scenario.run(
      ...["apply", ...approve, "-json", "--json-into", "/dev/full"],
    );
    expect({ code, stderr }).toEqual(failing(1, "Cannot write /dev/full"));
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      type: "summary",
      exitCode: 1,
    });
    await scenario.isQuiet();
  });
});

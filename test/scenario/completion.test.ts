import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { builtCli } from "../support/built-cli";
import { briefly, oneScenario } from "../support/cli";
import { textIn } from "../support/rows";
import { isSoak, itInSoak } from "../support/soak";

/** A shell that is not there is not tried: the title says so. */
const ifInstalled = (shell: string) =>
  isSoak && has(shell)
    ? it
    : (title: string, body: () => void) => it.skip(`${title} (${shell} is not installed)`, body);
const has = (shell: string): boolean => spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0;

describe("completion", () => {
  const scenario = oneScenario();
  let path: string;
  beforeAll(async () => {
    scenario.write(
      "bin/rnv",
      `#!/bin/sh\nexec "${process.execPath}" ${briefly.join(" ")} "${builtCli()}" "$@"\n`,
    );
    chmodSync(join(scenario.folder, "bin/rnv"), 0o755);
    path = `${join(scenario.folder, "bin")}:${process.env.PATH}`;
    await scenario.applied("services: { api: { kind: web, deploy: { when: never } } }\n");
    scenario.write("completion.bash", (await scenario.run("completion", "bash")).stdout);
    scenario.write("offers.bash", textIn(join(__dirname, "completion-offers.bash")));
    scenario.write("rnv.yaml", textIn(join(__dirname, "completion.yaml")));
  });

  /** What Tab offers after these words: the function that the script registers, called as bash calls it. */
  const offered = (...words: readonly string[]): { words: string[]; stderr: string } => {
    // No address of the service, no key: completion sends no request.
    const { stdout, stderr } = spawnSync("bash", ["offers.bash", ...words], {
      cwd: scenario.folder,
      env: { PATH: path, HOME: scenario.folder },
      encoding: "utf8",
    });
    return { words: stdout.split("\n").filter((word) => word !== ""), stderr };
  };

  it("offers what is declared and what is recorded, sends no request and runs nothing", () => {
    scenario.forget();
    expect(offered("plan", "-target", "").words).toEqual([
      "deployment.worker",
      "service.api",
      "service.worker",
      "variable.worker.SECRET",
    ]);
    expect(offered("plan", "--target", "=", "service.w").words).toEqual(["service.worker"]);
    expect(offered("plan", "-f", "-", "-target", "service.w").words).toEqual(["service.worker"]);
    expect(scenario.requests("all")).toEqual([]);
    expect(scenario.files().map(({ path }) => path)).not.toContain(join(scenario.folder, "it-ran"));
  });

  it("offers values, verbs and options", () => {
    expect(offered("plan", "-format", "")).toEqual({ words: ["text", "json", "markdown"], stderr: "" });
    expect(offered("state", "b").words).toEqual(["backups"]);
    expect(offered("apply", "-auto").words).toEqual(["-auto-approve"]);
  });

  itInSoak("leaves paths to bash", () => {
    expect(offered("plan", "-f", "").words).toEqual([]);
  });

  const meant = ["service.api", "service.worker"];

  ifInstalled("fish")("in fish offers what Tab shows there, with what it means", () => {
    const offer = (line: string): string[] => {
      const script = `rnv completion fish | source; complete -C "${line}"`;
      const { stdout } = spawnSync("fish", ["--no-config", "-c", script], {
        cwd: scenario.folder,
        env: { PATH: path, HOME: scenario.folder },
        encoding: "utf8",
      });
      return stdout.split("\n").filter((one) => one !== "");
    };
    expect(offer("rnv pla")).toEqual(["plan\tShow what apply would do"]);
    expect(offer("rnv plan -target serv")).toEqual(meant);
    expect(offer("rnv plan --target=serv")).toEqual(meant.map((one) => `--target=${one}`));
    expect(offer("rnv plan -f rnv.y")).toEqual(["rnv.yaml"]);
    expect(offer("rnv state mo")).toEqual([]);
  });

  ifInstalled("zsh")("in zsh completes what is typed, at a terminal of its own", () => {
    // `zpty` runs a zsh that takes keys; each line is shown as it is after Tab, then thrown away.
    scenario.write("keys.zsh", textIn(join(__dirname, "completion-keys.zsh")));
    const lines = [
      "rnv pla",
      "rnv plan --target=service.w",
      "rnv plan -f rnv.y",
      "rnv apply -auto",
      "rnv state rm ",
    ];
    const { stdout } = spawnSync("zsh", ["-f", "keys.zsh", ...lines], {
      cwd: scenario.folder,
      env: { PATH: path, HOME: scenario.folder, TERM: "dumb" },
      encoding: "utf8",
      timeout: 60_000,
    });
    const shown = stdout.split("#END");
    for (const [i, whole] of [
      "rnv plan",
      "rnv plan --target=service.worker",
      "rnv plan -f rnv.yaml",
      "rnv apply -auto-approve",
      "variable.worker.SECRET",
    ].entries())
      expect(shown[i]).toContain(whole);
  });

  itInSoak("offers what the stage on the line declares alone", () => {
    const stages = "stages: { staging: {}, production: { overlay: more.yaml } }\n";
    scenario.write("rnv.yaml", `${stages}services: { api: { kind: web } }\n`);
    scenario.write("more.yaml", "services: { extra: { kind: web } }\n");
    const at = (stage: string) => offered("plan", "--stage", stage, "-target", "service.e").words;
    expect([at("production"), at("staging")]).toEqual([["service.extra"], []]);
  });

  itInSoak("is silent where nothing can be read", () => {
    scenario.write("rnv.yaml", "services: [not, a: manifest");
    scenario.write(".rnv/state.json", "{");
    expect(offered("state", "show", "")).toEqual({ words: [], stderr: "" });
  });
});

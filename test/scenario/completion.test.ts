import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { builtCli } from "../support/built-cli";
import { approve, openScenario, type Scenario } from "../support/cli";

const shells = { zsh: "-n", fish: "--no-execute" } as const;
const has = (shell: string): boolean => spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0;

describe("completion in bash", () => {
  let scenario: Scenario;
  let path: string;
  beforeAll(async () => {
    scenario = await openScenario();
    mkdirSync(join(scenario.folder, "bin"));
    scenario.write("bin/rnv", `#!/bin/sh\nexec "${process.execPath}" "${builtCli()}" "$@"\n`);
    chmodSync(join(scenario.folder, "bin/rnv"), 0o755);
    path = `${join(scenario.folder, "bin")}:${process.env.PATH}`;
    scenario.write("rnv.yaml", "services: { api: { kind: web, deploy: { when: never } } }\n");
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    scenario.write(
      "rnv.yaml",
      `services:
  worker:
    kind: web
    configuration: { branch: "\${env.NOT_SET_HERE}" }
    variables: { SECRET: { fromCommand: [touch, it-ran] } }
`,
    );
  });
  afterAll(() => scenario.close());

  /** What Tab offers after these words: the function that the script registers, called as bash calls it. */
  const offered = (...words: readonly string[]): { words: string[]; stderr: string } => {
    const script = `
      source <(rnv completion bash)
      COMP_WORDS=(rnv "$@"); COMP_CWORD=$(($# ))
      registered=$(complete -p rnv); registered=\${registered##*-F }
      \${registered%% *} rnv "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
      for reply in "\${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done`;
    // No address of the service, no key: completion asks nobody.
    const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", ...words], {
      cwd: scenario.folder,
      env: { PATH: path, HOME: scenario.folder },
      encoding: "utf8",
    });
    return { words: stdout.split("\n").filter((word) => word !== ""), stderr };
  };

  it("offers what is declared and what is recorded, asks nobody and runs nothing", () => {
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

  it("leaves paths to bash", () => {
    expect(offered("plan", "-f", "").words).toEqual([]);
  });

  it("is silent where nothing can be read", () => {
    scenario.write("rnv.yaml", "services: [not, a: manifest");
    scenario.write(".rnv/state.json", "{");
    expect(offered("state", "show", "")).toEqual({ words: [], stderr: "" });
  });

  for (const [shell, check] of Object.entries(shells))
    (has(shell) ? it : it.skip)(`${shell} takes its script as well`, () => {
      const script = execFileSync(join(scenario.folder, "bin/rnv"), ["completion", shell], {
        encoding: "utf8",
      });
      scenario.write(`script.${shell}`, script);
      expect(spawnSync(shell, [check, join(scenario.folder, `script.${shell}`)]).status).toBe(0);
    });
});

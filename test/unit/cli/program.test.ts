import type { OptionValues, VerbRun } from "../../../src/cli/invocation";
import { allCommands, createProgram, normalizeArgv, optionShapes } from "../../../src/cli/run";
import { createTerminal } from "../../../src/cli/terminal";
import { fakeStreams } from "./fake-streams";

/** Verbs of DESIGN section 8. */
const verbs =
  "init login validate plan apply destroy drift status deployments show import export state force-unlock output graph history ci deploy restart suspend resume rollback cancel emulator schema version completion terraform stage fleet policy test promote explain".split(
    " ",
  );

function programOf() {
  const streams = fakeStreams();
  const calls: { verb: string; options: OptionValues; positional: readonly unknown[] }[] = [];
  const run: VerbRun =
    () =>
    async (...parsed) => {
      const command = parsed.at(-1) as ReturnType<typeof createProgram>;
      calls.push({
        verb: command.name(),
        options: command.optsWithGlobals(),
        positional: command.processedArgs,
      });
    };
  const terminal = createTerminal(streams, { environment: {}, noColor: false });
  const program = createProgram(run, terminal, "1.2.3");
  const parse = (line: string) =>
    program.parseAsync([...normalizeArgv(line.split(" "), optionShapes(program))], { from: "user" });
  return { streams, calls, program, parse };
}

describe("createProgram", () => {
  it("has every verb", () => {
    expect(
      programOf()
        .program.commands.map((command) => command.name())
        .sort(),
    ).toEqual([...verbs, "complete", "help"].sort());
  });

  it("explains every verb and gives examples", () => {
    for (const command of allCommands(programOf().program)) {
      expect(command.description()).not.toBe("");
      if (command.parent === null || command.commands.length > 0) continue;
      let help = "";
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help).toContain("Examples:\n  $ ");
    }
  });

  it("understands Terraform's way of writing options", async () => {
    const { calls, parse } = programOf();
    await parse(
      "apply -auto-approve -input=false -lock-timeout=1m -parallelism=3 -target=a.b -target c.d -no-color",
    );
    expect(calls[0]).toMatchObject({
      verb: "apply",
      options: {
        autoApprove: true,
        input: false,
        lockTimeout: 60_000,
        parallelism: 3,
        target: ["a.b", "c.d"],
        color: false,
      },
    });
  });

  it("takes global options before the verb", async () => {
    const { calls, parse } = programOf();
    await parse("-chdir=infra plan -f rnv.yaml -f prod.yaml -o out.plan");
    expect(calls[0]?.options).toMatchObject({
      chdir: "infra",
      file: ["rnv.yaml", "prod.yaml"],
      out: "out.plan",
    });
  });

  it.each([
    ["plam", "Did you mean plan?"],
    ["plan --detailed-exitcod", "Did you mean --detailed-exitcode?"],
    ["plan -detailed-exitcod", "Did you mean --detailed-exitcode?"],
    ["apply -parallelism=0", "whole number above zero"],
    ["apply -lock-timeout=soon", "Not a duration"],
    ["completion tcsh", "Allowed choices are bash, zsh, fish"],
    ["state show", "missing required argument 'address'"],
    ["state show", "rnv state show --help"],
  ])("refuses `%s` with exit code 1 and help: %s", async (line, help) => {
    const { parse, streams, calls } = programOf();
    await expect(parse(line)).rejects.toMatchObject({ exitCode: 1 });
    expect(streams.stderr.text).toContain(help);
    expect(streams.stdout.text).toBe("");
    expect(calls).toEqual([]);
  });

  it("never takes an API key as an option", () => {
    for (const command of allCommands(programOf().program))
      for (const option of command.options.filter(({ required, optional }) => required || optional))
        expect(option.long).not.toMatch(/key|token|secret/);
  });
});

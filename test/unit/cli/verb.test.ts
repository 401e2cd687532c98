import { Command } from "commander";
import { pick } from "../../../src/cli/options";
import { addVerbs, argument, defineVerb, flag, valuesIn } from "../../../src/cli/verb";

const greet = defineVerb({
  name: "greet",
  arguments: { names: argument("<name...>") },
  scope: "none",
  summary: "Greet",
  options: { ...pick("json", "parallelism"), loud: flag("--loud", "in capitals") },
  examples: [["rnv greet Ada", "once"]],
  run: async ({ names, loud, parallelism }) => (loud ? names.length : parallelism),
});

it("a verb gets the values of its options and arguments, each with its type", async () => {
  const program = new Command("rnv");
  const seen: unknown[] = [];
  addVerbs(program, [greet], async (verb, command) => {
    seen.push(valuesIn(command, verb));
  });
  await program.parseAsync(["greet", "Ada", "Grace", "--loud"], { from: "user" });
  expect(seen).toEqual([{ names: ["Ada", "Grace"], loud: true, json: false, parallelism: 10 }]);
});

it("a misspelt option, value or scope does not compile", () => {
  const texts = { name: "x", summary: "X", examples: [] } as const;
  // @ts-expect-error: the shared table has no such option.
  expect(pick("jsno")).toEqual({ jsno: undefined });
  // @ts-expect-error: the verb declares no such value.
  defineVerb({ ...texts, scope: "none", options: pick("json"), run: async ({ jsno }) => Number(jsno) });
  // @ts-expect-error: there is no such scope.
  defineVerb({ ...texts, scope: "eahc", run: async () => 0 });
});

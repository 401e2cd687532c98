import type { Command } from "commander";
import { joinResults } from "../commands/targets";
import { checkWritable } from "./files";
import { type Run, runOn, stateOf } from "./open-target";
import { isGiven } from "./option";
import { options } from "./options";
import { resultsOf, type TargetEnd, tellFindings } from "./run-targets";
import { type Screen, usage } from "./screen";
import { type Request, type Target, targetAt } from "./target";
import { type Verb, valuesIn } from "./verb";

type Given = ReturnType<typeof valuesIn>;

/** Options that name what a verb writes; `report` is a folder. */
const written = ["out", "html", "jsonInto", "metrics", "junit", "report"];

/** Options about the plan of one stack, or the file that it is written into. */
const ofOneStack = ["out", "html", "jsonInto", "expectDigest"] as const;

/** Options that name an address: the stack that records it gets them. */
const ofAddresses = ["confirmDelete", "confirmConsumers", "replace"] as const;

/** Runs a verb on what the command line names; resolves to the exit code that says most. */
export async function runVerb(
  verb: Verb,
  command: Command,
  request: Request,
  screen: Screen,
): Promise<number> {
  for (const name of written) checkWritable(command.opts()[name], name === "report");
  const given = valuesIn(command, verb);
  const end = async (values: Given, run: Run): Promise<TargetEnd> => {
    const ended = (await verb.run(values, run)) ?? 0;
    if (typeof ended === "number") return { diagnostics: [], exitCode: ended };
    return { diagnostics: [], exitCode: ended.exitCode, toldOutputs: ended.toldOutputs };
  };
  if (verb.scope === "none") {
    const once = targetAt(request, { stage: "any" });
    return (await runOn(once, screen, (run) => end(given, run))).exitCode;
  }
  let givenTo = (_: Target): Given => given;
  const results = await resultsOf(request, {
    ...{ stages: [request.givenStage], rules: verb, screen },
    onTargets: async (targets) => {
      if (targets.length > 1) givenTo = await shareOut(given, command, targets, screen);
    },
    run: (run) => end(givenTo(run.target), run),
    onResult: tellFindings,
  });
  return joinResults(results.map(({ outcome }) => outcome)).exitCode;
}

/** Returns the values for each of several stacks. Throws where it is not clear which stack an option is about. */
async function shareOut(given: Given, command: Command, targets: readonly Target[], screen: Screen) {
  const one = ofOneStack.find((name) => isGiven(given[name]));
  if (one !== undefined)
    throw usage(`${options[one].long} is about one stack, and several are read`, "name one of them");
  const named = ofAddresses.filter((name) => options[name].valueIn(command).length > 0);
  if (named.length === 0) return () => given;
  const recorded = new Map<string, ReadonlySet<string>>();
  for (const target of targets) {
    const { resources = {} } = (await stateOf(target, screen)) ?? {};
    recorded.set(target.stack ?? "", new Set(Object.keys(resources)));
  }
  for (const name of named)
    for (const address of options[name].valueIn(command)) {
      const stacks = [...recorded.keys()].filter((stack) => recorded.get(stack)?.has(address));
      if (stacks.length === 1) continue;
      const holders = stacks.length === 0 ? "no stack records it" : `${stacks.join(" and ")} record it`;
      throw usage(
        `${options[name].long} ${address}: ${holders}`,
        "name the stack that is meant: --stack STACK",
      );
    }
  return ({ stack = "" }: Target): Given => {
    const own = (name: (typeof ofAddresses)[number]): readonly string[] =>
      options[name].valueIn(command).filter((address) => recorded.get(stack)?.has(address));
    return { ...given, ...Object.fromEntries(named.map((name) => [name, own(name)])) };
  };
}

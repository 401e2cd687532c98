import type { Command } from "commander";
import { joinResults } from "../commands/targets";
import { checkWritable } from "./files";
import { type Run, runOn, stateOf } from "./open-target";
import { options } from "./options";
import { resultsOf, tellFindings } from "./run-targets";
import { type Screen, usage } from "./screen";
import { type Request, type Target, type TargetRules, targetAt } from "./target";
import { isGiven, type Verb, type VerbEnd, valuesIn } from "./verb";

/** Options that name what a verb writes; `report` is a folder. */
const written = ["out", "html", "jsonInto", "metrics", "junit", "report"];

/** Options about the plan of one stack, or the file that it is written into. */
const ofOneStack = ["out", "html", "jsonInto", "expectDigest"] as const;

/** Options that name an address: the stack that records it gets them. */
const ofAddresses = ["confirmDelete", "confirmConsumers", "replace"] as const;

/** The values that several stacks share out. */
type SharedValues = { readonly [Name in (typeof ofOneStack | typeof ofAddresses)[number]]?: unknown };

/** Runs a verb on what the command line names; resolves to the exit code that says most. */
export async function runVerb(
  verb: Verb,
  command: Command,
  request: Request,
  screen: Screen,
): Promise<number> {
  for (const name of written) checkWritable(command.opts()[name], name === "report");
  const given = valuesIn(command, verb);
  if (verb.scope !== "none") return runOnTargets(request, { given, rules: verb, screen, run: verb.run });
  const once = targetAt(request, { stage: "any" });
  const ended = (await runOn(once, screen, (run) => verb.run(given, run))) ?? 0;
  return typeof ended === "number" ? ended : ended.exitCode;
}

interface GivenRun<Given> {
  readonly given: Given;
  readonly rules: TargetRules;
  readonly screen: Screen;
  readonly run: (given: Given, run: Run) => Promise<VerbEnd>;
}

/** Runs a verb on each target of a request, with the values that are for it; resolves to the exit code that says most. */
export async function runOnTargets<Given extends SharedValues>(
  request: Request,
  { given, rules, screen, run: work }: GivenRun<Given>,
): Promise<number> {
  let givenTo = (_: Target): Given => given;
  const results = await resultsOf(request, {
    ...{ stages: [request.givenStage], rules, screen },
    onTargets: async (targets) => {
      if (targets.length > 1) givenTo = await shareOut(given, targets, screen);
    },
    run: async (run) => {
      const ended = (await work(givenTo(run.target), run)) ?? 0;
      if (typeof ended === "number") return { diagnostics: [], exitCode: ended };
      return { diagnostics: [], exitCode: ended.exitCode, toldOutputs: ended.toldOutputs };
    },
    onResult: tellFindings,
  });
  return joinResults(results.map(({ outcome }) => outcome)).exitCode;
}

/** Returns the values for each of several stacks. Throws where it is not clear which stack an option is about. */
async function shareOut<Given extends SharedValues>(
  given: Given,
  targets: readonly Target[],
  screen: Screen,
): Promise<(target: Target) => Given> {
  const one = ofOneStack.find((name) => isGiven(given[name]));
  if (one !== undefined)
    throw usage(`${options[one].long} is about one stack, and several are read`, "name one of them");
  const named = ofAddresses.flatMap((name) => {
    const addresses = given[name];
    return Array.isArray(addresses) && addresses.length > 0 ? { name, addresses } : [];
  });
  if (named.length === 0) return () => given;
  const recorded = new Map<string, ReadonlySet<string>>();
  for (const target of targets) {
    const { resources = {} } = (await stateOf(target, screen)) ?? {};
    recorded.set(target.stack ?? "", new Set(Object.keys(resources)));
  }
  for (const { name, addresses } of named)
    for (const address of addresses) {
      const stacks = [...recorded.keys()].filter((stack) => recorded.get(stack)?.has(address));
      if (stacks.length === 1) continue;
      const holders = stacks.length === 0 ? "no stack records it" : `${stacks.join(" and ")} record it`;
      throw usage(
        `${options[name].long} ${address}: ${holders}`,
        "name the stack that is meant: --stack STACK",
      );
    }
  return ({ stack = "" }) => {
    const isOwn = (address: string): boolean => recorded.get(stack)?.has(address) === true;
    const own = named.map(({ name, addresses }) => [name, addresses.filter(isOwn)]);
    return { ...given, ...Object.fromEntries(own) };
  };
}

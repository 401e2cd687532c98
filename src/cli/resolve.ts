import { existsSync, readdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { areStackPaths, listStacks } from "../commands/load";
import { chooseNamed } from "../commands/targets";
import { failure } from "../diagnostics/diagnostic";
import { parseAddress, typeOf } from "../model/address";
import { stageText } from "../model/stage";
import { stackPlaceholder } from "../model/target-location";
import { readSavedPlan, type SavedPlan } from "../plan/saved-plan";
import { escapeText } from "../report/escape-text";
import { typesByName } from "../resources";
import type { StackFile } from "../stack/stack-files";
import { isFile, readText } from "./files";
import { type Screen, usage } from "./screen";
import { inRequestedStage, requestedStage } from "./stages";
import { withStack } from "./synthesize";
import { givenAddress, inStack, type Request, type Target, targetAt } from "./target";

/** Returns the targets of a command line in its stage: a manifest, or stacks. Throws if they are ambiguous. */
export async function resolveTargets(request: Request, screen: Screen): Promise<readonly Target[]> {
  const { words, cwd, verb, rules } = request;
  const { scope, takesPlan } = rules;
  if (rules.worksOn === "state") return targetsOfState(request, screen);
  const planFile =
    takesPlan && words.length === 1 ? words.find((word) => isFile(resolve(cwd, word))) : undefined;
  const saved = planFile === undefined ? undefined : readSavedPlan(readText(planFile)).document?.request;
  const refuse = (word: string): void =>
    refuseMisplaced(word, `${verb} -f`, request.takesTargets && `${verb} -target`);
  if (planFile !== undefined && saved === undefined) refuse(planFile);
  // A verb about a single stack reads the plan itself; every verb reports a damaged plan itself.
  if (planFile !== undefined && (scope === "one" || saved === undefined))
    return [targetAt(request, { planFile })];
  const read = saved ? savedRequest(request, saved) : await withStack(request, screen);
  const named = [...read.words, ...read.stacks];
  const stacks = await listStacks(read);
  const [name = "", ...more] = request.stacks;
  // `destroy` also deletes the records of a stack that the app no longer has.
  const isUndeclared = name !== "" && more.length === 0 && stacks.every(({ unit }) => unit !== name);
  if (rules.order && isUndeclared && request.givenState) {
    const target = inStack(await inRequestedStage(read, screen), name);
    return [{ ...target, unit: { name, isUndeclared }, isUndeclared }];
  }
  read.words.filter((word) => stacks.every(({ unit }) => unit !== word)).forEach(refuse);
  if (!(await areStackPaths(read)).includes(true)) refuseWords(named, takesPlan);
  const inStage = await inRequestedStage(read, screen);
  const target = { ...inStage, planFile, files: saved ? request.files : read.files };
  if (stacks.length === 0) return [target];
  const chosen = chooseNamed(stacks, ({ unit }) => unit, named, "stack");
  if (scope === "one" && chosen.length > 1)
    throw usage(
      `${chosen.length} stacks are read, and this is about one`,
      `name it: ${chosen.map(({ unit }) => `--stack ${unit}`).join(", ")}`,
    );
  const notes = chosen.flatMap(({ annotations }) => annotations.filter(({ level }) => level === "info"));
  for (const { constructPath, message } of screen.format === "json" ? [] : notes)
    screen.terminal.note(`Info: ${escapeText(constructPath)}: ${escapeText(message)}\n`);
  return stackTargets(target, stacks, chosen);
}

function savedRequest(request: Request, { files, stage, stack }: SavedPlan["request"]): Request {
  const requested = requestedStage(request);
  if (requested === undefined || stageText(requested) === stage)
    return { ...request, files, givenStage: stage, words: [], stacks: stack === undefined ? [] : [stack] };
  const planned = stage === undefined ? "no stage" : `the stage ${stage}`;
  const summary = `${request.words[0]} was planned for ${planned}, not for ${stageText(requested)}`;
  const hint = "leave --stage and RNV_STAGE out: a saved plan names its stage itself";
  throw failure("guard.stage", summary, { hint });
}

function stackTargets(
  target: Target,
  stacks: readonly StackFile[],
  chosen: readonly StackFile[],
): readonly Target[] {
  const { order, others } = target.rules;
  const address = givenAddress(target);
  // A fixed address of the state cannot serve the other stacks.
  const areRead = others !== "none" && (address === "" || address.includes(stackPlaceholder));
  const isReversed = order === "dependents first";
  const needing = (unit: string): readonly string[] =>
    stacks.flatMap((other) => (other.dependencies.includes(unit) ? other.unit : []));
  const sharesRun = chosen.length > 1;
  // A stack that was renamed left its state, which records the resources of its new name.
  const left = address === "" ? namesOfStates(target, target.stage) : [];
  const names = [...new Set([...stacks.map(({ unit }) => unit), ...left])];
  return (isReversed ? [...chosen].reverse() : chosen).map(({ unit, dependencies }) => ({
    ...inStack(target, unit, { sharesRun }),
    waitsFor: isReversed ? needing(unit) : dependencies,
    others: areRead ? names.flatMap((name) => (name === unit ? [] : inStack(target, name))) : [],
  }));
}

async function targetsOfState(request: Request, screen: Screen): Promise<readonly Target[]> {
  const { words, stacks, cwd, rules } = request;
  const { takesPlan, others, scope } = rules;
  if (takesPlan && words[0] !== undefined) return [targetAt(request, { stage: "any", planFile: words[0] })];
  const target = await inRequestedStage(request, screen);
  if (others === "none") return [target];
  // A state outside of the folders of stacks is the state of the whole app.
  const isShared =
    givenAddress(request) !== "" || isFile(resolve(cwd, ".rnv", target.stage ?? "", "state.json"));
  const names = isShared || stacks.length > 0 ? stacks : namesOfStates(request, target.stage);
  if (names.length === 0) return [target];
  if (names.length === 1 || (scope === "each" && words[0] === undefined))
    return names.map((name) => inStack(target, name));
  throw usage(
    "each stack has a state of its own here, and this is about one",
    `name one: ${names.map((name) => `--stack ${escapeText(name)}`).join(", ")}`,
  );
}

/** Names of the stacks that have a state in its default folder. */
function namesOfStates({ cwd }: Pick<Request, "cwd">, stage = ""): readonly string[] {
  const folder = resolve(cwd, ".rnv", stage);
  // Only a folder holds a ".".
  if (!existsSync(`${folder}/.`)) return [];
  return readdirSync(folder).filter((name) => isFile(resolve(folder, name, "state.json")));
}

/** Refuses a word that names a manifest or an address. Each verb parameter ends with the right option for the word. */
export function refuseMisplaced(word: string, manifestVerb: string, addressVerb?: string | false): void {
  const isFolder = statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder || (isFile(word) && manifestName.test(word)))
    throw usage(`${word} is a ${isFolder ? "folder" : "manifest"}: ${manifestVerb} ${word}`);
  const address = existsSync(word) ? undefined : parseAddress(word.replace(/^rnv_/, ""));
  if (addressVerb && address && typesByName.has(typeOf(address)))
    throw usage(`${word} is an address: ${addressVerb} ${address}`);
}

const manifestName = /\.(ya?ml|tf\.json|[cm]?[jt]s)$/;

function refuseWords([word]: readonly string[], takesPlan?: true): void {
  if (word === undefined) return;
  if (takesPlan) throw usage(`${word}: no such file`, `rnv plan -out ${word} saves a plan`);
  if (manifestName.test(word)) throw usage(`${word}: no such file`);
  throw usage(
    `there is no stack ${JSON.stringify(word)}`,
    "a manifest has no stacks; those of an app are read by --app, by a cdktf.json here, or by -f cdktf.out",
  );
}

import type { RateLimiter } from "../api/rate-limiter";
import type { Transport } from "../api/transport";
import type { Outcome } from "../commands/context";
import type { RunProgram, StackUnit, SynthesizedFiles } from "../declaration/load-request";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { defaultManifest } from "../manifest/find-files";
import { mentionsStage, type StageName, stageText } from "../model/stage";
import { stackPlaceholder, stateAddress, type TargetLocation } from "../model/target-location";
import type { Place } from "./ci/job";
import type { UsedProfile } from "./profile";
import { repositoryPath, type Screen } from "./screen";

/** The unresolved command line with its environment, which has the settings of the profile. */
export interface Request extends Place {
  /** Undefined where the environment says all. */
  readonly profile?: UsedProfile | undefined;
  readonly givenProfile?: string | undefined;
  /** As it was typed, quoted for a shell: `rnv destroy -target service.shop.api`. */
  readonly commandLine: string;
  readonly verb: string;
  readonly rules: TargetRules;
  readonly takesTargets: boolean;
  /** Words that name stacks, a saved plan, or an output. */
  readonly words: readonly string[];
  /** Values of `-f`; empty for the default files. */
  readonly files: readonly string[];
  readonly synthesized?: SynthesizedFiles;
  readonly app?: string | undefined;
  readonly untrusted: boolean;
  readonly runProgram: RunProgram;
  readonly givenState?: string | undefined;
  readonly stacks: readonly string[];
  readonly givenStage?: string | undefined;
  /** Addresses that `--confirm-delete`, `--confirm-consumers` and `--replace` name. */
  readonly addresses?: readonly string[];
  /** The first option about the plan of a single stack: `--out`. */
  readonly singleStackOption?: string | undefined;
  readonly outputs?: readonly string[];
  /** Ids of the instances to look at; undefined for those that have a state. */
  readonly ids?: readonly string[] | undefined;
  readonly answerTimeoutMs?: number | undefined;
  readonly limiter?: RateLimiter | undefined;
  /** Wraps the transport for members of a fleet that share answers. */
  readonly openTransport?: ((open: () => Transport) => Transport) | undefined;
}

export interface TargetRules {
  /** The verb runs for a single stack, or for each. Without a scope it runs once, and finds its targets itself. */
  readonly scope?: "one" | "each";
  /** Stacks run after those that they need; a deletion runs them before. */
  readonly order?: "dependents first";
  /**
   * The states of the other stacks are needed for their outputs, are read if they exist (the default), or are not read.
   * With `none` the verb itself reports a missing stage and mistakes in the manifest.
   */
  readonly others?: "needed" | "none";
  /** The verb works on a state alone. Without `--stage` the state may belong to any stage. */
  readonly worksOn?: "state";
  /** A word may name a saved plan. */
  readonly takesPlan?: true;
  /** Its JSON is a line for each event. It writes no stack whose dependency failed. */
  readonly writes?: true;
  /** Return the output in a format for a command line that failed before it printed. */
  readonly failed?: Partial<Record<Screen["format"], (outcome: Outcome, commandLine: string) => string>>;
}

export interface Target extends Request, TargetLocation {
  /** The stage that the manifest is read for; `any` for content that all stages share. */
  readonly readStage?: StageOfTarget | "any" | undefined;
  /** A state that names no stage becomes that of this stage. */
  readonly takesUnnamed: boolean;
  /** The stage or the stack is not declared: destroy deletes everything that its state records. */
  readonly isUndeclared: boolean;
  /** Names of the stages that the manifest declares; absent where it is not known. */
  readonly declaredStages?: readonly string[] | undefined;
  readonly unit?: StackUnit | undefined;
  /** Several stacks are read in the same run: one state cannot serve them all. */
  readonly sharesRun: boolean;
  /** Recorded addresses; absent unless several stacks are read and the command line names addresses. */
  readonly recorded?: ReadonlySet<string>;
  readonly waitsFor?: readonly string[];
  /** The other stacks of the app whose states are read for it. */
  readonly others?: readonly Target[];
  /** The error in the address of the state. Only verbs that open the state throw it. */
  readonly stateProblem?: Diagnostic | undefined;
  /** No setting names the state: it is a file in the working folder. */
  readonly isDefaultState: boolean;
  readonly planFile?: string | undefined;
}

/** The stage of a target, as its manifest declares it. */
export interface StageOfTarget extends StageName {
  readonly state?: string | undefined;
  readonly takesUnnamed?: boolean;
  readonly isUndeclared?: boolean;
}

interface TargetParts extends Partial<Pick<Target, "stack" | "declaredStages" | "sharesRun" | "planFile">> {
  readonly stage?: StageOfTarget | "any" | undefined;
}

export const inStack = (target: Target, stack: string, { sharesRun = false } = {}): Target =>
  targetAt(target, { ...target, stage: target.readStage, stack, sharesRun });

export function targetAt(request: Request, parts: TargetParts = {}): Target {
  const { cwd, environment, files, givenState } = request;
  const { stage, stack, declaredStages, sharesRun = false, planFile } = parts;
  const named = stage === "any" ? undefined : stage;
  const names = { stage: named && stageText(named), stack };
  const given = givenState ?? named?.state ?? (environment.RNV_STATE ?? "").trim();
  const state = stateAddress(given, names);
  const manifests = files.length > 0 ? files : [defaultManifest(cwd).file ?? "rnv.yaml"];
  return {
    ...request,
    ...names,
    manifest: manifests.map((file) => repositoryPath(file, request) ?? file).join(","),
    readStage: stage,
    takesUnnamed: named?.takesUnnamed ?? false,
    isUndeclared: named?.isUndeclared ?? false,
    declaredStages,
    unit: stack === undefined ? undefined : { name: stack },
    sharesRun,
    state,
    stateProblem: checkAddress(given, state, { stage: named, sharesRun: stack !== undefined && sharesRun }),
    isDefaultState: given === "",
    planFile,
  };
}

/** Returns the address of the state as the command line or RNV_STATE gives it; empty by default. */
export const givenAddress = ({ givenState, environment }: Request): string =>
  givenState ?? (environment.RNV_STATE ?? "").trim();

function checkAddress(
  given: string,
  address: string,
  { stage, sharesRun }: { readonly stage?: StageName | undefined; readonly sharesRun: boolean },
): Diagnostic | undefined {
  const wrong = (summary: string, hint: string) => error("config.invalid", summary, { hint });
  const [left] = /\$\{[^}]*\}/.exec(address) ?? [];
  const lack = (why: string, hint: string) =>
    wrong(`the address of the state holds ${left}, and ${why}`, hint);
  if (left === stackPlaceholder) return lack("no stack is read", "name it with --stack");
  const why = stage ? `stage ${stage.name} has no id` : "no stage is named";
  if (left && mentionsStage(left)) return lack(why, "name it with --stage or RNV_STAGE: staging, preview/12");
  if (left) return lack("nothing fills it in here", "write its value; ${member} is filled in by rnv fleet");
  if (given === "" || given.includes(stackPlaceholder) || !sharesRun) return undefined;
  const hint = `let RNV_STATE (or --state) hold ${stackPlaceholder}, or name one stack`;
  return wrong("several stacks cannot share one state", hint);
}

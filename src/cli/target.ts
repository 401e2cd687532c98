import type { Transport } from "../api/transport";
import type { RunProgram, StackUnit, SynthesizedFiles } from "../declaration/load-request";
import { stackPlaceholder, stateAddress } from "../declaration/state-location";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { usualManifest } from "../manifest/find-files";
import type { ProcessEnvironment } from "../model/process-environment";
import { mentionsStage, type StageName, stageText } from "../model/stage";
import type { TargetLocation } from "../model/target-location";
import type { UsedProfile } from "./profile";
import { repositoryPath } from "./screen";

/** A command line and its environment, as they were given: what `resolve` makes targets of. */
export interface Request {
  readonly cwd: string;
  /** With the settings of the profile. */
  readonly environment: ProcessEnvironment;
  /** Undefined where the environment says all. */
  readonly profile?: UsedProfile | undefined;
  /** Value of `--profile`. */
  readonly givenProfile?: string | undefined;
  /** As it was typed, quoted for a shell: `rnv destroy -target service.shop.api`. */
  readonly commandLine: string;
  readonly verb: string;
  readonly takesTargets: boolean;
  /** Words that name stacks, a saved plan, or what one stack has. */
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
  /** The first option that is about the plan of one stack: `--out`. */
  readonly ofOneStack?: string | undefined;
  /** Ids of the instances to look at; undefined for those that have a state. */
  readonly ids?: readonly string[] | undefined;
  readonly answerTimeoutMs?: number | undefined;
  readonly maxConcurrency?: number | undefined;
  /** Opens the way to the service over one that members of a fleet share. */
  readonly openTransport?: ((open: () => Transport) => Transport) | undefined;
}

export interface TargetRules {
  /**
   * Each stack of an app by itself, or one that has to be named. With `none` the verb runs once, and resolves what it needs
   * by itself.
   */
  readonly scope: "one" | "each" | "none";
  /** Stacks are run after those that they need, unless they are deleted: then before them. */
  readonly order?: "dependents first";
  /**
   * The states of the other stacks: `needed` for what they have made, read where they are there (the default), or not read.
   * A verb that reads `none` reports mistakes in the manifest, and a missing stage, itself.
   */
  readonly others?: "needed" | "none";
  /** It works on a state alone; `--stack` and `--stage` name those that the state belongs to, else that of any stage is taken. */
  readonly worksOn?: "state";
  /** A word may name a saved plan. */
  readonly takesPlan?: true;
  /** Its JSON is a line for each event, and no stack is written before those that it needs. */
  readonly writes?: true;
}

export interface Target extends Request, TargetLocation {
  /** The stage that the manifest is read for; `any` for what is the same in all of them. */
  readonly readStage?: StageOfTarget | "any" | undefined;
  /** A state that names no stage becomes that of this stage. */
  readonly takesUnnamed: boolean;
  /** The stage or the stack is not declared: all that its state records is destroyed. */
  readonly isUndeclared: boolean;
  /** Names of the stages that the manifest declares; absent where it is not known. */
  readonly declaredStages?: readonly string[] | undefined;
  readonly unit?: StackUnit | undefined;
  /** Several stacks are read in the same run: one state cannot serve them all. */
  readonly sharesRun: boolean;
  /** Of several stacks, where the command line names addresses: those that its state records. */
  readonly recorded?: ReadonlySet<string>;
  /** Stacks that are run before it. */
  readonly waitsFor?: readonly string[];
  /** The other stacks of the app whose states are read for it. */
  readonly others?: readonly Target[];
  /** Why it has no state. Verbs that need none work all the same. */
  readonly stateProblem?: Diagnostic | undefined;
  /** Nothing says where the state is: it is a file in the working folder. */
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
  /** `any` where the verb takes the state of any stage; undefined where there is none. */
  readonly stage?: StageOfTarget | "any" | undefined;
}

export const inStack = (target: Target, stack: string, sharesRun = false): Target =>
  targetAt(target, { ...target, stage: target.readStage, stack, sharesRun });

export function targetAt(request: Request, parts: TargetParts = {}): Target {
  const { cwd, environment, givenState } = request;
  const { stage, stack, declaredStages, sharesRun = false, planFile } = parts;
  const named = stage === "any" ? undefined : stage;
  const names = { stage: named && stageText(named), stack };
  const given = givenState ?? named?.state ?? (environment.RNV_STATE ?? "").trim();
  const state = stateAddress(given, names);
  return {
    ...request,
    ...names,
    manifest: manifestsOf(request)
      .map((file) => repositoryPath(file, cwd, environment) ?? file)
      .join(","),
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

const manifestsOf = ({ cwd, files }: Request): readonly string[] =>
  files.length > 0 ? files : [usualManifest(cwd).file ?? "rnv.yaml"];

/** The address of the state that was given; empty where it is the default one. */
export const givenAddress = ({ givenState, environment }: Request): string =>
  givenState ?? (environment.RNV_STATE ?? "").trim();

/** Returns why an address is none: the target lacks what it holds. */
function checkAddress(
  given: string,
  address: string,
  { stage, sharesRun }: { readonly stage?: StageName | undefined; readonly sharesRun: boolean },
): Diagnostic | undefined {
  if (mentionsStage(address))
    return error(
      "config.invalid",
      stage
        ? `the address of the state holds \${stage.id}, and stage ${stage.name} has no id`
        : "the address of the state holds ${stage.…}, and no stage is named",
      { hint: "name it with --stage or RNV_STAGE: staging, preview/12" },
    );
  if (address.includes(stackPlaceholder))
    return error(
      "config.invalid",
      `the address of the state holds ${stackPlaceholder}, and no stack is read`,
      {
        hint: "name it with --stack",
      },
    );
  if (given === "" || given.includes(stackPlaceholder) || !sharesRun) return undefined;
  return error("config.invalid", "several stacks cannot share one state", {
    hint: `let RNV_STATE (or --state) hold ${stackPlaceholder}, or name one stack`,
  });
}

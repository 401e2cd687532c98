import { Option } from "commander";
import { runTargets } from "../commands/targets";
import { type Diagnostic, DiagnosticsError, error, warning } from "../diagnostics/diagnostic";
import { splitStage, stageText } from "../model/stage";
import { type Invocation, listOf } from "./invocation";
import { exitCodes } from "./report";
import { runOnStacks, type StackReading } from "./stacks";
import { foundIn } from "./stage-instances";
import { askedStage } from "./stages";

/** Options of verbs that take several stages in one run. */
export const stagesOptions = [
  new Option(
    "--stage <stage>",
    "a stage, or an instance of one: staging, preview/12 (RNV_STAGE) (repeatable)",
  ).argParser((value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value]),
  new Option("--all-stages", "every stage of the manifest, and every instance that has a state"),
];

/** The stages of a job: undefined for the one that RNV_STAGE names, or for what has none. */
export interface AskedStages {
  readonly asked: readonly (string | undefined)[];
  /** Whether the manifest has stages that are not looked at. */
  readonly stages: "all" | "some";
  readonly notes: readonly Diagnostic[];
  /** Texts that the notes point into. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Returns the stages that a command line names. Throws `DiagnosticsError` where there are none to name. */
export async function stagesAsked(invocation: Invocation): Promise<AskedStages> {
  const { options } = invocation;
  const named = listOf(options.stage);
  if (options.allStages !== true)
    return {
      asked: named.length === 0 ? [undefined] : [...new Set(named)],
      // Without a name the manifest has no stages, and all of it is looked at.
      stages: named.length === 0 && askedStage(invocation) === undefined ? "all" : "some",
      ...{ notes: [], sources: new Map() },
    };
  if (named.length > 0)
    throw new DiagnosticsError([error("command.usage", "--stage and --all-stages exclude each other")]);
  const { stages, namesOf, sources } = await foundIn(invocation);
  const asked: string[] = [];
  const notes: Diagnostic[] = [];
  for (const declared of stages.values()) {
    const names = await namesOf(declared);
    if (names === undefined) notes.push(unlisted(declared.name, declared.range));
    asked.push(...(names ?? []).map(stageText));
  }
  return { asked, stages: "all", notes, sources };
}

const unlisted = (name: string, range: Diagnostic["range"]): Diagnostic =>
  warning("live.unchecked", `the instances of stage ${name} cannot be listed: its state is at https://`, {
    range,
    hint: `name them: --stage ${name}/ID`,
  });

/** Runs a verb for each stage of a job, and each stack of a stage: none is stopped by another. */
interface StagesRun {
  readonly reading: StackReading;
  readonly run: (invocation: Invocation) => Promise<unknown>;
  /** Takes what was thrown for a stack, or before a stage or its stacks could be told; `stage` is undefined for no stage. */
  readonly fail: (cause: unknown, invocation: Invocation) => void;
}

/** Runs a verb for the stages that were asked for, one after the other, until the run is interrupted. */
export async function runOnStages(
  invocation: Invocation,
  asked: AskedStages["asked"],
  { reading, run, fail }: StagesRun,
): Promise<void> {
  const runStage = async (stage: string | undefined): Promise<void> => {
    const staged = { ...invocation, options: { ...invocation.options, stage } };
    try {
      await runOnStacks(staged, reading, async (one) => {
        await run(one).catch((cause: unknown) => fail(cause, one));
        // Whatever became of this stack, the others are told of too.
        return exitCodes.done;
      });
    } catch (cause) {
      const named = stage === undefined ? {} : { stage: { ...splitStage(stage), takesUnnamed: false } };
      fail(cause, { ...invocation, ...named });
    }
  };
  await runTargets(asked, runStage, { signal: invocation.signal });
}

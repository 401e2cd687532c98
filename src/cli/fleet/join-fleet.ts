import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { joinReports } from "../../commands/fleet/join-reports";
import { failure } from "../../diagnostics/diagnostic";
import { reasonOf } from "../../model/text";
import { readText } from "../files";
import type { Invocation } from "../invocation";
import { report as tell } from "../report";
import { chooseMembers } from "./choose-members";
import { showReport } from "./run-fleet";

/** `rnv fleet report DIR`: joins the reports of shards. */
export async function joinFleet(invocation: Invocation): Promise<number> {
  const { cwd, positional, options } = invocation;
  const folder = resolve(cwd, positional[0] as string);
  const files = reportsIn(folder).map((name) => ({ file: name, text: readText(join(folder, name)) }));
  const { report, diagnostics } = joinReports(files, options.detailedExitcode === true);
  if (report !== undefined) showReport(invocation, report);
  tell(invocation, diagnostics);
  return report?.exit_code ?? 1;
}

/** Reports below a folder: a job that gathers artifacts gives each a folder of its own. */
function reportsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /(^|[\\/])fleet(-\d+-of-\d+)?\.json$/.test(name))
      .sort();
  } catch (cause) {
    throw failure("command.usage", `cannot read the folder ${folder}: ${reasonOf(cause)}`);
  }
}

/** Jobs of one matrix, which GitHub takes at most. */
const mostJobs = 256;

/** `rnv fleet matrix`: the jobs of a workflow, one for each member or each shard. */
export async function printMatrix(invocation: Invocation): Promise<number> {
  const { options, terminal } = invocation;
  const { selected } = chooseMembers({
    ...invocation,
    options: { ...options, shard: { index: 1, count: 1 } },
  });
  const shards = options.shards as number | undefined;
  if ((shards ?? selected.length) > mostJobs)
    throw failure("command.usage", `a matrix of GitHub has at most ${mostJobs} jobs`, {
      hint:
        shards === undefined
          ? `let each job run a part of the ${selected.length} members: --shards 20`
          : `--shards ${mostJobs}`,
    });
  const count = Math.min(shards ?? 0, selected.length);
  const include =
    shards === undefined
      ? selected.map(({ name, folder, stage }) => ({
          member: name,
          folder,
          ...(stage !== undefined && { stage }),
        }))
      : Array.from({ length: count }, (_, i) => ({ shard: `${i + 1}/${count}` }));
  terminal.out(`${JSON.stringify({ include })}\n`);
  return 0;
}

import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import { type Command, commandText } from "../model/command";
import type { Intent, JournalEntry } from "../model/state";
import { lookPatiently } from "./look-patiently";
import { madeByAction, recordsOf } from "./made-by-action";
import type { Looking, Recovery } from "./resuming";

/**
 * Settles what a verb such as `rnv deploy` left open, before another command writes: what is found is recorded, and
 * nothing is sent again. The same verb, asked for again, goes on with it by itself.
 */
export async function settleCommand(looking: Looking, intent: Intent, command: Command): Promise<Recovery> {
  const { state, types } = looking;
  const { address } = intent;
  const recorded = state.resources[address];
  const preexistingIds = state.run?.fences[address] ?? [];
  const { commit, deploymentId } = command;
  const input = { address, id: recorded?.id ?? "", name: intent.name, commit, deploymentId };
  const action = types.get(intent.type)?.actions?.[command.action];
  const look = async () => (recorded ? action?.find?.(looking.reads, input, preexistingIds) : []);
  // Of several attempts under one key the last one is looked for.
  const isLast = !state.open.some(({ seq, key }) => seq > intent.seq && key === intent.key);
  const found = isLast ? await lookPatiently(looking, intent, look) : [];
  const [sent, ...others] = found ?? [];
  const close = (result: "done" | "refused"): JournalEntry => ({
    ...{ kind: "outcome", seq: intent.seq, result, status: 0 },
    ...(sent === undefined ? {} : { id: sent }),
  });
  if (sent !== undefined && others.length === 0) {
    const made = madeByAction(recordsOf(state), types, command.action, input, { id: sent });
    const entries: JournalEntry[] = made ? [{ kind: "resource", ...made }] : [];
    return { entries: [...entries, close("done")], retriableIntents: [], diagnostics: [] };
  }
  const diagnostics = isLast ? [unknownEnd(looking, intent, command, found)] : [];
  return { entries: [close(found === undefined ? "done" : "refused")], retriableIntents: [], diagnostics };
}

function unknownEnd(
  { wait }: Looking,
  { address, at }: Intent,
  command: Command,
  found: readonly string[] | undefined,
): Diagnostic {
  const text = commandText(address, command);
  const line = `\`${text}\``;
  const summary =
    found === undefined
      ? `nobody can tell whether ${line} of ${at} did anything`
      : found.length === 0
        ? `${line} of ${at} did nothing`
        : `${found.length} deployments of ${address} could be that of ${line} of ${at}`;
  const ids = found?.join(", ");
  return warning("apply.uncertain", summary, {
    address,
    detail: ids ? `Found: ${ids}.` : "It was not answered.",
    hint: wait
      ? `nothing was repeated; if it is still wanted: ${text}`
      : `run ${line} again before any other command that writes: it finds out what happened, and repeats nothing`,
  });
}

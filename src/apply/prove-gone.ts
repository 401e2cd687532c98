import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { ChangeContext } from "./change-context";

/**
 * A list that leaves a thing out is no proof that it is gone (DESIGN section 5): before it is made anew or forgotten,
 * it is asked for by its id. Throws `DiagnosticsError` when it is there.
 */
export async function proveGone({ run, change, type, endpoints }: ChangeContext): Promise<void> {
  const { address } = change;
  const recorded = change.subject.recorded;
  if (!change.missing || !type.isGone || recorded === undefined) return;
  const parent = recorded.parent && run.journal.recorded(recorded.parent);
  // Without what it lay in it is gone as well.
  if (recorded.parent !== undefined && !parent) return;
  const input = { address, id: recorded.id, name: recorded.name, parentId: parent?.id };
  if (await type.isGone(endpoints, input)) return;
  throw new DiagnosticsError([
    error(
      "live.gone_unproven",
      `${address} is there (id ${recorded.id}), but a list of the service left it out`,
      {
        address,
        range: change.subject.desired?.range,
        hint: "run the command again; if the list stays short, look at it in the dashboard",
      },
    ),
  ]);
}

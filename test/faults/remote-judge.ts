import type { Run } from "./judge";
import type { Machine } from "./machine";
import type { Ended } from "./process";
import { overwritten, stateSecrets } from "./remote-server";
import { backendOutside, type Stage } from "./stage";

/** What must hold of a state on a server after every run; one that is overwritten only where no server can refuse it. */
export function remoteFaultsOf(
  { remote, disk }: Machine,
  runs: readonly Run[],
  mayBeOverwritten: boolean,
): string[] {
  if (remote === undefined) return [];
  const told = JSON.stringify(runs.map(({ ended, process }) => [ended.diagnostics, process.events]));
  const files = [...disk.names].map(([, { content }]) => content.toString("latin1"));
  return [
    ...remote.server.violations.filter((found) => !(mayBeOverwritten && overwritten.includes(found))),
    ...remote.strays.map(() => "a request of the state went to another origin"),
    ...[told, ...files].flatMap((text) =>
      stateSecrets.filter((secret) => text.includes(secret)).map(() => "a secret of the state was told"),
    ),
  ];
}

/** Everything that the state's server holds, for whoever looks for secrets. */
export const remotePlaces = ({ remote }: Machine): [string, string][] =>
  remote === undefined ? [] : [...remote.server.stored, ...remote.server.locks];

/** A run that is told who holds the lock, and how to be rid of it, does so when no run is there any more. */
export async function unlockAsTold(
  { rnv }: Stage,
  machine: Machine,
  { exitCode, diagnostics }: Ended,
): Promise<boolean> {
  if (machine.remote === undefined || exitCode !== 6) return false;
  const hints = diagnostics.map(({ hint }) => hint ?? "").join("\n");
  const id = /rnv force-unlock (\S+)/.exec(hints)?.[1];
  if (id === undefined) return false;
  const removed = await backendOutside(rnv, machine).forceUnlock(id);
  machine.note(`force-unlock ${id} ${removed !== undefined}`);
  return removed !== undefined;
}

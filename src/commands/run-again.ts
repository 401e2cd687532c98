import type { SavedRequest } from "../plan/document";
import type { ApplyRequest } from "./requests";

/**
 * Says how to go on after a run that stopped early: the command that was given, with its flags. A saved plan applies
 * once, so that it is made again, with the options it was made with.
 */
export function runAgain(request: ApplyRequest, saved: SavedRequest | undefined): string {
  if (saved) return `nothing is lost: plan again to go on where this run stopped: ${planCommand(saved)}`;
  const line = request.commandLine ?? (request.mode === "destroy" ? "rnv destroy" : "rnv apply");
  const replaced = request.replace.length === 0 ? "" : " (without -replace for what is replaced by now)";
  return `nothing is lost: run it again to go on where this run stopped: ${line}${replaced}`;
}

/** Without `-replace`: what was asked to be replaced may be so by now. */
function planCommand(saved: SavedRequest): string {
  const repeated = (flag: string, values: readonly string[]) => values.map((value) => `${flag} ${value}`);
  return [
    "rnv plan",
    ...repeated("-f", saved.files),
    ...(saved.mode === "apply" ? [] : [`-${saved.mode}`]),
    ...repeated("-target", saved.targets),
    ...repeated("-exclude", saved.excludes),
    ...(saved.adopt ? ["-adopt"] : []),
    ...(saved.allowEmpty ? ["-allow-empty"] : []),
    ...repeated("-confirm-delete", saved.confirmedDeletes),
    "-out FILE",
  ].join(" ");
}

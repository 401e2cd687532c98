import type { Address } from "./address";

/** What a verb asks of one resource at once, outside of a plan. */
export interface Command {
  /** `deploy`, `clear-cache`, `restart`, `suspend`, `resume`, `rollback` or `cancel`. */
  readonly action: string;
  /** The deployment it is about. */
  readonly deploymentId?: string;
  /** The commit to deploy. */
  readonly commit?: string;
  /** The deployment or the commit was not named by the user: it was the one that fitted then. */
  readonly isChosen?: true;
}

/** Whether `command` is what a user asks for again, who names `deploymentId` and `commit` or neither. */
export const isAskedAgain = (command: Command, asked: Omit<Command, "isChosen">): boolean =>
  command.action === asked.action &&
  (asked.deploymentId === undefined && asked.commit === undefined
    ? command.isChosen === true || (command.deploymentId === undefined && command.commit === undefined)
    : command.deploymentId === asked.deploymentId && command.commit === asked.commit);

/** The command line that asks for it: `rnv deploy service.shop.api --commit 4f2a…`. */
export function commandText(address: Address, { action, deploymentId, commit, isChosen }: Command): string {
  const verb = action === "clear-cache" ? "deploy" : action;
  const named = isChosen ? [] : [deploymentId, commit === undefined ? undefined : `--commit ${commit}`];
  const words = ["rnv", verb, address, ...named, action === "clear-cache" ? "--clear-cache" : undefined];
  return words.filter((word) => word !== undefined).join(" ");
}

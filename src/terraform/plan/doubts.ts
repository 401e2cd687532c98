import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { shortList } from "../../model/text";
import type { Clock } from "../../model/time";
import type { Traffic } from "../reactions/traffic";

/** Something at the service of which a plan says a thing unless the state holds it. */
export interface Doubt {
  /** `taken`: it bears a name that the plan gives; `adopted`: so, and is taken over; `held`: it lies in what goes. */
  readonly kind: "taken" | "adopted" | "held";
  /** What it is, by `addressOfId`. */
  readonly keys: readonly Address[];
  /** In a list: `service "api" (ID)`. */
  readonly name: string;
  readonly tell: () => Promise<readonly Diagnostic[]> | readonly Diagnostic[];
}

/** The doubts of a walk. */
export interface Doubts {
  /** Calls that wait. */
  waiting: number;
  /** Those whose call was answered: a call that waits tells of them. */
  readonly answered: Set<Doubt>;
  /** The state has been walked, as far as that can be known. */
  isOver: boolean;
}

export const noDoubts = (): Doubts => ({ waiting: 0, answered: new Set(), isOver: false });

/** The part of a session that a doubt needs. */
interface Walked {
  readonly doubts: Doubts;
  readonly traffic: Pick<Traffic, "calls">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Calls that may wait at a time: each takes one of the places in which Terraform hands out the rest, ten as a rule. */
const mostWaiting = 4;
/** So many looks without any call between two of them, so many milliseconds apart, are the end of the walk. */
const [looks, pauseMs] = [10, 50];

/**
 * Returns what is said of `doubt`, nothing where the state holds it. Terraform walks its state while it plans, in any
 * order, and tells nobody what is still to come: the call waits while others come. Where enough wait, it says nothing,
 * and one of those tells of it too.
 */
export async function toldUnlessInState(
  { inState }: { readonly inState: ReadonlyMap<Address, unknown> },
  session: Walked,
  doubt: Doubt,
): Promise<readonly Diagnostic[]> {
  const { doubts, signal } = session;
  const isInState = ({ keys }: Doubt): boolean => keys.every((key) => inState.has(key));
  const left = (): readonly Doubt[] => [...doubts.answered].filter((one) => !isInState(one));
  if (isInState(doubt)) return [];
  if (doubts.waiting >= mostWaiting && !doubts.isOver) {
    // What changes with it is told of each; said in vain, it is no more than a warning.
    if (doubt.kind === "adopted") return doubt.tell();
    doubts.answered.add(doubt);
    return [];
  }
  doubts.waiting += 1;
  // The last one that waits stays for those that were answered.
  const isSettled = (): boolean =>
    doubts.isOver || (isInState(doubt) && (doubts.waiting > 1 || left().length === 0));
  await untilQuiet(session, isSettled);
  const isEnd = doubts.isOver || !isSettled();
  doubts.waiting -= 1;
  if (!isEnd || signal.aborted) return [];
  doubts.isOver = true;
  const others = left();
  doubts.answered.clear();
  return [...(isInState(doubt) ? [] : await doubt.tell()), ...toldOf(others)];
}

/** Waits until `isSettled`, or until no call has come for a while. */
export async function untilQuiet(
  { traffic, clock, signal }: Omit<Walked, "doubts">,
  isSettled: () => boolean,
): Promise<void> {
  for (let quiet = 0; quiet < looks && !isSettled() && !signal.aborted; ) {
    const { calls } = traffic;
    await clock.sleep(pauseMs, signal);
    quiet = traffic.calls === calls ? quiet + 1 : 0;
  }
}

const toldOf = (others: readonly Doubt[]): readonly Diagnostic[] =>
  (["taken", "held"] as const).flatMap((kind) => {
    const names = others.filter((one) => one.kind === kind).map(({ name }) => name);
    return names.length === 0
      ? []
      : [listed[kind](names.length, `They are: ${shortList(names.sort(), 20)}.`)];
  });

const listed = {
  taken: (count: number, detail: string) =>
    error(
      "live.unmanaged_exists",
      `${count} more of the names that this plan gives are taken by what is not managed`,
      {
        detail,
        hint: "import each, set adopt = true on its resource to take it over, or choose another name",
      },
    ),
  held: (count: number, detail: string) =>
    error(
      "guard.holds_others",
      `${count} more of what this plan deletes hold what is not deleted with them`,
      {
        detail,
        hint: "delete that or move it elsewhere first, or keep what holds it",
      },
    ),
};

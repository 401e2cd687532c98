import type { Standing } from "../model/live";
import type { PlanStanding } from "../plan/plan";
import { inertText, shorten } from "./inert";
import { addressesInReadingOrder } from "./reading-order";
import { exactTime } from "./time-text";

const longestSummary = 300;

/** What it says, with its moment, on one line and not yet inert. */
export const standingPhrase = ({ summary, since }: Standing): string =>
  `${shorten(summary, longestSummary)}${since === undefined ? "" : ` (${exactTime(since)})`}`;

/** One row for each: address and phrase, for text. */
export const standingRows = (standing: readonly PlanStanding[]): string[][] =>
  addressesInReadingOrder(standing).map((one) => [
    `  ${inertText(one.address)}`,
    inertText(standingPhrase(one)),
  ]);

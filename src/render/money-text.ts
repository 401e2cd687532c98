import type { Money } from "../model/resource-type";

const amount = (value: number): string => {
  const [whole = "0", cents] = (
    Number.isInteger(value) ? String(Math.abs(value)) : Math.abs(value).toFixed(2)
  ).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${value < 0 ? "-" : ""}${grouped}${cents === undefined ? "" : `.${cents}`}`;
};

const signed = (value: number): string => `${value > 0 ? "+" : ""}${amount(value)}`;

/** `USD 7 -> 14, NGN 10,500 -> 21,000`, with `difference` also `(+7)`; a currency that stays has no arrow. */
export function moneyChange(before: Money, after: Money, arrow: string, difference = false): string {
  const one = (currency: "usd" | "ngn") => {
    const name = currency.toUpperCase();
    const [from, to] = [before[currency], after[currency]];
    if (from === to) return `${name} ${amount(to)}`;
    return `${name} ${amount(from)} ${arrow} ${amount(to)}${difference ? ` (${signed(to - from)})` : ""}`;
  };
  return `${one("usd")}, ${one("ngn")}`;
}

export const sameMoney = (a: Money, b: Money): boolean => a.usd === b.usd && a.ngn === b.ngn;

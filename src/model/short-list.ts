/** The first few of many: `a, b and 10 more`. No more than `most` are named. */
export const shortList = (items: readonly string[], most: number): string =>
  items.length <= most
    ? items.join(", ")
    : `${items.slice(0, most).join(", ")} and ${items.length - most} more`;

/** The first few of many: `a, b and 10 more`. At most `most` are named. */
export const shortList = (items: readonly string[], most = 5): string =>
  items.length <= most
    ? items.join(", ")
    : `${items.slice(0, most).join(", ")} and ${items.length - most} more`;

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

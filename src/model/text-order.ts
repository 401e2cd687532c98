/** Orders texts by their UTF-16 units, the same in every language of the machine. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

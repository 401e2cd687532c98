/** Returns the pattern for names that a word stands for: `*` matches any text and `?` one character (`prod-*`). */
export const namePattern = (word: string): RegExp =>
  new RegExp(
    `^${word
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "s",
  );

import type { Tag } from "./sections";

/** Sign, word and colours of a mark, the worst first. In every picture a shape, a word and a colour each tell it. */
export const marks = {
  blocked: { sign: "!", word: "blocked", ink: "#a40e26", paper: "#ffebe9" },
  missing: { sign: "\u2717", word: "missing", ink: "#a40e26", paper: "#ffebe9" },
  delete: { sign: "\u2212", word: "destroy", ink: "#a40e26", paper: "#ffebe9" },
  replace: { sign: "\u00b1", word: "replace", ink: "#6639ba", paper: "#fbefff" },
  archive: { sign: "\u2212", word: "archive", ink: "#a40e26", paper: "#ffebe9" },
  drift: { sign: "\u2260", word: "drift", ink: "#7d4e00", paper: "#fff8c5" },
  update: { sign: "~", word: "update", ink: "#7d4e00", paper: "#fff8c5" },
  rerun: { sign: "~", word: "run", ink: "#7d4e00", paper: "#fff8c5" },
  create: { sign: "+", word: "create", ink: "#116329", paper: "#dafbe1" },
  run: { sign: "+", word: "run", ink: "#116329", paper: "#dafbe1" },
  adopt: { sign: ">", word: "import", ink: "#0550ae", paper: "#ddf4ff" },
  forget: { sign: "<", word: "forget", ink: "#59636e", paper: "#f6f8fa" },
  pending: { sign: "\u2026", word: "pending", ink: "#0550ae", paper: "#ddf4ff" },
  "no-op": { sign: "", word: "record", ink: "#59636e", paper: "#f6f8fa" },
  same: { sign: "", word: "unchanged", ink: "#59636e", paper: "#ffffff" },
} as const;

export type Mark = keyof typeof marks;

const asciiSigns: Readonly<Record<string, string>> = { "\u2212": "-", "\u00b1": "-/+", "": "~" };

export const asciiSign = (mark: Mark): string => asciiSigns[marks[mark].sign] ?? marks[mark].sign;

export const tagOf = (mark: Mark): Tag => [mark, marks[mark].sign, marks[mark].word];

export const signText = (mark: Mark): string => `${marks[mark].sign} ${marks[mark].word}`;

export const legendOf = (nodes: readonly { readonly signs: readonly Mark[] }[]): readonly Mark[] =>
  (Object.keys(marks) as Mark[]).filter((mark) => nodes.some(({ signs }) => signs.includes(mark)));

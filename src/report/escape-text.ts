/**
 * Escapes text from outside (names, values, messages of the service) where it enters output. The text cannot move the
 * cursor, reorder or hide text, give commands to a CI runner, or become Markdown or HTML.
 */

/**
 * Control and format characters, lone surrogates, noncharacters (which XML refuses), line separators, every space but
 * the plain space, and invisible characters. The emoji variation selector U+FE0F is a harmless exception.
 */
const hidden =
  /(?!\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/gu;

/** `##[group]`, `##vso[…]`, `##teamcity[…]`: runners obey these anywhere in a line. */
const runnerCommand = /#(?=#\w*\[)/g;

/** `::error::`: GitHub's runner trims a line before it looks. */
const workflowCommand = /^(\s*):(?=:)/gm;

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const escapeUnits = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** One line: hidden characters are shown as `\u001b`, line breaks as `\n`, and no runner obeys it. */
export const escapeText = (text: string): string =>
  text
    .replace(hidden, (character) => shortEscapes[character] ?? escapeUnits(character))
    .replace(runnerCommand, "\\u0023")
    .replace(workflowCommand, "$1\\u003a");

/** Splits a text into lines and escapes each; tabs become two spaces. */
export const escapeLines = (text: string): string[] =>
  text.split(/\r\n|\n|\r/).map((line) => escapeText(line.replaceAll("\t", "  ")));

/** A quoted string on one line, with quotes and backslashes escaped, so that two values never look the same. */
export const quoteText = (text: string): string =>
  `"${escapeText(text.replaceAll("\\", "\\\\").replaceAll('"', '\\"'))}"`;

/** At most `limit` code points, the rest replaced by an ellipsis. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = [...text];
  return points.length <= limit ? text : `${points.slice(0, Math.max(0, limit - 3)).join("")}...`;
}

/** JSON text of a value; everything hidden stands as `\uXXXX`, which any JSON parser reads back unchanged. */
export const escapeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent)
    .replace(hidden, (character) => (character === "\n" ? character : escapeUnits(character)))
    .replace(/#(?=#)/g, "\\u0023");

export const jsonText = (value: unknown): string => `${escapeJson(value, 2)}\n`;

/** Emoji that are drawn as one, such as a family: joined by the invisible U+200D. */
const joinedEmoji =
  /(\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]*(?:\u200D\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]*)+)/u;

export const escapeHtml = (text: string): string =>
  text
    .split(joinedEmoji)
    .map((part, i) => (i % 2 === 1 ? part : escapeText(part)))
    .join("")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** A Markdown code span: no mention, link, image, HTML or emphasis works inside. */
export function codeSpan(text: string): string {
  const line = escapeText(text);
  if (line === "") return "` `";
  const fence = "`".repeat(longestRun(line) + 1);
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

export const foldedParts = (line: string, parts: readonly string[]): string =>
  [`<details><summary>${line}</summary>`, ...parts, "</details>"].join("\n\n");

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);

/** Words that mean nothing to Markdown, to GitHub or to a browser: none begins with `-` or `:`. */
const plainWord = /^[\p{L}\p{N}.,;'"()?!/%$\u2192][\p{L}\p{N}.,;:'"()?!/%$-]*$/iu;
const suspicious = /:\/\/|www\.|:\w+:|^\d+[.)]$/i;

const timeOfDay = /^\(?\d\d:\d\d(?::\d\d)?Z?[).,;]*$/;
/** The text to write in a hint: `removed: [service.x]`, `--confirm-delete service.x`. It stays whole, to be copied. */
const written = /((?:removed|moved): \[[^\]`]{0,300}\]|--confirm-delete [^\s,;]+)/;

/** Prose in Markdown, on one line: plain words stay, any word that could mean something becomes a code span. */
export const escapeMarkdown = (text: string): string =>
  escapeText(text)
    .split(written)
    .map((part, i) => (i % 2 === 1 ? codeSpan(part) : part.split(" ").map(inertWord).join(" ")))
    .join("")
    .trim();

function inertWord(word: string): string {
  if (word === "" || timeOfDay.test(word) || (plainWord.test(word) && !suspicious.test(word))) return word;
  // A pattern such as `[,.]+$` would be tried from each of many full stops.
  const [core] = /^(?:.*[^,.;!?])?/s.exec(word) as RegExpExecArray;
  return core === "" || suspicious.test(word) ? codeSpan(word) : codeSpan(core) + word.slice(core.length);
}

/** A fenced block that its content cannot close. */
export function fencedBlock(lines: readonly string[], language = ""): string {
  const fence = "`".repeat(Math.max(2, longestRun(lines.join("\n"))) + 1);
  return [`${fence}${language}`, ...lines, fence].join("\n");
}

import { groupBy } from "../model/collections";
import { shortList } from "../model/wording";
import { escapeLines, escapeText, quoteText } from "./escape-text";
import { attributeLines, capLines, coloured, indent, joinBlocks } from "./field-text";
import { effectWords } from "./plan-wording";
import { arrow, type Cell, type Fact, type Item, partsOf, type Section } from "./sections";
import { alignColumns, arrowOf, idNote, type Style, wrapLines } from "./style";

/** Sections for a terminal, each a paragraph; items of one id are one. */
export const sectionTexts = (sections: readonly Section[], style: Style): readonly string[] =>
  [...groupBy(sections, (one) => (one.items === undefined ? one : one.id)).values()].map((own) => {
    const [first] = own as [Section];
    if (first.items === undefined) return rowsText(first, style);
    const blocks = own.flatMap((section) =>
      (section.items ?? []).map((item) => itemLines(item, section, style)),
    );
    return [cellText(first.heading, style), joinBlocks(blocks)].filter((text) => text !== "").join("\n");
  });

function rowsText({ heading, rows, severity, weight }: Section, style: Style): string {
  const lines = alignColumns(rows.map((row) => row.map((cell) => cellText(cell, style))));
  const sentence = wrapLines(cellText(heading, style), style);
  const title = severity === "warning" ? style.colors.yellow(sentence) : sentence;
  return [title, ...(weight === "whole" ? lines : capLines(lines)).map((line) => `  ${line}`)].join("\n");
}

const cellText = (cell: Cell, style: Style): string =>
  partsOf(cell)
    .map((part) =>
      typeof part === "string" ? escapeText(part).replaceAll(arrow, arrowOf(style)) : escapeText(part.code),
    )
    .join("");

const mostNames = 5;
const mostInFolded = 2;

function itemLines(item: Item, { isFolded = false }: Section, style: Style): string[] {
  const { names = [], notes = [], fields = [], effects, facts = [], stop, printed = [] } = item;
  const addresses = shortList(names.map(escapeText), isFolded ? mostInFolded : mostNames);
  // The line of the item already says that a deletion is destructive.
  const isSaid = isFolded && item.sign === "-" && effects === effectWords.destructive;
  const follows = effects === undefined || isSaid ? [] : [{ label: "effect", text: effects }];
  const texts = [...follows, ...facts].map((fact) => factText(fact, style));
  const wrapped = (text: string): string => wrapLines(indent + text, style);
  return [
    headline(item, style),
    ...(names.length === 0 ? [] : [wrapped(addresses)]),
    ...notes.map((note) => style.colors.dim(wrapped(escapeText(note)))),
    ...attributeLines(fields, style),
    ...(isFolded && texts.length > 0 ? [texts.join("; ")] : texts).map(wrapped),
    ...(stop === undefined ? [] : stopLines(stop, style)),
    ...printed.map((line) => wrapped(escapeText(line)).trimEnd()),
  ];
}

/** `14 services will be updated in place`, `service.shop.worker ("Old") will be destroyed [id=…]`. */
function headline({ sign, subject, name, phrase, id }: Item, style: Style): string {
  const { bold, red } = style.colors;
  const words = sign === "-" || sign === "-/+" ? red(escapeText(phrase)) : escapeText(phrase);
  const shownName = name === undefined ? "" : ` (${quoteText(name)})`;
  const opening = `${signText(sign, style)} ${bold(escapeText(subject))}${shownName}`;
  const sentence = `${opening}${phrase === "" ? "" : ` ${words}`}`;
  return `${wrapLines(sentence, style, indent.length - 2)}${idNote(id, style)}`;
}

function signText(sign: string, style: Style): string {
  const { red, green } = style.colors;
  return sign === "-/+" ? `${red("-")}/${green("+")}` : coloured(sign, sign.padStart(3), style);
}

function factText({ label, text }: Fact, style: Style): string {
  const { bold, dim, red } = style.colors;
  const shown = cellText(text, style).replace(/^destructive/, (word) => bold(red(word)));
  return label === undefined ? shown : `${dim(`${label}:`)} ${shown}`;
}

function stopLines({ summary, hint }: NonNullable<Item["stop"]>, style: Style): string[] {
  const { bold, red } = style.colors;
  const beside = "blocked: ".length;
  return [
    wrapLines(`${indent}${bold(red("blocked:"))} ${escapeText(summary)}`, style, beside),
    ...escapeLines(hint).map((line) => wrapLines(indent + " ".repeat(beside) + line, style)),
  ];
}

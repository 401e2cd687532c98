import { CHOMPING_MODE, COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE } from "js-yaml";
import {
  Composer,
  CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  Lexer,
  type Node,
  type Pair,
  Parser,
  type Scalar,
} from "yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { explainSyntax } from "./explain-syntax";
import type { Report } from "./findings";

/** Lexical tokens of one file: what bounds time and memory, whatever the bytes are. */
const maxTokens = 900_000;

/** Lines of one file: empty lines and comments take the parser longest. */
const maxLines = 250_000;

/** A list item costs three tokens' worth of memory. */
const costOf = (lexeme: string): number => (lexeme === "-" ? 3 : 1);

/** The lexer recurses over indicators in a row (`- - - -`) before the parser could count them. */
const indicatorRun = /(?:[-?:][ \t]+){200}/;

/** The text of a file that does not parse with its secrets starred out, offsets as they were. */
export type Mask = (text: string) => string;

/** A scalar of js-yaml, or one whose text the library `yaml` has decoded. */
export type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }> & { readonly decoded?: string };
export type YamlEvent = Exclude<Event, { type: typeof EVENT_ID.SCALAR }> | ScalarEvent;

/** Levels of nesting; the deepest value of a manifest is on the ninth. */
export const maxDepth = 64;

/**
 * Reads a text that js-yaml refuses, or may read otherwise than a manifest is meant to be, with the library `yaml`.
 * Returns the events of its document; what is wrong goes to `report`.
 */
export function readWithYaml(file: string, text: string, report: Report, mask: Mask): readonly YamlEvent[] {
  const document = withoutTraces(() => compose(file, text, report, mask));
  const events: YamlEvent[] = [
    { type: EVENT_ID.DOCUMENT, explicitStart: false, explicitEnd: false, directives: [] },
  ];
  if (document?.contents) addNode(document.contents as Node, text, events);
  return events;
}

function addNode(node: Node | null, text: string, events: YamlEvent[]): void {
  const [start, end] = node?.range ?? [0, 0];
  if (isAlias(node)) {
    events.push({ type: EVENT_ID.ALIAS, anchorStart: start + 1, anchorEnd: end });
    return;
  }
  const anchor = node?.anchor;
  const anchorStart = anchor === undefined ? -1 : text.lastIndexOf(`&${anchor}`, start) + 1;
  const anchorEnd = anchorStart + (anchor?.length ?? 0);
  const properties = { anchorStart, anchorEnd, tagStart: -1, tagEnd: -1 };
  if (!isCollection(node)) {
    events.push({ ...properties, ...scalarEvent(node) });
    return;
  }
  const type = isMap(node) ? EVENT_ID.MAPPING : EVENT_ID.SEQUENCE;
  const style = node.flow ? COLLECTION_STYLE.FLOW : COLLECTION_STYLE.BLOCK;
  events.push({ ...properties, type, start, style });
  for (const item of node.items as (Node | Pair<Node | null, Node | null>)[])
    for (const inner of isPair(item) ? [item.key, item.value] : [item]) addNode(inner, text, events);
  events.push({ type: EVENT_ID.POP });
}

const styles = {
  PLAIN: SCALAR_STYLE.PLAIN,
  QUOTE_SINGLE: SCALAR_STYLE.SINGLE_QUOTED,
  QUOTE_DOUBLE: SCALAR_STYLE.DOUBLE_QUOTED,
  BLOCK_LITERAL: SCALAR_STYLE.LITERAL_BLOCK,
  BLOCK_FOLDED: SCALAR_STYLE.FOLDED_BLOCK,
} as const;

function scalarEvent(
  node: Scalar | null,
): Omit<ScalarEvent, "anchorStart" | "anchorEnd" | "tagStart" | "tagEnd"> {
  const decoded = node?.source ?? "";
  const style = styles[(node?.type ?? "PLAIN") as keyof typeof styles];
  const quote = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
  const [start, end] = node?.range ?? [0, 0];
  const isLeftOut = style === SCALAR_STYLE.PLAIN && decoded === "";
  const offsets = isLeftOut
    ? { valueStart: -1, valueEnd: -1 }
    : { valueStart: start + quote, valueEnd: end - quote };
  return {
    type: EVENT_ID.SCALAR,
    ...offsets,
    style,
    chomping: CHOMPING_MODE.CLIP,
    indent: -1,
    fast: false,
    decoded,
  };
}

/** The parser makes an error of each consequence of a mistake: where each was made would take most of the time. */
function withoutTraces<Made>(make: () => Made): Made {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = before;
  }
}

function compose(file: string, text: string, report: Report, mask: Mask): Document.Parsed | undefined {
  const run = text.search(indicatorRun);
  if (run !== -1) {
    report(tooDeep(file, run));
    return undefined;
  }
  if (hasMoreLines(text, maxLines)) {
    report(tooLarge(file, `${maxLines} lines`, 0));
    return undefined;
  }
  const lexer = new Lexer();
  const parser = new Parser();
  const composer = new Composer({ version: "1.2", schema: "core", uniqueKeys: false, prettyErrors: false });
  const documents: Document.Parsed[] = [];
  const keep = (tokens: Iterable<CST.Token>): void => {
    for (const token of tokens)
      for (const document of composer.next(token)) documents.push(document as Document.Parsed);
  };
  let tokens = 0;
  let scalarNext = false;
  for (const lexeme of lexer.lex(text)) {
    tokens += costOf(lexeme);
    if (tokens > maxTokens) {
      report(tooLarge(file, `${maxTokens} YAML tokens`, parser.offset));
      return undefined;
    }
    const range = { file, start: parser.offset, end: parser.offset + lexeme.length };
    if (!scalarNext) checkLexeme(lexeme, range, report);
    scalarNext = !scalarNext && lexeme === CST.SCALAR;
    keep(parser.next(lexeme));
    if (parser.stack.length > maxDepth + 2) {
      report(tooDeep(file, parser.offset));
      return undefined;
    }
  }
  keep(parser.end());
  for (const document of composer.end(false, text.length)) documents.push(document as Document.Parsed);
  reportDocuments(file, text, documents, report, mask);
  return documents[0];
}

function checkLexeme(lexeme: string, range: { file: string; start: number; end: number }, report: Report) {
  if (lexeme.startsWith("!"))
    report(
      error("manifest.unsupported", "YAML tags are not supported", {
        range,
        hint: "write the plain value; quotes make it text",
      }),
    );
  else if (lexeme.startsWith("%"))
    report(
      error("manifest.unsupported", "YAML directives are not supported", { range, hint: "remove this line" }),
    );
}

function reportDocuments(
  file: string,
  text: string,
  documents: readonly Document.Parsed[],
  report: Report,
  mask: Mask,
): void {
  const errors = documents.flatMap((document) => document.errors);
  const second = documents[1];
  if (errors.length > 0) report(explainSyntax(file, text, mask(text), errors));
  else if (second !== undefined) {
    const start = second.range[0];
    const isEmpty = documents.length === 2 && text.slice(start + 3).trim() === "";
    report(
      error("manifest.unsupported", "a manifest holds one YAML document", {
        range: { file, start, end: Math.min(text.length, start + 3) },
        hint: isEmpty ? "remove this line" : "put the second document into a file of its own",
      }),
    );
  }
}

function hasMoreLines(text: string, limit: number): boolean {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && lines <= limit; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines > limit;
}

export const tooLarge = (file: string, limit: string, offset: number): Diagnostic =>
  error("manifest.too_large", `${file} holds more than ${limit}`, {
    range: { file, start: offset, end: offset },
    hint: "split it into several files of a folder",
  });

export const tooDeep = (file: string, offset: number): Diagnostic =>
  error("manifest.too_deep", `values are nested more than ${maxDepth} levels deep`, {
    range: { file, start: offset, end: offset + 1 },
  });

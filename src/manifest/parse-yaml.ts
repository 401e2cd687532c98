import { Composer, CST, type Document, Lexer, Parser } from "yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { convertDocument, maxDepth } from "./convert-document";
import { explainSyntax } from "./explain-syntax";
import type { Report } from "./findings";
import { parseSimpleYaml } from "./parse-simple-yaml";
import type { MapNode } from "./source-tree";

/** Lexical tokens of one file: what bounds time and memory, whatever the bytes are. */
const maxTokens = 900_000;

/** Lines of one file: empty lines and comments take the parser longest. */
const maxLines = 250_000;

/** A list item costs three tokens' worth of memory. */
const costOf = (lexeme: string): number => (lexeme === "-" ? 3 : 1);

/** The lexer recurses over indicators in a row (`- - - -`) before the parser could count them. */
const indicatorRun = /(?:[-?:][ \t]+){200}/;

/** Control characters are not allowed in YAML; some are the lexer's own marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

export interface ParsedYaml {
  /** Undefined for an empty file, or one that cannot be read at all. */
  readonly root?: MapNode;
  /** A mistake was reported. */
  readonly failed: boolean;
}

/** The text of a file that does not parse with its secrets starred out, offsets as they were. */
export type Mask = (text: string) => string;

const hideAll: Mask = () => "";

/** One YAML 1.2 document (core schema) as a tree; undefined root for an empty file or after an error. */
export function parseYaml(file: string, text: string, report: Report, mask: Mask = hideAll): ParsedYaml {
  const bad = text.search(forbidden);
  if (bad !== -1) {
    const shown = text.charCodeAt(bad).toString(16).toUpperCase().padStart(4, "0");
    report(
      error("manifest.syntax", `the control character U+${shown} is not allowed in YAML`, {
        range: { file, start: bad, end: bad + 1 },
        hint: `write it as an escape in double quotes: "\\u${shown.toLowerCase()}"`,
      }),
    );
    return { failed: true };
  }
  const simple = parseSimpleYaml(file, text);
  if (simple !== undefined) return { root: simple, failed: false };
  return parseAnyYaml(file, text, report, mask);
}

/** The same by the YAML parser alone; `parseSimpleYaml` must agree with it wherever it gives an answer. */
export function parseAnyYaml(file: string, text: string, report: Report, mask: Mask = hideAll): ParsedYaml {
  let failed = false;
  const fail = (diagnostic: Diagnostic): void => {
    failed = true;
    report(diagnostic);
  };
  const document = withoutTraces(() => compose(file, text, fail, mask));
  if (document === undefined || failed) return { failed: true };
  const root = convertDocument(file, text, document, fail);
  return root === undefined ? { failed } : { root, failed };
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
  return onlyDocument(file, text, documents, report, mask);
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

function onlyDocument(
  file: string,
  text: string,
  documents: readonly Document.Parsed[],
  report: Report,
  mask: Mask,
): Document.Parsed | undefined {
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
  return documents[0];
}

function hasMoreLines(text: string, limit: number): boolean {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && lines <= limit; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines > limit;
}

const tooLarge = (file: string, limit: string, offset: number): Diagnostic =>
  error("manifest.too_large", `${file} holds more than ${limit}`, {
    range: { file, start: offset, end: offset },
    hint: "split it into several files of a folder",
  });

const tooDeep = (file: string, offset: number): Diagnostic =>
  error("manifest.too_deep", `values are nested more than ${maxDepth} levels deep`, {
    range: { file, start: offset, end: offset + 1 },
  });

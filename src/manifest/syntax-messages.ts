import type { ErrorCode } from "yaml";

/**
 * Own words for each error of the YAML parser. Its messages can quote the source, and the source can hold a secret.
 */
export const syntaxMessages: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias can have neither an anchor nor a tag",
  BAD_ALIAS: "the alias names no anchor before it",
  BAD_COLLECTION_TYPE: "the tag does not fit the value",
  BAD_DIRECTIVE: "the directive is not valid YAML",
  BAD_DQ_ESCAPE: "the escape sequence is not valid in double quotes",
  BAD_INDENT: "the indentation does not fit the lines around it",
  BAD_PROP_ORDER: "anchors and tags stand before the value, after its indicator",
  BAD_SCALAR_START: "text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "a nested mapping cannot stand on the line of its key",
  BLOCK_IN_FLOW: "an indented collection cannot stand inside { } or [ ]",
  DUPLICATE_KEY: "the key stands twice in one mapping",
  IMPOSSIBLE: "the text is not valid YAML",
  KEY_OVER_1024_CHARS: "a key may have at most 1024 characters",
  MISSING_CHAR: "a closing quote, a bracket, a comma or a colon is missing",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line; a quote or a bracket may be missing",
  MULTIPLE_ANCHORS: "a value can have one anchor only",
  MULTIPLE_DOCS: "a manifest holds one YAML document",
  MULTIPLE_TAGS: "a value can have one tag only",
  NON_STRING_KEY: "keys must be text",
  RESOURCE_EXHAUSTION: "the document is too large",
  TAB_AS_INDENT: "tabs cannot indent YAML: use spaces",
  TAG_RESOLVE_FAILED: "the tag is not supported",
  UNEXPECTED_TOKEN: "unexpected text: something before it may be unclosed, or it needs quotes",
};

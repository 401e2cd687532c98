/** Written apart from `src/report`: what a terminal, a CI runner or a reader must never meet in output. */

/** Control characters but line feeds, bidirectional and invisible ones, lone surrogates. */
export function hiddenIn(text: string): string[] {
  const found: string[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const isControl = (code < 0x20 && code !== 0x0a) || (code >= 0x7f && code <= 0x9f);
    const isBidi =
      (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code === 0x061c;
    const isInvisible =
      (code >= 0x200b && code <= 0x200f) ||
      (code >= 0x2028 && code <= 0x2029) ||
      (code >= 0x2060 && code <= 0x2064) ||
      (code >= 0xe0000 && code <= 0xe007f) ||
      [0xad, 0xfeff, 0x180e, 0x3164, 0xffa0].includes(code);
    const isLone = code >= 0xd800 && code <= 0xdfff;
    if (isControl || isBidi || isInvisible || isLone) found.push(`U+${code.toString(16)}`);
  }
  return found;
}

/** Lines that GitHub, Azure or TeamCity would obey. */
export const commandsIn = (text: string): string[] =>
  text.split("\n").filter((line) => /^\s*::[a-z]|##\[|##vso\[|##teamcity\[/i.test(line));

/** Returns what is left of Markdown once code spans and fenced blocks, where nothing works, are taken away. */
export function outsideCode(markdown: string): string {
  const outside: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const mark = /^\s*(`{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && line.trim() === fence) fence = undefined;
    else if (fence === undefined) outside.push(line.replace(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, "\u25a1"));
  }
  if (fence !== undefined) outside.push("<unclosed fence>");
  return outside.join("\n");
}

/** Returns links, images, mentions, HTML and emphasis of an attacker that work in Markdown, outside code. */
export const aliveIn = (markdown: string): readonly string[] =>
  outsideCode(markdown).match(
    /<script|<img|onerror|<!-- evil|evil\.example|@admin|\*\*b\*\*|<unclosed fence>/g,
  ) ?? [];

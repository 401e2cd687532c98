import { sha256 } from "../../model/text";
import { shortDigest } from "../../plan/digest";
import type { Plan } from "../../plan/plan";
import { groupBy } from "../order";
import { type Section as ListSection, lineOf } from "../sections";
import { html, linkTo, list, Markup, nothing, type Part } from "./markup";
import { pageScript } from "./page-script";
import { pageStyle } from "./page-style";

/** One part of a report, with a heading of its own. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Beside the title, in the list of sections too. */
  readonly count?: number;
  readonly body: Markup;
}

/** How a report looks at first sight: something stops it, something happens, nothing does. */
type Tone = "stop" | "act" | "calm";

export interface Verdict {
  /** One or two words, which say the same as `tone`. */
  readonly verdict: string;
  readonly tone: Tone;
}

export type Fact = readonly [label: string, value: Part];

export interface Report extends Verdict {
  /** `rnv plan`. */
  readonly heading: string;
  /** The line that ends the text of the same report. */
  readonly line: string;
  /** Sentences below it: counts, cost; without those that are empty. */
  readonly also?: readonly string[];
  /** What it is about: workspace, stage, digest; without those that are empty. */
  readonly facts: readonly Fact[];
  readonly sections: readonly (Section | undefined)[];
}

/** What a plan, a drift or a state is about. */
export const targetFacts = (
  stage: string | undefined,
  stack: string | undefined,
  { workspaceId, baseUrl }: Pick<Plan["binding"], "workspaceId" | "baseUrl">,
): readonly Fact[] => [
  ["Stage", stage],
  ["Stack", stack],
  ["Workspace", workspaceId],
  ["Service", baseUrl],
];

const inBase64 = (text: string): string => Buffer.from(sha256(text), "hex").toString("base64");

/** Nothing is loaded and nothing else runs: the style and the script of this page are known by their digests. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${inBase64(pageStyle)}'`,
  `script-src 'sha256-${inBase64(pageScript)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Writes a report as one HTML file. It is whole without its style and its script, and makes no request. */
export function page({ heading, verdict, tone, line, also = [], facts, sections }: Report): string {
  const shown = sections.filter((section) => section !== undefined);
  const { text } = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${heading}: ${line}</title>
<style>${new Markup(pageStyle)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header class="top ${tone}">
<h1>${heading}</h1>
<p class="line"><strong class="verdict">${verdict}</strong> ${line}</p>
${also.filter((text) => text !== "").map((text) => html`<p>${text}</p>\n`)}${factList(facts)}
</header>
<nav aria-label="Sections"><ul class="plain">${shown.map(sectionLink)}</ul></nav>
<main id="main" tabindex="-1">
${shown.map(sectionPart)}
</main>
<footer><p>Made by rnv. This page makes no network requests.</p></footer>
<script>${new Markup(pageScript)}</script>
</body>
</html>
`;
  return text;
}

const sectionLink = ({ id, title, count }: Section): Part =>
  html`<li><a href="${linkTo(id)}">${title}${countOf(count)}</a>`;

const sectionPart = ({ id, title, count, body }: Section): Part =>
  html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}${countOf(count)}</h2>
${body}
</section>
`;

const countOf = (count: number | undefined): Part =>
  count === undefined ? nothing : html` <span class="count">${count}</span>`;

const factList = (facts: Report["facts"]): Markup => {
  const rows = facts.filter(([, value = ""]) => value !== "");
  return html`<dl class="facts">${rows.map(([label, value]) => html`<div><dt>${label}<dd>${value}</div>`)}</dl>`;
};

/** The first characters of a digest; the whole is copied, and shown by a pointer. */
export const shortened = (digest: string): Markup =>
  html`<code class="copy" data-copy="${digest}" title="${digest}">${digest.slice(0, shortDigest)}</code>`;

/** Sections of rows and sentences; those of one `id` are one section of the page. */
export const listSections = (sections: readonly ListSection[]): readonly Section[] =>
  [...groupBy(sections, ({ id }) => id)].map(([id, own]) => {
    const count = own.reduce((sum, { rows }) => sum + rows.length, 0);
    const body = html`${own.map(
      ({ heading, title, rows }) =>
        html`${heading === `${title}:` ? nothing : html`<p>${heading}</p>`}${list(rows.map((row) => lineOf(row, inlineOf)))}`,
    )}`;
    return { id, title: own[0]?.title ?? id, ...(count > 0 && { count }), body };
  });

const inlineOf = (part: Exclude<Part, readonly Part[]> | { readonly code: string }): Part =>
  typeof part === "object" && "code" in part ? html`<code>${part.code}</code>` : part;

import type { Address } from "../../model/address";
import type { RecordedResource, State } from "../../model/state";
import { counted } from "../plan-wording";
import { outputsText, recordedAddresses, recordedLines, unfinishedLines } from "../state-text";
import { html, list, type Markup, nothing, preformatted } from "./markup";
import { page, type Section } from "./page";
import type { ReportScope } from "./plan-page";

/** Characters of the resources of a page. */
const mostCharacters = 1_500_000;

/** What a state records, as a page. */
export function statePage(state: State, { stage, stack }: ReportScope): string {
  const addresses = recordedAddresses(state);
  const open = unfinishedLines(state);
  const facts = [
    ["Stage", stage ?? state.stage ?? ""],
    ["Stack", stack ?? state.stack ?? ""],
    ["Workspace", state.workspaceId],
    ["Service", state.baseUrl],
    ["Lineage", state.lineage],
    ["Serial", String(state.serial)],
  ] as const;
  const isOpen = open.length > 0;
  return page({
    heading: "rnv show",
    verdict: isOpen ? "\u25b6 A run did not end" : "\u2714 Recorded",
    tone: isOpen ? "stop" : "calm",
    line: `${counted(addresses.length, "resource")} recorded.`,
    facts: facts.filter(([, value]) => value !== ""),
    sections: [
      isOpen
        ? {
            id: "open",
            title: "Unfinished",
            body: html`<pre tabindex="0">${preformatted(open.join("\n"))}</pre>`,
          }
        : undefined,
      resourcesSection(state, addresses),
      outputsSection(state),
    ],
  });
}

function resourcesSection(state: State, addresses: readonly Address[]): Section {
  let room = mostCharacters;
  const body = addresses.map((address) => {
    const resource = state.resources[address];
    if (resource === undefined || room < 0) return nothing;
    const entry = resourceEntry(address, resource);
    room -= entry.text.length;
    return entry;
  });
  const left = body.filter((entry) => entry === nothing).length;
  const note =
    left === 0
      ? nothing
      : html`<p>${counted(left, "resource")} left out, because this page would be too large.</p>`;
  return { id: "resources", title: "Resources", count: addresses.length, body: html`${body}${note}` };
}

function resourceEntry(address: Address, resource: RecordedResource): Markup {
  const { applied, computed, kept } = recordedLines(resource);
  const rows = (fields: readonly (readonly string[])[]) =>
    fields.map(([path, value]) => html`<tr><th>${path}<td>${value}`);
  const table = (caption: string, fields: readonly (readonly string[])[]) =>
    fields.length === 0
      ? nothing
      : html`<table class="fields"><caption>${caption}</caption>${rows(fields)}</table>`;
  return html`<details class="entry"><summary><code>${address}</code> ${resource.name}</summary>
<div id="${address}" class="body"><p>id <code>${resource.id}</code></p>${list(kept)}${table("As applied", applied)}${table("As the service computes it", computed)}</div></details>
`;
}

function outputsSection({ outputs }: State): Section | undefined {
  const text = outputsText(outputs);
  return text === ""
    ? undefined
    : {
        id: "outputs",
        title: "Outputs",
        body: html`<pre tabindex="0">${preformatted(text.trimEnd())}</pre>`,
      };
}

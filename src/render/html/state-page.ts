import { type Address, typeOf } from "../../model/address";
import type { AppliedValue, RecordedResource, State } from "../../model/state";
import { unflatten } from "../../model/value";
import { counted } from "../plan-wording";
import { outputsText, recordedAddresses, recordedLines, unfinishedLines } from "../state-text";
import { headOf } from "./entry";
import { filterForm } from "./filter";
import { html, list, type Markup, nothing, preformatted } from "./markup";
import { page, type Section } from "./page";
import type { ReportScope } from "./plan-page";
import { type ResourceChange, type Topology, topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

/** Characters of the resources of a page. */
const mostCharacters = 1_500_000;

/** What a state records, as a page. */
export function statePage(state: State, scope: ReportScope): string {
  const { stage, stack } = scope;
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
      topologySection(stateTopology(state, scope), new Set<string>(addresses)),
      resourcesSection(state, addresses),
      outputsSection(state),
    ],
  });
}

/** What is recorded, as it was last applied and seen. */
function stateTopology({ resources }: State, { types }: ReportScope): Topology {
  const recorded = Object.entries(resources).map(([address, resource]): ResourceChange => {
    const sides = [...Object.entries(resource.computed), ...Object.entries(resource.applied)];
    const known = unflatten<AppliedValue>(new Map(sides)) as ResourceChange["change"]["before"];
    return {
      ...{ address: address as Address, id: resource.id, type: resource.type, live_name: resource.name },
      ...{ attributes: [], effects: [], with_parent: false, references: [...resource.dependsOn] },
      change: { actions: ["no-op"], before: known, after: known, importing: undefined },
    };
  });
  return topologyOf({ resource_changes: recorded }, types);
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
  const filter = filterForm("resources", [
    { name: "action", label: "Type", values: addresses.map((address) => typeOf(address)) },
    { name: "project", label: "Project or service", values: addresses.map((address) => headOf({ address })) },
  ]);
  return {
    id: "resources",
    title: "Resources",
    count: addresses.length,
    body: html`${filter}${body}${note}`,
  };
}

function resourceEntry(address: Address, resource: RecordedResource): Markup {
  const { applied, computed, kept } = recordedLines(resource);
  const rows = (fields: readonly (readonly string[])[]) =>
    fields.map(([path, value]) => html`<tr><th>${path}<td>${value}`);
  const table = (caption: string, fields: readonly (readonly string[])[]) =>
    fields.length === 0
      ? nothing
      : html`<table class="fields"><caption>${caption}</caption>${rows(fields)}</table>`;
  return html`<details class="entry" data-action="${typeOf(address)}" data-project="${headOf({ address })}"><summary><code>${address}</code> ${resource.name}</summary>
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

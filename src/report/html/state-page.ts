import { type Address, typeOf } from "../../model/address";
import type { AppliedValue, RecordedResource, State } from "../../model/state";
import { unflatten } from "../../model/value";
import { counted } from "../plan-wording";
import { recordedAddresses, recordedLines, stateSections } from "../state-text";
import { type Entry, entriesSection, headOf, noteTable } from "./entries";
import { code, html } from "./markup";
import { listSections, page, type Section, targetFacts } from "./page";
import type { ReportScope } from "./plan-page";
import { type ResourceChange, type Topology, topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

/** What a state records, as a page. */
export function statePage(state: State, scope: ReportScope): string {
  const { stage, stack } = scope;
  const addresses = recordedAddresses(state);
  const isOpen = state.run !== null || state.open.length > 0;
  return page({
    heading: "rnv show",
    verdict: isOpen ? "\u25b6 A run did not end" : "\u2714 Recorded",
    tone: isOpen ? "stop" : "calm",
    line: `${counted(addresses.length, "resource")} recorded.`,
    facts: [
      ...targetFacts(stage ?? state.stage, stack ?? state.stack, state),
      ["Lineage", state.lineage],
      ["Serial", String(state.serial)],
    ],
    sections: [
      topologySection(stateTopology(state, scope), new Set<string>(addresses)),
      resourcesSection(state, addresses),
      ...listSections(stateSections(state)),
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
      references: [...resource.dependsOn],
      change: { actions: ["no-op"], before: known, after: known },
    };
  });
  return topologyOf(recorded, types);
}

function resourcesSection(state: State, addresses: readonly Address[]): Section | undefined {
  const entries = addresses.flatMap((address) => {
    const resource = state.resources[address];
    return resource === undefined ? [] : [entryOf(address, resource)];
  });
  return entriesSection("resources", [{ entries, isFolded: true }]);
}

function entryOf(address: Address, resource: RecordedResource): Entry {
  const { applied, computed, kept } = recordedLines(resource);
  return {
    ids: [address],
    line: html`${code(address)} ${resource.name}`,
    body: () =>
      noteTable([
        ["id", code(resource.id)],
        ...kept.map((text) => ["kept", text] as const),
        ...applied.map(([path, value]) => [code(path), value] as const),
        ...computed.map(([path, value]) => [code(path), value, "computed by the service"] as const),
      ]),
    found: { Type: [typeOf(address)], "Project or service": [headOf({ address })] },
  };
}

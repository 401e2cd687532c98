import { checkReplacement, dropOpenWrites } from "../../../src/commands/edit-state";
import type { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import type { State } from "../../../src/model/state";
import { emptyState } from "../../../src/state/recorded";
import { address, intent, origin, resource } from "../state/fixtures";

const at = {
  project: address("project.shop"),
  api: address("service.shop.api"),
  token: address("variable.shop.api.TOKEN"),
  web: address("service.shop.web"),
};
const state: State = {
  ...emptyState({ lineage: "line", ...origin }),
  serial: 5,
  resources: {
    [at.project]: resource("p", { type: "project" }),
    [at.api]: resource("a", { parent: at.project, dependsOn: [at.project] }),
    [at.token]: resource("t", { type: "variable", parent: at.api, dependsOn: [at.api] }),
    [at.web]: resource("w", { parent: at.project, dependsOn: [at.project, at.api] }),
  },
};
/** What is said of a state that is refused; nothing of one that is accepted. */
const refused = (check: () => void) => {
  try {
    check();
    return [];
  } catch (cause) {
    return (cause as DiagnosticsError).diagnostics;
  }
};

describe("what `rnv state push` may replace", () => {
  it("accepts a first state, a later serial of the same lineage, and the same state again", () => {
    for (const [current, incoming] of [
      [undefined, state],
      [state, { ...state, serial: 6, outputs: { a: 1 } }],
      [state, { ...state }],
    ] as const)
      expect(refused(() => checkReplacement("push", current, incoming, false))).toEqual([]);
  });

  it("refuses another lineage, an older serial, the same serial changed, and lost open writes, but for force", () => {
    const open = { ...state, open: [intent(1).intent] };
    for (const [current, incoming, reason] of [
      [state, { ...state, lineage: "other", serial: 9 }, "lineage"],
      [state, { ...state, serial: 4 }, "serial 4"],
      [state, { ...state, outputs: { a: 1 } }, "different content"],
      [open, { ...state, serial: 9 }, "outcome is not known"],
    ] as const) {
      expect(refused(() => checkReplacement("push", current, incoming, false))).toMatchObject([
        { code: "state.conflict", summary: expect.stringContaining(reason) },
      ]);
      expect(refused(() => checkReplacement("push", current, incoming, true))).toEqual([]);
    }
  });

  it("refuses a state of another workspace, even by force", () => {
    const other = { ...state, workspaceId: "other", serial: 9 };
    expect(refused(() => checkReplacement("push", state, other, true))).toMatchObject([
      { code: "state.workspace" },
    ]);
  });
});

describe("what `rnv state restore` may replace", () => {
  const open = { ...state, open: [intent(1).intent] };

  it.each([
    ["where nothing is recorded", undefined, { ...state, lineage: "other" }],
    ["of an older serial", state, { ...state, serial: 1 }],
    ["of the same serial with other content", state, { ...state, outputs: { a: 1 } }],
    ["with the same open writes", open, { ...open, serial: 1 }],
    ["with open writes where there are none", state, open],
  ])("takes a backup %s", (_, current, incoming) => {
    expect(refused(() => checkReplacement("restore", current, incoming, false))).toEqual([]);
  });

  it.each([
    ["another lineage", state, { ...state, lineage: "other" }, "lineage other", "--force"],
    ["none of the open writes", open, state, "1 writes", "-refresh-only"],
    ["other open writes", open, { ...state, open: [intent(2).intent] }, "1 writes", "-refresh-only"],
    ["neither", open, { ...state, lineage: "other" }, "1 writes", "-refresh-only"],
  ])("refuses one that has %s, but for force", (_, current, incoming, reason, way) => {
    expect(refused(() => checkReplacement("restore", current, incoming, false))).toMatchObject([
      {
        code: "state.conflict",
        summary: expect.stringContaining(reason),
        hint: expect.stringContaining(way),
      },
    ]);
    expect(refused(() => checkReplacement("restore", current, incoming, true))).toEqual([]);
  });
});

describe("a write whose outcome is unknown", () => {
  const intent = { seq: 1, address: "variable.shop.api.KEY", operation: "createVariable" } as never;

  it("is forgotten by its address when nothing is recorded under it", () => {
    const state = { ...emptyState({ lineage: "line", workspaceId: "w", baseUrl: "u" }), open: [intent] };
    const dropped = dropOpenWrites(state, ["variable.shop.api.KEY"]);
    expect(dropped.addresses).toEqual(["variable.shop.api.KEY"]);
    expect(dropped.state.open).toEqual([]);
  });

  it("stays while its address is recorded or another one is named", () => {
    const state = { ...emptyState({ lineage: "line", workspaceId: "w", baseUrl: "u" }), open: [intent] };
    const recorded = { ...state, resources: { "variable.shop.api.KEY": {} as never } };
    expect(dropOpenWrites(recorded, ["variable.shop.api.KEY"]).state.open).toEqual([intent]);
    expect(dropOpenWrites(state, ["variable.shop.api.OTHER"]).state.open).toEqual([intent]);
  });
});

import { join } from "node:path";
import { planDocument } from "../../../src/plan/document";
import { jsonText } from "../../../src/report/escape-text";
import { graphDot, graphMermaid } from "../../../src/report/graph-text";
import { graphOfAll } from "../../../src/report/html/topology";
import {
  outputsDocument,
  outputsText,
  stateJson,
  stateMarkdown,
  stateText,
} from "../../../src/report/state-list";
import { plainStyle } from "../../../src/report/style";
import { expectText } from "../../support/expected-text";
import { address, change, plan } from "../../support/plan-fixture";
import { state } from "../../support/state-fixture";

const expected = (name: string): string => join(__dirname, "expected", name);

it("shows the records, and the writes that a run left open", () => {
  expectText(expected("state.txt"), stateText(state, plainStyle));
});

it("shows the same in Markdown, each resource with a list of its fields", () => {
  expectText(expected("state.md"), stateMarkdown(state));
});

it("leaves nothing of a state out in Markdown, and says when there is none", () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`o${i}`, i]));
  expect(stateMarkdown({ ...state, outputs: many })).toContain("- `o59`: `59`");
  expect(stateMarkdown(undefined)).toBe("### rnv show\n\n**The state is empty.**\n");
});

it("never shows a fingerprint", () => {
  expect(stateText(state, plainStyle) + stateMarkdown(state) + stateJson(state)).not.toContain("f00d");
});

it("gives Terraform's shape as JSON, with secrets null and marked", () => {
  expectText(expected("state.json.txt"), stateJson(state));
});

it("writes outputs as text and in Terraform's JSON with their types", () => {
  const outputs = { b: true, a: [1, "x"], c: null, d: { e: 2 } };
  expect(outputsText(outputs)).toBe('a = [1, "x"]\nb = true\nc = null\nd = {"e": 2}\n');
  expectText(expected("outputs.json.txt"), jsonText(outputsDocument(outputs)));
});

describe("a graph", () => {
  const graphOf = (ids: readonly string[], to?: string) => ({
    nodes: ids.map((id) => ({
      ...{ id, title: id, facts: "", box: "p", mark: "same" as const, signs: [], does: "" },
    })),
    edges: to === undefined ? [] : ids.map((from) => ({ from, to, names: [] })),
    ...{ boxes: new Map<string, string>(), notes: [] },
  });

  it("is drawn by Mermaid", () => {
    expect(graphMermaid(graphOf(["service.shop.api"], "project.shop"))).toBe(
      'flowchart LR\n  n0["project.shop"]\n  n1["service.shop.api"]\n  n1 --> n0\n',
    );
  });

  it("marks changes of a plan by colour and word, and leads to parents and references", () => {
    const blockedBy = { code: "guard.delete_unconfirmed", summary: "s", hint: "h" } as const;
    const { resource_changes: changes } = planDocument(
      plan([
        change("update", "service.shop.api", { references: [address("service.shop.db")] }),
        change("create", "deployment.shop.api", { reason: "service.shop.api changes" }),
        change("replace", "service.shop.db", { blockedBy }),
        change("delete", "service.shop.old", { dependsOn: [address("service.shop.db")] }),
        change("delete", "service.shop.kept", { onRemove: "archive", reason: "onRemove: archive" }),
        change("create", "service.shop.lost", { missing: true, reason: "it was deleted outside of rnv" }),
      ]),
    );
    const parentOf = (type: string) => address(type === "deployment" ? "service.shop.api" : "project.shop");
    const marked = graphOfAll(changes.map((one) => ({ ...one, parent: parentOf(one.type) })));
    expect(marked.edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "service.shop.api project.shop",
      "service.shop.api service.shop.db",
      "deployment.shop.api service.shop.api",
      "service.shop.db project.shop",
      // Its own order is that of deletions, which is no dependency.
      "service.shop.old project.shop",
      "service.shop.kept project.shop",
      "service.shop.lost project.shop",
    ]);
    expectText(expected("graph.dot"), graphDot(marked));
    expectText(expected("graph.mmd"), graphMermaid(marked));
  });

  it("is in natural order", () => {
    const ids = [10, 2, 1].map((number) => `svc-${number}`);
    const numbered = { ...graphOf(ids, "db"), boxes: new Map([["p", "p"]]) };
    const namesIn = (text: string) => text.match(/svc-\d+/g)?.join(" ");
    expect(namesIn(graphMermaid(numbered))).toBe("svc-1 svc-2 svc-10");
    // In their frame, by themselves, and in edges.
    expect(namesIn(graphDot(numbered))).toBe(Array(3).fill("svc-1 svc-2 svc-10").join(" "));
  });

  it("cannot be left by a label", () => {
    const nasty = graphOf(['a"]; evil --> b\n<img>']);
    expect(graphDot(nasty)).toContain('  "a\\"]; evil --> b\\\\n<img>"\n');
    expect(graphMermaid(nasty)).toContain('n0["a#34;#93;#59; evil --#62; b#92;n#60;img#62;"]');
  });
});

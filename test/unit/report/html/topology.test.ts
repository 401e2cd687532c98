import { join } from "node:path";
import type { Plain } from "../../../../src/model/value";
import { planDocument } from "../../../../src/plan/document";
import type { Plan } from "../../../../src/plan/plan";
import { planDocumentSchema } from "../../../../src/plan/plan-schema";
import { topologyOf } from "../../../../src/report/html/topology";
import { graphFile } from "../../../../src/report/html/topology-svg";
import { resourceTypes } from "../../../../src/resources";
import { expectText } from "../../../support/expected-text";
import { pageOf } from "../../../support/html-plans";
import { address, change, field, plan, value } from "../../../support/plan-fixture";

const changesOf = (given: Plan) => planDocumentSchema.parse(planDocument(given)).resource_changes;
const topology = (given: Plan) => topologyOf(changesOf(given), resourceTypes);
const fileOf = (given: Plan, format: "dot" | "mermaid" | "svg") =>
  graphFile(changesOf(given), resourceTypes, format);

/** What is live, and declared as it is. */
const instanceOf = (...attributes: readonly (readonly [string, Plain])[]) => ({
  resolved: new Map(attributes),
  defaults: new Map(),
  fingerprints: {},
  live: { type: "", id: "", name: "", parentId: null, attributes: new Map(attributes), computed: new Map() },
});

const service = (name: string, action: "no-op" | "update" | "create" | "delete" = "no-op", rest = {}) =>
  change(action, `service.${name}`, {
    instance: instanceOf(["kind", "web"], ["configuration.plan", "starter"]),
    ...(action === "update" && { attributes: [field("configuration.branch", value("a"), value("b"))] }),
    ...rest,
  });

const blockedBy = { code: "guard.delete_unconfirmed", summary: "s", hint: "h" } as const;

const reference = (name: string, ...to: readonly string[]) =>
  change("no-op", `variable.${name}`, { references: to.map(address) });

const shop = plan([
  change("no-op", "project.shop"),
  change("no-op", "project.blog"),
  service("shop.api", "update", { cost: { before: { usd: 7, ngn: 1 }, after: { usd: 14, ngn: 2 } } }),
  change("update", "deployment.shop.api", { effects: ["deploys"], reason: "service.shop.api changes" }),
  service("shop.database"),
  service("shop.cache"),
  service("shop.old"),
  service("shop.older"),
  service("blog.web"),
  service("docs"),
  reference("shop.api.DATABASE_URL", "service.shop.database"),
  reference("shop.api.DATABASE_HOST", "service.shop.database"),
  reference("shop.cache.API", "service.shop.api"),
]);

it("draws what changes with its neighbours, and counts the rest", () => {
  const { nodes, edges, boxes, notes } = topology(shop);
  expect(nodes.map(({ title, box, mark }) => [title, box, mark])).toEqual([
    ["api", "project.shop", "update"],
    ["database", "project.shop", "same"],
    ["cache", "project.shop", "same"],
  ]);
  expect(boxes.get("project.shop")).toBe("shop (3 of 5)");
  expect(notes).toEqual(["3 of 7 services are drawn: those that change, and their neighbours."]);
  expect(edges).toEqual([
    { from: "service.shop.api", to: "service.shop.database", names: ["DATABASE_HOST", "DATABASE_URL"] },
    { from: "service.shop.cache", to: "service.shop.api", names: ["API"] },
  ]);
});

it("tells kind, plan, price, parts and effects of a node", () => {
  const [api] = topology(plan([...shop.changes, change("create", "variable.shop.api.NEW")])).nodes;
  expect(api).toMatchObject({ facts: "web · starter · USD 7 → 14", does: "~ update · 1 variable · deploys" });
});

it("marks a service whose parts change or drift alone, and a service that is blocked", () => {
  const { nodes } = topology(
    plan([
      service("shop.api"),
      change("update", "variable.shop.api.KEY", {
        attributes: [field("value", value(1), value(2), { cause: "drift" })],
      }),
      service("shop.old", "delete", { blockedBy }),
    ]),
  );
  expect(nodes.map(({ title, mark, signs }) => [title, mark, signs])).toEqual([
    ["api", "update", ["update", "drift"]],
    ["old", "delete", ["blocked", "delete"]],
  ]);
});

it("draws projects alone above 300 nodes", () => {
  const many = Array.from({ length: 400 }, (_, i) => service(`p${i % 8}.s${i}`, "update"));
  const projects = Array.from({ length: 8 }, (_, i) => change("no-op", `project.p${i}`));
  const { nodes, edges } = topology(
    plan([
      ...projects,
      ...many,
      reference("p1.s1.A", "service.p0.s0"),
      reference("p1.s9.B", "service.p0.s8"),
    ]),
  );
  expect(nodes).toHaveLength(8);
  expect(nodes[0]).toMatchObject({ title: "p0", facts: "50 services", mark: "update", does: "50 update" });
  expect(edges).toEqual([{ from: "project.p1", to: "project.p0", names: ["A", "B"] }]);
});

it("draws what is blocked and dangerous where there is no room for all, and says what it left out", () => {
  const lone = (action: "update" | "no-op") =>
    Array.from({ length: 320 }, (_, i) => service(`u${i}`, action)).with(
      314,
      service("u314", "delete", { blockedBy }),
    );
  const changed = plan(lone("update"));
  for (const format of ["svg", "mermaid", "dot"] as const)
    expect(fileOf(changed, format)).toMatch(/u314.*blocked/);
  expect(fileOf(changed, "svg")).toContain(
    "<desc>300 of 320 services are drawn, the most dangerous changes first. Left out: 20 update.</desc>",
  );
  const boxed = topology(plan([change("no-op", "project.p"), service("p.a", "update"), ...changed.changes]));
  expect(boxed.notes).toEqual([
    "321 services: one box for each project.",
    "300 of 1 project and 320 services are drawn, the most dangerous changes first. Left out: 21 update.",
  ]);
  const { notes } = topology(plan(Array.from({ length: 320 }, (_, i) => service(`u${i}`))));
  expect(notes).toEqual(["300 of 320 services are drawn. Left out: 20 unchanged."]);
});

it("draws no reference of a project that has more than 250, and says so", () => {
  const drawn = (references: number) => {
    const html = pageOf(
      plan([
        change("no-op", "project.p"),
        ...Array.from({ length: 30 }, (_, i) => service(`p.s${i}`, "update")),
        ...Array.from({ length: references }, (_, i) =>
          reference(`p.s${i % 30}.K${i}`, `service.p.s${((i % 30) + 1 + Math.floor(i / 30)) % 30}`),
        ),
      ]),
    );
    return [html.match(/<g class="edge">/g)?.length ?? 0, html.includes("too many references to draw")];
  };
  expect(drawn(250)).toEqual([250, false]);
  expect(drawn(251)).toEqual([0, true]);
});

it("draws by presentation attributes, links to what is on the page, and says it in words too", () => {
  const html = pageOf(shop);
  const [svg = ""] = /<svg class="topology"[\s\S]*?<\/svg>/.exec(html) ?? [];
  expect(svg).toContain('<a href="#service.shop.api"><g class="node update"');
  expect(svg).not.toContain('href="#service.shop.cache"');
  expect(svg).toContain("<title>api, ~ update · deploys, web · starter · USD 7 → 14</title>");
  for (const [shape] of svg.matchAll(/<(?:rect|text|path)\b[^>]*>/g))
    expect(shape).toMatch(/ (?:fill|stroke)="/);
  expect(html).toContain("2 references, as a table");
});

it("leads a reference to another project to a stand-in beside what refers", () => {
  const html = pageOf(
    plan([
      change("no-op", "project.shop"),
      change("no-op", "project.blog"),
      service("shop.api", "update"),
      service("blog.web"),
      reference("blog.web.API", "service.shop.api"),
    ]),
  );
  expect(html).toMatch(
    /<a href="#service.shop.api"><g class="node update standin"[^>]*><title>api, ~ update, in shop<\/title>/,
  );
  expect(html).toContain("<title>service.blog.web refers to service.shop.api: API</title>");
  expect(html).toContain('<g class="box same"');
  expect(html).toContain("in another project");
});

it("takes places from the saved layout of a project, and none from a layout that places by itself", () => {
  const layout = (positions: Plain) =>
    change("no-op", "layout.shop", { instance: instanceOf(["positions", positions]) });
  const placesIn = (positions: Plain) =>
    topology(plan([...shop.changes, layout(positions)])).nodes.map(({ position }) => position);
  expect(placesIn({ api: { x: 1, y: 2 }, cache: { x: "1", y: 2 } })[0]).toEqual({ x: 1, y: 2 });
  expect(placesIn({ api: { x: 1, y: 2 }, cache: { x: "1", y: 2 } })[2]).toBeUndefined();
  expect(placesIn("auto")[0]).toBeUndefined();
});

it("is a file of its own that any XML parser reads, whatever names stand in it", () => {
  const hostile = `x"><script>&\uFFFE\u0000<!--`;
  const one = service("shop.api", "update", {
    construct: { path: hostile, in: "project.shop" },
    name: hostile,
    attributes: [field("kind", value("web"), value(hostile))],
  });
  const file = fileOf(plan([change("no-op", "project.shop"), one]), "svg");
  expect(file).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" class="topology"/);
  expect(file).not.toMatch(/<script|<!--|href|[\0\uFFFE]/);
  expect(opened(file)).toEqual([]);
});

/** Elements that a text opens and does not close, in their order. */
const opened = (text: string): readonly string[] => {
  const open: string[] = [];
  for (const [, close, name = "", rest] of text.matchAll(
    /<(\/?)([a-z]+)((?: [a-z-]+(?::[a-z]+)?="[^"<]*")*\/?)>/gi,
  ))
    if (close === "/") expect(open.pop()).toBe(name);
    else if (!rest?.endsWith("/")) open.push(name);
  return open;
};

it("colours a project by the worst that happens in it, and explains every sign", () => {
  const drifted = [field("configuration.branch", value("a"), value("b"), { cause: "drift" })];
  const marked = plan([
    change("no-op", "project.shop"),
    service("shop.api", "update", { attributes: drifted }),
    service("shop.kept", "delete", { onRemove: "archive" }),
    service("shop.old", "delete", { blockedBy }),
    reference("shop.api.OLD", "service.shop.old"),
  ]);
  const html = pageOf(marked);
  expect(html).toContain('<g class="box delete"');
  expect(html).toContain('<g class="node archive"');
  const [legend = ""] = /<ul class="plain legend">[\s\S]*?<\/ul>/.exec(html) ?? [];
  expect(legend.replace(/<[^>]*>/g, "").trim()).toBe(
    "! blocked\u2212 destroy\u2212 archive\u2260 drift~ update\u2192 refers to",
  );
  const explained = [...fileOf(marked, "mermaid").matchAll(/ l\d\["#(\d+); (\w+)"\]/g)];
  expect(explained.map(([, sign, word]) => `${String.fromCharCode(Number(sign))} ${word}`)).toEqual([
    "! blocked",
    "\u2212 destroy",
    "\u2212 archive",
    "\u2260 drift",
    "~ update",
  ]);
});

describe("a graph of services", () => {
  it("has frames of projects, marks and a legend in Mermaid, and frames in DOT", () => {
    expectText(join(__dirname, "../expected/topology.mmd"), fileOf(shop, "mermaid"));
    expectText(join(__dirname, "../expected/topology.dot"), fileOf(shop, "dot"));
  });

  it("says in Mermaid that a deployment runs again, where it has every resource", () => {
    const all = graphFile(changesOf(shop), resourceTypes, "mermaid", { all: true });
    expect(all).toContain("deployment.shop.api<br/>#126; run");
  });

  it("is one node for each project of 500 services, with what changes in it", () => {
    const many = Array.from({ length: 500 }, (_, i) =>
      service(`p${i % 10}.s${i}`, i === 3 ? "delete" : i < 40 ? "update" : i < 400 ? "create" : "no-op"),
    );
    const projects = [...Array(10).keys()].map((i) => change("no-op", `project.p${i}`));
    const dot = fileOf(plan([...projects, ...many]), "dot");
    expect(dot.match(/\[label = /g)).toHaveLength(10);
    expect(dot).toMatch(/^ {2}label = "500 services: one box for each project\.( [^"]*)?"$/m);
    expect(dot).toContain('"project.p3" [label = "p3\\n1 destroy, 3 update, 36 create"');
  });
});

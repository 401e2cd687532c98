import { createHash } from "node:crypto";
import { Script } from "node:vm";
import { SourceFile } from "../../../../src/diagnostics/diagnostic";
import { planDocument } from "../../../../src/plan/document";
import { pageScript, pageStyle } from "../../../../src/report/html/page-assets";
import { planPage } from "../../../../src/report/html/pages";
import { resourceTypes } from "../../../../src/resources";
import { pageOf } from "../../../support/html-plans";
import { address, change, field, plan, shopPlan, value } from "../../../support/plan-fixture";
import { itInSoak } from "../../../support/soak";

/** The text of a page as a reader without a style sees it. */
const textOf = (html: string): string =>
  html
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&quot;/g, '"')
    .replace(/&gt;/g, ">")
    .replace(/\s+/g, " ");

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

it("says what lets a blocked change pass, above all else", () => {
  const html = pageOf(shopPlan);
  expect(html).toContain('<code class="copy">--confirm-delete service.shop.docs</code>');
  expect(html.indexOf('id="blocked"')).toBeLessThan(html.indexOf('id="topology"'));
});

it("tells cause, sides, effects, cost and line of a field", () => {
  const edited = change("update", "service.a", {
    attributes: [
      field("configuration.plan", value("free"), value("starter"), {
        range: new SourceFile("rnv.yaml", "a: 1\nb: 2\nplan: starter\n").range(12, 19),
      }),
      field("configuration.region", value("eu"), value("auto"), { cause: "drift" }),
    ],
    effects: ["deploys", "billing"],
    cost: { before: { usd: 0, ngn: 0 }, after: { usd: 7, ngn: 10500 } },
  });
  const text = textOf(pageOf(plan([edited])));
  expect(text).toContain('- configuration.plan: "free" + configuration.plan: "starter" rnv.yaml:3');
  expect(text).toContain(
    '- configuration.region: "eu" + configuration.region: "auto" # drift: changed outside rnv',
  );
  expect(text).toContain("cost USD 0 → 7, NGN 0 → 10,500 a month");
  expect(text).toContain("will be updated in place deploys, changes the bill");
});

it("shows policies, those that stop first", () => {
  const range = { file: "rnv.yaml", start: 3, end: 5 };
  const html = pageOf(
    plan([change("update", "service.shop.api", { attributes: [field("a", value(1), value(2))] })], {
      checks: [
        { policy: "names", level: "mandatory", status: "passed" },
        {
          ...{ policy: "replicas", level: "overridable", status: "failed", message: "two replicas", range },
          address: address("service.shop.api"),
        },
      ],
    }),
  );
  const text = textOf(html);
  expect(text).toContain("✖ Blocked");
  expect(text).toMatch(
    /1 passed, 1 failed\. replicas service.shop.api : failed \(overridable\), two replicas names : passed/,
  );
  expect(text).toContain("Policies 2");
  const condition = { policy: "precondition", level: "mandatory", status: "passed" } as const;
  const both = plan([], { checks: [condition, { ...condition, policy: "names" }, condition] });
  expect(textOf(pageOf(both))).toMatch(/Checks 2.*3 passed\. precondition : 2 passed names : passed/);
  expect(textOf(pageOf(plan([], { checks: [condition] })))).toMatch(/Conditions 1.*precondition/);
  const advisory = plan([], { checks: [{ policy: "soft", level: "advisory", status: "failed" }] });
  expect(textOf(pageOf(advisory))).not.toContain("Blocked");
});

it("allows its own style and script by digest, and nothing else", () => {
  const html = pageOf(shopPlan);
  const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
  const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
  const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${digestOf(style)}'`,
    `script-src 'sha256-${digestOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(html).not.toMatch(/\s(?:style|on\w+|src|action)="/);
  expect(html.replaceAll("http-equiv", "").match(/https?:[^"<\s]*/g)).toEqual([
    "https://host.example/api/v1",
  ]);
  expect(() => new Script(pageScript)).not.toThrow();
});

it("has the same bytes for the same plan, whatever its time and serial", () => {
  const again = {
    ...shopPlan,
    timestamp: "2026-11-23T00:00:00.000Z",
    binding: { ...shopPlan.binding, serial: 7 },
  };
  expect(pageOf(again)).toBe(pageOf(shopPlan));
});

it("is the same from the plan as from its document", () => {
  const document = JSON.parse(JSON.stringify(planDocument(shopPlan)));
  expect(planPage(document, { types: resourceTypes })).toBe(pageOf(shopPlan));
});

it("shows hostile text as text", () => {
  const name = `</code><script>alert(1)</script>"'\u202e\u0000`;
  const html = pageOf(
    plan([
      change("delete", "service.a", { liveName: name, id: name }),
      change("update", "service.b", { attributes: [field(name, value(name), value(`${name}\n${name}`))] }),
    ]),
  );
  expect(html).not.toContain("<script>alert");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
  expect(html).not.toMatch(/[\u202e\u0000]/);
  expect(html).toContain("\\u202e\\u0000");
});

it("tells equal changes of many as one, with the address of each to link to", () => {
  const edits = ["a", "b", "c", "d"].map((name) =>
    change("update", `service.shop.${name}`, {
      attributes: [field("configuration.runtime", value("node"), value("bun"))],
    }),
  );
  const html = pageOf(plan(edits));
  expect(html.match(/<details class="entry"/g)).toHaveLength(1);
  expect(textOf(html)).toContain("4 services will be updated in place");
  expect(html).toContain('<li id="service.shop.d">');
});

it("has an id once, and a link only to what is there", () => {
  const html = pageOf(shopPlan);
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target = ""] of html.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
});

it("shows 12 characters of the digest, and copies all", () => {
  const digest = "0123456789abcdef".repeat(4);
  expect(pageOf(plan([], { digest }))).toContain(
    `<code class="copy" data-copy="${digest}" title="${digest}">0123456789ab</code>`,
  );
});

it("has six sizes of text", () => {
  const sizes = new Set(
    [...pageStyle.matchAll(/font(?:-size)?: ?[^;}]*?(var\(--t\d\)|[\d.]+(?:px|r?em))/g)].map(
      ([, size]) => size,
    ),
  );
  expect([...sizes].sort()).toEqual([1, 2, 3, 4, 5, 6].map((size) => `var(--t${size})`));
});

it("folds new resources away by project, with counts", () => {
  const made = Array.from({ length: 30 }, (_, i) => change("create", `service.p${i % 3}.s${i}`));
  const runs = [0, 1, 2, 3].map((i) =>
    change("create", `deployment.p${i % 3}.s${i}`, { reason: "the service changes" }),
  );
  const html = pageOf(plan([...made, ...runs]));
  const groups = [...html.matchAll(/<details class="group"><summary>(.*?)<\/summary>/g)];
  expect(groups.map(([, line = ""]) => textOf(line).trim())).toEqual([
    "p0 10",
    "p0, p1, p2 4",
    "p1 10",
    "p2 10",
  ]);
});

describe("a plan of many", () => {
  const fields = Array.from({ length: 12 }, (_, i) =>
    field(`configuration.field${i}`, value(""), value(`value ${i}`), {
      range: { file: "rnv.yaml", start: i, end: i + 1 },
    }),
  );
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => `shop${i % 40}.s${i}`).flatMap((name) => [
      change("create", `service.${name}`, { attributes: [...fields, field("name", value(""), value(name))] }),
      change("create", `variable.${name}.KEY`, { attributes: [field("key", value(""), value(name))] }),
      change("create", `deployment.${name}`, { reason: "the service changes", effects: ["deploys"] }),
    ]);

  itInSoak("stays below two megabytes, and says what it left out", () => {
    const ended = Array.from({ length: 50 }, (_, i) => change("delete", `service.old.s${i}`));
    const html = pageOf(plan([...many(2000), ...ended]));
    expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
    expect(html).toContain("Fields are left out where this page would be too large.");
    expect(html).toContain('id="deployment.shop39.s1999"');
    for (const { address: at } of ended) expect(html).toContain(`id="${at}"`);
  });
});

import { join } from "node:path";
import { type Diagnostic, error, SourceFile, warning } from "../../../src/diagnostics/diagnostic";
import type { Address } from "../../../src/model/address";
import { githubAnnotations } from "../../../src/report/ci/artifacts";
import { diagnosticsText, findingsText, summaryOf } from "../../../src/report/diagnostics";
import { diagnosticData } from "../../../src/report/documents";
import { createStyle, plainStyle } from "../../../src/report/style";
import { expectText } from "../../support/expected-text";

const expected = (name: string): string => join(__dirname, "expected", name);

const manifest =
  "projects:\n  shop:\n    services:\n      api:\n          runtmie: node\n          plan: gold\n";
const rangeOf = (text: string, file = "rnv.yaml", source = manifest) => {
  const start = source.indexOf(text);
  return new SourceFile(file, source).range(start, start + text.length);
};

const unknownKey = error("manifest.unknown_key", 'service.shop.api has no attribute "runtmie"', {
  range: rangeOf("runtmie"),
  hint: 'did you mean "runtime"?',
});
const notOnOffer = error("plan.not_on_offer", 'plan "gold" is not available for kind "web"', {
  range: rangeOf("gold"),
  hint: "on offer: free, starter",
  detail: "The catalog lists plans by kind.\nPrices are estimates.",
});
const uncertain = warning("apply.uncertain", "the service did not answer", { requestId: "req-7f" });

const text = (diagnostics: readonly Diagnostic[]) => diagnosticsText(diagnostics, plainStyle);

describe("diagnosticsText", () => {
  it("shows the place, the line, carets and the hint", () => {
    expectText(expected("diagnostic.txt"), `${text([unknownKey])}\n`);
  });

  it("wraps its sentences at the width of a terminal, and leaves indented lines as they are", () => {
    const terminal = createStyle({ width: 40 });
    const words = (text: string) => Array.from({ length: 12 }, () => text).join(" ");
    const code = `  ${words("code")}`;
    const found = [
      error("apply.failed", words("what"), { detail: `${words("why")}\n${code}`, hint: words("do") }),
      error("apply.failed", "here", {
        range: new SourceFile("a.yaml", "a: 1\n").range(0, 1),
        hint: words("caret"),
      }),
    ];
    const lines = diagnosticsText(found, terminal).split("\n");
    expect(lines.filter((line) => line.length > 40)).toEqual([`  ${code}`]);
    expect(lines).toContain("  hint: do do do do do do do do do do do");
    const joined = lines.map((line) => line.trim()).join(" ");
    for (const text of [words("what"), words("why"), words("do"), words("caret")])
      expect(joined).toContain(text);
    expect(text(found).split("\n")).toContain(`error[apply.failed]: ${words("what")}`);
  });

  it("shows findings that say the same of many resources once, and counts all", () => {
    const waiting = Array.from({ length: 9 }, (_, i) => {
      const address = `deployment.shop.s${i}` as Address;
      return warning("apply.awaiting_checkout", `${address}: saved`, { address, hint: "pay" });
    });
    expectText(expected("same-diagnostics.txt"), `${text(waiting)}\n`);
    expect(text(waiting.slice(0, 3))).not.toContain("The same for");
  });

  it("names the resource where the summary does not, and a construct by its path", () => {
    const address = "service.shop.api" as Address;
    const summaries = ["kind is gone", "service.shop.api2 is gone", "the end of service.shop.api."];
    expect(summaries.map((summary) => summaryOf({ address, summary }))).toEqual([
      "service.shop.api: kind is gone",
      "service.shop.api: service.shop.api2 is gone",
      "the end of service.shop.api.",
    ]);
    const found = error("plan.not_on_offer", `${address}: kind is gone`, { address, construct: "shop/api" });
    expect(text([found])).toContain("]: shop/api: kind is gone");
    expect(JSON.stringify(diagnosticData(found))).not.toContain("shop/api");
  });

  it("sorts several, keeps a blank line between them, and counts", () => {
    expectText(expected("diagnostics.txt"), `${text([notOnOffer, uncertain, unknownKey])}\n`);
  });

  it("names the file alone, and the hint below, when its text is not at hand", () => {
    const found = { ...unknownKey, range: { file: "rnv.yaml", start: 40, end: 47 } };
    expectText(expected("diagnostic-without-text.txt"), `${text([found])}\n`);
  });

  it("trims a long line around the caret", () => {
    const source = `${"a".repeat(300)} HERE ${"b".repeat(300)}`;
    const finding = error("manifest.syntax", "bad", { range: rangeOf("HERE", "a.yaml", source) });
    const [, , line = "", carets = ""] = text([finding]).split("\n");
    expect(line.length).toBeLessThanOrEqual(80);
    expect(line).toMatch(/^1 \| \.\.\.a+ HERE b+\.\.\.$/);
    expect(carets.indexOf("^")).toBe(line.indexOf("HERE"));
    expect(carets.trimEnd().length).toBe(line.indexOf("HERE") + 4);
  });

  it("colours the heading and the carets", () => {
    expect(findingsText([unknownKey], createStyle({ color: true }))).toBe(
      [
        '\u001b[31m\u001b[1merror[manifest.unknown_key]\u001b[22m\u001b[39m\u001b[1m: service.shop.api has no attribute "runtmie"\u001b[22m',
        "  \u001b[2m-->\u001b[22m rnv.yaml:5:11",
        "\u001b[2m5 |\u001b[22m           runtmie: node",
        '  \u001b[2m|\u001b[22m           \u001b[31m^^^^^^^ did you mean "runtime"?\u001b[39m',
      ].join("\n"),
    );
  });
});

describe("githubAnnotations", () => {
  it("writes one command a finding", () => {
    const commands = githubAnnotations([unknownKey, uncertain], (file) => file);
    expectText(expected("annotations.txt"), commands);
  });

  it("escapes properties and data so that no further command can begin", () => {
    const finding = error("apply.failed", "100%\n::set-output name=a::b", {
      range: { file: "a,b:c\n.yaml", start: 0, end: 1 },
    });
    expect(githubAnnotations([finding], (file) => file)).toBe(
      "::error file=a%2Cb%3Ac\\n.yaml,title=apply.failed::100%25%0A\\u003a:set-output name=a::b\n",
    );
  });
});

it("gives lines and columns in JSON", () => {
  expect(diagnosticData(unknownKey)).toEqual({
    severity: "error",
    code: "manifest.unknown_key",
    summary: 'service.shop.api has no attribute "runtmie"',
    hint: 'did you mean "runtime"?',
    location: { file: "rnv.yaml", line: 5, column: 11, endLine: 5, endColumn: 18 },
  });
});

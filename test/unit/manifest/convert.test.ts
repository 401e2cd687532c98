import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { positionAt } from "../../../src/diagnostics/diagnostic";
import { type ConvertibleSource, convert, convertibleSources } from "../../../src/manifest/convert";
import { expectText } from "../../support/expected-text";
import { casesIn } from "../../support/rows";
import { shownTexts } from "../../support/shown-texts";
import { folderWith, load } from "./load";

const folder = join(__dirname, "converted");
const convertFile = (source: ConvertibleSource, file: string, text: string) => {
  const converted = convert({ source, file, text });
  const report = converted.diagnostics.map(({ severity, summary, range, hint }) => {
    const { line, column } = positionAt(text, range?.start ?? 0);
    return `${severity} ${file}:${line}:${column} ${summary}${hint === undefined ? "" : ` (${hint})`}\n`;
  });
  return { ...converted, report: report.join("") };
};

/** Each input lies in a file; beside it are the manifest and the report that came of it, which a person has read. */
const inputs = convertibleSources.flatMap((source) =>
  (existsSync(join(folder, source)) ? readdirSync(join(folder, source)) : [])
    .filter((name) => !/\.(rnv\.yaml|report)$/.test(name))
    .map((name) => [source, name] as const),
);

describe("a file of another tool", () => {
  it.each(inputs)(
    "%s %s becomes a valid manifest, and each field without a counterpart is reported with its place",
    async (source, name) => {
      const path = join(folder, source, name);
      const {
        text = "",
        report,
        diagnostics: dropped,
      } = convertFile(source, name, readFileSync(path, "utf8"));
      expectText(`${path}.rnv.yaml`, text);
      expectText(`${path}.report`, report);
      expect(`${text}${report}${shownTexts({ diagnostics: dropped })}`).not.toContain("canary");
      const cwd = folderWith({ "rnv.yaml": text });
      const { diagnostics } = await load(cwd, { secrets: "skip", environment: anything });
      expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    },
  );

  it.each<[ConvertibleSource, string, string, string]>(casesIn(join(__dirname, "not-convertible.json")))(
    "%s %s of another format ends with an error at its place",
    (source, file, text, code) => {
      const { diagnostics, text: manifest } = convertFile(source, file, text);
      expect(manifest).toBeUndefined();
      expect(diagnostics.find(({ severity }) => severity === "error")?.code).toBe(code);
      expect(JSON.stringify(diagnostics)).not.toContain("canary");
    },
  );
});

/** An environment that has every name. */
const anything: Record<string, string> = new Proxy(
  {},
  { get: (_, name) => (String(name).startsWith("RNV_") ? undefined : "x") },
);

import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { oneScenario } from "../support/cli";
import { describeWith, paths } from "./programs";

jest.setTimeout(180_000);

const rules = resolve(__dirname, "../../examples/prometheus/rnv.rules.yaml");
const open = "$" + "{";
const manifest = `stages: { production: {}, staging: {}, test: {} }
projects: { shop: { name: "shop-${open}stage.name}" } }
`;

const run = (program: string, args: readonly string[], input = ""): string =>
  execFileSync(String(paths[program]), args, { input, encoding: "utf8" });

/** A unit test of the rules over samples that stand for three days, with the alerts that fire then. */
function ruleTest(exposition: string, alerts: readonly Readonly<Record<string, string>>[]): string {
  const samples = exposition.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const series = samples.map((line) => {
    const [, name, value] = /^(.*) (\S+)$/.exec(line) ?? [];
    return { series: name, values: `${value}+0x1100` };
  });
  const firing = alerts.map((alert) => {
    const labels = { ...alert, alertstate: "firing", severity: "warning" };
    const told = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    return { labels: `ALERTS{${told.join(",")}}`, value: 1 };
  });
  const expected = [{ expr: "ALERTS", eval_time: "72h", exp_samples: firing }];
  const test = { interval: "4m", input_series: series, promql_expr_test: expected };
  return JSON.stringify({ rule_files: [rules], tests: [test] });
}

describe("what jobs write", () => {
  describeWith(["promtool", "junitparser"], () => {
    const scenario = oneScenario();
    beforeAll(async () => {
      scenario.write("rnv.yaml", manifest);
      for (const stage of ["production", "staging", "test"]) await scenario.applies("--stage", stage);
    });

    it("is read by Prometheus, whose rules name what drifted, was not checked and went silent", async () => {
      const { store } = scenario.emulator;
      const production = store.projects().find(({ name }) => name === "shop-production");
      store.editProject(production?.id ?? "", { name: "changed" });
      scenario.write(".rnv/staging/state.json", "{ broken");
      expect(await scenario.run("ci", "drift", "--all-stages", "--metrics", "rnv.prom")).toMatchObject({
        code: 1,
      });
      expect(await scenario.run("fleet", "drift", "--metrics", "fleet.prom")).toMatchObject({ code: 1 });
      const texts = ["rnv.prom", "fleet.prom"].map((file) => scenario.read(file));
      for (const text of texts) run("promtool", ["check", "metrics"], text);
      expect(run("promtool", ["check", "rules", rules])).toContain("3 rules found");
      // The first job of three days ago was the last for the stage test.
      const silent = /(last_run_timestamp_seconds\{.*test"\}) .*/g;
      const manifestLabel = /manifest="([^"]+)"/.exec(texts[0] ?? "")?.[1] ?? "";
      const of = (alertname: string, stage: string): Record<string, string>[] => [
        { alertname, manifest: manifestLabel, stage },
        { alertname, member: `.@${stage}`, verb: "drift" },
      ];
      const alerts = [
        ...of("RnvDrift", "production"),
        ...of("RnvNotChecked", "staging"),
        ...of("RnvSilent", "test"),
      ];
      scenario.write("test.yaml", ruleTest(texts.join("").replace(silent, "$1 0"), alerts));
      expect(run("promtool", ["test", "rules", join(scenario.folder, "test.yaml")])).toContain("SUCCESS");
    });

    it("is read as JUnit: suites with times, and no more skipped than there are", async () => {
      await scenario.run("ci", "plan", "--stage", "production");
      const program =
        "import json, sys; from junitparser import JUnitXml; whole = JUnitXml.fromfile(sys.argv[1]); " +
        "print(json.dumps([[s.name, s.tests, s.failures, s.skipped, s.time > 0, [c.time for c in s]] for s in whole]))";
      const read = run("junitparser", ["-c", program, join(scenario.folder, "rnv-report/junit.xml")]);
      expect(JSON.parse(read)).toEqual([["rnv plan production", 1, 0, 0, true, [0]]]);
    });
  });
});

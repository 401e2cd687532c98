import { argument, list, pick, text, textOrJson } from "../options";
import type * as running from "../run-tests";
import { defineVerb } from "../verb";

export const testVerb = defineVerb({
  name: "test",
  arguments: { paths: argument("[path...]") },
  summary: "Run the tests of manifests: *.rnvtest.yaml",
  status: "beta",
  detail:
    "Each test runs on an embedded platform of its own, in memory: nothing is sent anywhere, no state is read or written, and no " +
    "variable of the environment but those that the test gives. rnv.config.ts is run, commands of a manifest are not. Exit 1 when a test fails.",
  options: {
    filters: list("--filter <text>", "only tests whose file or name holds this text"),
    junit: text("--junit <file>", "also write the results there as JUnit"),
    format: textOrJson,
    ...pick("json"),
  },
  examples: [
    ["rnv test policies/ --junit tests.xml", "those of a folder, with a report for CI"],
    ["rnv test --filter production", "those about production"],
  ],
  run: (given, run) => (require("../run-tests") as typeof running).runTests(given, run),
});

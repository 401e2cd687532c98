import { Option } from "commander";
import { list, options } from "../options";
import type * as running from "../run-tests";
import type { Verb } from "./verb";

export const testVerb: Verb = {
  usage: "test [path...]",
  summary: "Run the tests of manifests: *.rnvtest.yaml",
  status: "beta",
  detail:
    "Each test runs on an embedded service of its own, in memory: nothing is sent anywhere, no state is read or written, and no " +
    "variable of the environment but those that the test gives. Commands of a manifest are not run. Exit 1 when a test fails.",
  options: [
    list("--filter <text>", "only tests whose file or name holds this text"),
    new Option("--junit <file>", "also write the results there as JUnit"),
    new Option("--format <format>", "how to show it").choices(["text", "json"]).default("text"),
    options.json,
  ],
  examples: [
    ["rnv test", "all tests below this folder"],
    ["rnv test policies/ --junit tests.xml", "those of a folder, with a report for CI"],
    ["rnv test --filter production", "those about production"],
  ],
  handler: (invocation) => (require("../run-tests") as typeof running).runTests(invocation),
};

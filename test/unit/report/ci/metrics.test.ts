import { join } from "node:path";
import { runMetrics } from "../../../../src/report/ci/metrics";
import { expectText } from "../../../support/expected-text";

it("writes what Prometheus reads: labels are escaped, a number that is not known is left out", () => {
  const labels = { stage: 'a\\b "c"\nd{e="f"} 1', stack: undefined };
  const text = runMetrics("rnv_a", "2026-01-02T00:00:00Z", [{ labels, exitCode: 1, seconds: 1.5 }]);
  expectText(join(__dirname, "../expected/metrics.txt"), text);
});

import { runMetrics } from "../../../../src/report/ci/metrics";

it("writes what Prometheus reads: labels are escaped, a number that is not known is left out", () => {
  const labels = { stage: 'a\\b "c"\nd{e="f"} 1', stack: undefined };
  const text = runMetrics("rnv_a", "2026-01-02T00:00:00Z", [{ labels, exitCode: 1, seconds: 1.5 }]);
  const name = 'stage="a\\\\b \\"c\\"\\nd{e=\\"f\\"} 1"';
  expect(text).toBe(
    [
      "# HELP rnv_a_exit_code How the last run ended; 0 is clean, 2 is changes or drift.",
      "# TYPE rnv_a_exit_code gauge",
      `rnv_a_exit_code{${name}} 1`,
      "# HELP rnv_a_run_seconds How long the last run took.",
      "# TYPE rnv_a_run_seconds gauge",
      `rnv_a_run_seconds{${name}} 1.5`,
      "# HELP rnv_a_last_run_timestamp_seconds When the last run began, seconds since 1970.",
      "# TYPE rnv_a_last_run_timestamp_seconds gauge",
      `rnv_a_last_run_timestamp_seconds{${name}} 1767312000`,
      "",
    ].join("\n"),
  );
});

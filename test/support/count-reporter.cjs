/** Closes a run with one plain line: `123 passed, 0 failed, 2 skipped`. Suites that did not start count as failed. */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : "";
    process.stderr.write("", () =>
      process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed${tail}\n`),
    );
  }
};

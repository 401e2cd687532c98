const { relative } = require("node:path");

/** Prints each test file that has ended, as a line of JSON with a mark of its own. */
module.exports = class {
  onTestResult({ path, context }, result) {
    const failed = result.testResults.find(({ status }) => status === "failed");
    const failure =
      failed?.fullName ?? (result.testExecError || result.failureMessage ? "it does not run" : undefined);
    const { start, end } = result.perfStats;
    const ended = { file: relative(context.config.rootDir, path), ms: end - start, failure };
    process.stdout.write(`@@${JSON.stringify(ended)}\n`);
  }
};

const { readFileSync } = require("node:fs");
const { relative } = require("node:path");

/** Runs the test files in the order that RNV_MUTANTS_ORDER lists. */
module.exports = class {
  sort(tests) {
    const order = JSON.parse(readFileSync(process.env.RNV_MUTANTS_ORDER, "utf8"));
    const at = ({ path, context }) => order.indexOf(relative(context.config.rootDir, path));
    return [...tests].sort((one, other) => at(one) - at(other));
  }
  shard(tests) {
    return tests;
  }
  allFailedTests(tests) {
    return tests;
  }
  cacheResults() {}
};

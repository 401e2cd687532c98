const settings = require("./jest.config.cjs");
const alone = require("./together/alone.json");

/**
 * What `npm test` plays: most suites by the files of `together`, which load their modules once for all of them, the
 * others one by one. `.ci/run` plays `package` and the other suites of `terraform` too.
 */
module.exports = {
  ...settings,
  // Many tests wait for processes and timers: two cores are busy with four.
  maxWorkers: 4,
  testMatch: [
    "**/test/{browser,together}/*.test.ts",
    `**/test/scenario/{${alone}}.test.ts`,
    "**/test/terraform/{life-cycle,later-protocol}.test.ts",
  ],
};

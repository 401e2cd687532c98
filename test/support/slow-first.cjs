const { statSync } = require("node:fs");

// Files that play many suites, start programs or play the matrix: begun last, they would leave the other cores with
// nothing to do.
const slow = [
  "test/package/set-ups",
  "test/together/scenario",
  "test/together/unit-commands",
  "test/terraform/",
  "test/together/unit-state",
  "test/scenario/",
  "test/browser/",
  "test/faults/",
  "test/examples/",
  "test/property/",
];

const rank = ({ path }) => slow.findIndex((folder) => path.includes(`/${folder}`)) + 1 || slow.length + 1;

/** Jest's sequencer: slow folders first, in them the largest file first; the same in a fresh clone as anywhere. */
module.exports = class SlowFirst {
  sort(tests) {
    const size = new Map(tests.map((test) => [test, statSync(test.path).size]));
    return [...tests].sort((a, b) => rank(a) - rank(b) || size.get(b) - size.get(a));
  }
  allFailedTests(tests) {
    return tests;
  }
  cacheResults() {}
  shard(tests) {
    return tests;
  }
};

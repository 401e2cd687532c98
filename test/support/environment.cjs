const { relative } = require("node:path");
const { TestEnvironment } = require("jest-environment-node");

/**
 * Jest's environment, which tells a test file the name of the test or suite that runs: the path of its suite below
 * `test`, then the words of its descriptions. A failure says the readings that were noted for its test.
 */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.suite = relative(`${config.projectConfig.rootDir}/test`, context.testPath);
    this.global.rnvReadings = new Map();
    this.global.rnvTestName = () =>
      this.nameOf(this.state?.currentlyRunningTest ?? this.state?.currentDescribeBlock);
  }

  handleTestEvent(event, state) {
    this.state = state;
    if (event.name !== "test_done" || event.test.errors.length === 0) return;
    const name = this.nameOf(event.test);
    const noted = [...this.global.rnvReadings].filter(([suite]) => name.startsWith(suite)).at(-1)?.[1];
    if (noted === undefined) return;
    const note = new Error(noted);
    note.stack = noted;
    event.test.errors.push(note);
  }

  nameOf(block) {
    const names = [];
    for (let at = block; at?.parent; at = at.parent) names.unshift(at.name);
    // A suite of `together` is a block of the name of its file.
    return (names[0]?.endsWith(".ts") ? names : [this.suite, ...names]).join(" ");
  }
};

const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const settings = require("./jest.config.cjs");

/** Whether a file is for a soak alone, or plays all its cases in one and a share of them in `npm test`. */
const isLong = (path) =>
  path.endsWith(".soak.ts") ||
  (path.endsWith(".test.ts") && readFileSync(path, "utf8").includes('support/soak"'));

process.env.RNV_SOAK = "1";

/** What `npm run test:soak` plays. */
module.exports = {
  ...settings,
  testMatch: readdirSync(__dirname, { recursive: true })
    .map((name) => join(__dirname, name))
    .filter(isLong),
};

// Part of the bundled entry: loads the program with V8's compiled code from beside it.
const { readFileSync } = require("node:fs");
const { createRequire, wrap } = require("node:module");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

/** V8 refuses code of another V8, and then compiles as if there were none. */
exports.loadProgram = (file) => {
  let cachedData;
  try {
    cachedData = readFileSync(`${file}.cache`);
  } catch {
    return require(file);
  }
  const script = new Script(wrap(readFileSync(file, "utf8")), { filename: file, cachedData });
  const loaded = { exports: {} };
  script
    .runInThisContext()
    .call(loaded.exports, loaded.exports, createRequire(file), loaded, file, dirname(file));
  return loaded.exports;
};

// `node compile-program.cjs PROGRAM ARGS…`: runs the program and keeps V8's compiled code of all that was used.
const { readFileSync, renameSync, writeFileSync } = require("node:fs");
const { createRequire, wrap } = require("node:module");
const { dirname } = require("node:path");
const v8 = require("node:v8");
const { Script } = require("node:vm");

// Compiled code is taken only under the flags that it was made with, and a process starts without those set later.
v8.setFlagsFromString = () => {};

const [file] = process.argv.splice(2, 1);
// Compiled code holds the name: where it was built is no business of where it runs, and would make other bytes.
const script = new Script(wrap(readFileSync(file, "utf8")), { filename: "program.js" });
const loaded = { exports: {} };
process.on("exit", () => {
  writeFileSync(`${file}.cache.${process.pid}`, script.createCachedData());
  renameSync(`${file}.cache.${process.pid}`, `${file}.cache`);
});
script
  .runInThisContext()
  .call(loaded.exports, loaded.exports, createRequire(file), loaded, file, dirname(file));
loaded.exports.main();

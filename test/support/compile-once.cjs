const vm = require("node:vm");
const { TestEnvironment } = require("jest-environment-node");

// Jest compiles every module anew for each file of tests, which V8 does not remember. What a process compiled it keeps
// here, so that the next file only reads it.
const { compileFunction } = vm;
const compiled = new Map();

vm.compileFunction = (source, parameters, options) => {
  const known = compiled.get(options.filename);
  const isKnown = known?.source === source;
  const made = compileFunction(source, parameters, {
    ...options,
    ...(isKnown ? { cachedData: known.cachedData } : { produceCachedData: true }),
  });
  if (made.cachedData !== undefined) compiled.set(options.filename, { source, cachedData: made.cachedData });
  return made;
};

/** Jest's environment of Node, whose modules are compiled once in a process. */
module.exports = TestEnvironment;

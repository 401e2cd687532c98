// The AWS SDK warns of Node 20, its bundle does not.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

/** Settings of jest, where each file of tests runs by itself: `npx jest test/unit/plan/diff.test.ts`. */
module.exports = {
  rootDir: "..",
  testEnvironment: "<rootDir>/test/support/environment.cjs",
  testSequencer: "<rootDir>/test/support/slow-first.cjs",
  workerIdleMemoryLimit: "700MB",
  globalSetup: "<rootDir>/test/support/before-all.cjs",
  testTimeout: 30000,
  moduleNameMapper: {
    "^\\.\\./locales/index\\.cjs$": "zod/v4/locales/en.cjs",
  },
  roots: ["<rootDir>/test"],
  testMatch: ["**/test/!(together)/**/*.test.ts"],
  transform: {
    "\\.[jt]s$": [
      "@swc/jest",
      {
        jsc: {
          target: "es2022",
          parser: {
            syntax: "typescript",
          },
        },
        module: {
          type: "commonjs",
        },
      },
    ],
  },
  transformIgnorePatterns: [
    "/node_modules/(?!.*(@clack|fast-string-|fast-wrap-ansi|string-width|strip-ansi|ansi-regex|get-east-asian-width|@marcbachmann)/)",
  ],
  collectCoverageFrom: ["src/**/*.ts"],
  reporters: ["default", "<rootDir>/test/support/count-reporter.cjs"],
  maxWorkers: 3,
  maxConcurrency: 4,
  coverageProvider: "v8",
  coverageThreshold: {
    global: {
      lines: 90,
    },
  },
};

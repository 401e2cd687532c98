/**
 * The handlers of the verbs, loaded when the first one of a file is called: `rnv version` reads none of them.
 * `require`, not `import()`: the output is CommonJS, where `import()` would ask for file extensions.
 */
export const lazy = {
  report: () => require("./report") as typeof import("./report"),
  plan: () => require("./handlers/plan") as typeof import("./handlers/plan"),
  apply: () => require("./handlers/apply") as typeof import("./handlers/apply"),
  drift: () => require("./handlers/drift") as typeof import("./handlers/drift"),
  show: () => require("./handlers/show") as typeof import("./handlers/show"),
  validate: () => require("./handlers/validate") as typeof import("./handlers/validate"),
  state: () => require("./handlers/state") as typeof import("./handlers/state"),
  live: () => require("./handlers/live") as typeof import("./handlers/live"),
  runtime: () => require("./handlers/runtime") as typeof import("./handlers/runtime"),
  init: () => require("./handlers/init") as typeof import("./handlers/init"),
  tools: () => require("./handlers/tools") as typeof import("./handlers/tools"),
};

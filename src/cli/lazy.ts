import type * as apply from "./handlers/apply";
import type * as complete from "./handlers/complete";
import type * as drift from "./handlers/drift";
import type * as init from "./handlers/init";
import type * as live from "./handlers/live";
import type * as plan from "./handlers/plan";
import type * as runtime from "./handlers/runtime";
import type * as show from "./handlers/show";
import type * as state from "./handlers/state";
import type * as status from "./handlers/status";
import type * as terraform from "./handlers/terraform";
import type * as tools from "./handlers/tools";
import type * as validate from "./handlers/validate";
import type * as reporting from "./report";

/**
 * The handlers of the verbs, loaded when the first one of a file is called: `rnv version` reads none of them.
 * `require`, not `import()`: the output is CommonJS, where `import()` would ask for file extensions.
 */
export const lazy = {
  report: (): typeof reporting => require("./report"),
  apply: (): typeof apply => require("./handlers/apply"),
  complete: (): typeof complete => require("./handlers/complete"),
  drift: (): typeof drift => require("./handlers/drift"),
  init: (): typeof init => require("./handlers/init"),
  live: (): typeof live => require("./handlers/live"),
  plan: (): typeof plan => require("./handlers/plan"),
  runtime: (): typeof runtime => require("./handlers/runtime"),
  show: (): typeof show => require("./handlers/show"),
  state: (): typeof state => require("./handlers/state"),
  status: (): typeof status => require("./handlers/status"),
  terraform: (): typeof terraform => require("./handlers/terraform"),
  tools: (): typeof tools => require("./handlers/tools"),
  validate: (): typeof validate => require("./handlers/validate"),
};

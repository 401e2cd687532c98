import type { Request } from "../../src/cli/target";
import { programRunner } from "../../src/manifest/text/run-program";

/** A command line without options, in the folder /project. */
export const request: Request = {
  cwd: "/project",
  environment: {},
  commandLine: "rnv plan",
  verb: "rnv plan",
  rules: {},
  takesTargets: true,
  words: [],
  files: [],
  stacks: [],
  untrusted: false,
  runProgram: programRunner(),
};

// The oldest Node that runs rnv, as package.json says, and the first lines of a program that refuses older ones.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const [, oldest, major, minor] = /^>=((\d+)\.(\d+))\.0$/.exec(engines.node);

export const oldestNode = oldest;

/** Programs are compiled down to this, so that a Node too old to run them reads their first lines. */
export const readableBy = "es2017";

/** The first lines of a program; `refusal` is an expression that it evaluates before it ends. */
export const refuseOlderNode = (refusal) =>
  [
    `"use strict";`,
    "{",
    `  const [major, minor] = process.version.slice(1).split(".").map(Number);`,
    `  if (major < ${major} || (major === ${major} && minor < ${minor})) {`,
    `    ${refusal};`,
    "    process.exit(1);",
    "  }",
    "}",
  ].join("\n");

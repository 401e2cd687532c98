import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { referencePages } from "./reference-pages";

/** Writes the reference beside this file; pages of what is no more are removed. */
const pages = referencePages();
for (const name of readdirSync(__dirname))
  if (name.endsWith(".md") && !pages.has(name)) rmSync(join(__dirname, name));
for (const [name, text] of pages) writeFileSync(join(__dirname, name), text);

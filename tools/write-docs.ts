import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { referencePages } from "./reference-pages";

/** Writes the reference of the provider to `docs/provider`, and removes pages of what the provider no longer has. */
const folder = resolve(__dirname, "../docs/provider");
const pages = referencePages();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { referencePages, writtenFolders } from "./reference-pages";

/** Writes the reference of the provider to `docs`, and removes pages without a schema. */
async function writeDocs(): Promise<void> {
  const docs = resolve(__dirname, "../../docs");
  const pages = await referencePages();
  for (const folder of writtenFolders) {
    if (!existsSync(join(docs, folder))) continue;
    for (const name of readdirSync(join(docs, folder)))
      if (!pages.has(`${folder}/${name}`)) rmSync(join(docs, folder, name));
  }
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(docs, path)), { recursive: true });
    writeFileSync(join(docs, path), text);
  }
}

writeDocs().catch((failure: unknown) => {
  process.stderr.write(`${String(failure)}\n`);
  process.exitCode = 1;
});

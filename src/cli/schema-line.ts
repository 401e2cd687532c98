import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

const schema = join("node_modules", "terraform-provider-rnv", "schemas", "manifest.schema.json");

/**
 * The comment that makes editors check a manifest in `folder`. It names the schema of the package that is installed
 * above; where none is, that of an installation beside the manifest.
 */
export function schemaLine(folder: string): string {
  let found = folder;
  while (!existsSync(join(found, schema)) && found !== dirname(found)) found = dirname(found);
  const path = existsSync(join(found, schema)) ? relative(folder, join(found, schema)) : schema;
  const shown = path.split(sep).join("/");
  return `# yaml-language-server: $schema=${shown.startsWith("../") ? shown : `./${shown}`}\n`;
}

// Bundles the Terraform provider into one executable: `node tools/build/provider.mjs [OUTFILE]`.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { oldestNode, readableBy, refuseOlderNode } from "./oldest-node.mjs";
import { replaceFile } from "./replace-file.mjs";
import { partOfUndici } from "./undici.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const outfile = resolve(process.argv[2] ?? join(root, "dist/terraform/terraform-provider-rnv"));

// Terraform shows the first line on stdout of a plugin that does not start, and nothing else.
const need = `terraform-provider-rnv needs Node ${oldestNode} or later on the PATH of whoever runs Terraform`;
const instead = "the archives of a release for Linux and Windows need none";

/** Both a shell script that starts node with this file and the first lines of the program. */
const banner = [
  "#!/bin/sh",
  `':' //; command -v node >/dev/null 2>&1 || { echo '${need}: there is no node; ${instead}'; exit 1; }; exec node "$0" "$@"`,
  refuseOlderNode(`console.log("${need}; this is " + process.version.slice(1) + "; ${instead}")`),
].join("\n");

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minify: true,
  external: ["@grpc/proto-loader"],
  write: false,
  logLevel: "warning",
};

/** Keeps the code that answers calls as text until the first call: compiling it takes longer than the rest of the start. */
const compileLate = ({ onLoad }) =>
  onLoad({ filter: /[\\/]src[\\/]terraform[\\/]answer\.ts$/ }, async ({ path }) => {
    const { outputFiles } = await build({ ...options, entryPoints: [path], plugins: [partOfUndici] });
    const text = JSON.stringify(outputFiles[0].text);
    const parameters = `["module", "exports", "require"], { filename: __filename }`;
    return {
      contents: `require("node:vm").compileFunction(${text}, ${parameters})(module, exports, require);`,
    };
  });

const { outputFiles } = await build({
  ...options,
  target: readableBy,
  entryPoints: ["src/terraform/main.ts"],
  outfile,
  plugins: [{ name: "compile-late", setup: compileLate }],
  banner: { js: banner },
});

replaceFile(outfile, outputFiles[0].contents, 0o755);

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { replaceFile } from "./replace-file.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The module below `dist` that holds the AWS SDK. The library and the command line load it for states in S3. */
export const s3Client = (dist) => join(dist, "state/stores/s3-client.js");

export async function bundleS3Client(dist) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/state/stores/s3-client.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    mainFields: ["module", "main"],
    minify: true,
    // The SDK would tell users of its next major version of Node.
    define: { "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": '"true"' },
    write: false,
    logLevel: "warning",
  });
  replaceFile(s3Client(dist), outputFiles[0].contents);
}

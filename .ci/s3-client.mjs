import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The module of the package that holds the AWS SDK. The library and the command line load it for states in S3. */
export const s3Client = join(root, "dist/state/stores/s3-client.js");

export async function bundleS3Client() {
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
  const fresh = `${s3Client}.${process.pid}`;
  mkdirSync(dirname(s3Client), { recursive: true });
  writeFileSync(fresh, outputFiles[0].contents);
  renameSync(fresh, s3Client);
}

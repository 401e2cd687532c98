import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NodePlatform, nodePlatforms, nodeProgram } from "./node-programs";

/** Node finds its program by this mark, which its own build leaves in it. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const prepared = "provider.blob";

/** The platform of this machine, by the names of a release. */
const platformHere = (): string =>
  `${process.platform === "win32" ? "windows" : process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;

/**
 * Returns one executable that holds the Node of a platform and a program: Node's single-executable form. The blob for
 * Node is made by a Node of the same version, so this runs on the platforms that it builds for.
 */
export function selfContained(program: string, platform: NodePlatform): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "rnv-release-"));
  try {
    prepareProgram(program, folder);
    const path = join(folder, "executable");
    writeFileSync(path, nodeProgram(platform));
    // A separate process: postject prints warnings about notes and signatures that it does not know.
    const inject = [require.resolve("postject/dist/cli.js"), path, "NODE_SEA_BLOB", prepared];
    execFileSync(process.execPath, [...inject, "--sentinel-fuse", fuse], { cwd: folder, stdio: "pipe" });
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the program in the form that Node looks for. It names its file: a relative name is the same wherever it is made. */
function prepareProgram(program: string, folder: string): void {
  const here = nodePlatforms.find((one) => one === platformHere());
  if (here === undefined)
    throw new Error(`releases are made on ${nodePlatforms.join(", ")}, not on ${platformHere()}`);
  const node = join(folder, "node.exe");
  writeFileSync(node, nodeProgram(here), { mode: 0o755 });
  copyFileSync(program, join(folder, "provider.js"));
  const configuration = {
    main: "provider.js",
    output: prepared,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS of a runner is for the Node that is installed there, which may be another version.
    execArgvExtension: "none",
    // Compiled code would be that of this machine's processor.
    useCodeCache: false,
    useSnapshot: false,
  };
  writeFileSync(join(folder, "sea.json"), JSON.stringify(configuration));
  execFileSync(node, ["--experimental-sea-config", "sea.json"], { cwd: folder, stdio: "pipe" });
}

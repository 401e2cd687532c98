import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { finished } from "../support/finished";
import { newFolder } from "../support/temp-folder";

const root = join(__dirname, "..", "..");

/** The step of a job that installs packages, as its file has it. */
function installationIn(file: string): string {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value === "string" && value.includes("npm ci")) found.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  for (const document of parseAllDocuments(readFileSync(join(root, file), "utf8"))) look(document.toJS());
  const [step, ...others] = new Set(found);
  if (step === undefined || others.length > 0) throw new Error(`${file} has ${found.length} installations`);
  return step;
}

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();

/** A registry of one package behind a private certificate; it keeps the credentials of requests. */
async function serveRegistry(folder: string, tarball: Buffer) {
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", keyFile, "-out", certificateFile];
  const named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", [...made, ...named], { stdio: "ignore" });
  const authorizations: (string | undefined)[] = [];
  const server = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certificateFile) },
    ({ headers }, answer) => {
      authorizations.push(headers.authorization);
      answer.end(tarball);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  return { host, certificateFile, authorizations, close: () => server.close() };
}

describe("the installation of packages in a job", () => {
  const folder = newFolder("registry");
  const checkout = join(folder, "checkout");
  const stolen = join(folder, "stolen");
  let registry: Awaited<ReturnType<typeof serveRegistry>>;

  /** A repository whose `.npmrc` names a program for git and sends a key to the registry. */
  beforeAll(async () => {
    const [packed, shared] = [join(folder, "packed", "package"), join(folder, "shared")];
    for (const [place, name] of [
      [packed, "tool"],
      [shared, "shared"],
      [checkout, "shop"],
    ] as const) {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
    }
    execFileSync("tar", ["-czf", join(folder, "tool.tgz"), "-C", join(folder, "packed"), "package"]);
    const tarball = readFileSync(join(folder, "tool.tgz"));
    registry = await serveRegistry(folder, tarball);
    git(shared, "init", "-q");
    git(shared, "add", ".");
    git(shared, "commit", "-qm", "Begin");
    const address = `git+file://${shared}#${git(shared, "rev-parse", "HEAD")}`;
    const tool = {
      version: "1.0.0",
      resolved: `https://${registry.host}/tool/-/tool-1.0.0.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    };
    const dependencies = { tool: "1.0.0", shared: address };
    const packages = {
      "": { name: "shop", version: "1.0.0", dependencies },
      "node_modules/shared": { version: "1.0.0", resolved: address },
      "node_modules/tool": tool,
    };
    const files = {
      "package.json": JSON.stringify({ name: "shop", version: "1.0.0", dependencies }),
      "package-lock.json": JSON.stringify({ name: "shop", version: "1.0.0", lockfileVersion: 3, packages }),
      ".npmrc": `git=${join(checkout, "evil.sh")}\n//${registry.host}/:_authToken=\${RNV_API_KEY}\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(checkout, name), text);
    writeFileSync(join(folder, "npmrc"), "fetch-retries=0\n");
    // Npm reads settings beside its Node: those of this machine may name certificates, which then are the only ones.
    mkdirSync(join(folder, "bin"));
    copyFileSync(process.execPath, join(folder, "bin", "node"));
    writeFileSync(join(checkout, "evil.sh"), `#!/bin/sh\necho ran > ${stolen}\nexec git "$@"\n`, {
      mode: 0o755,
    });
  });
  afterAll(() => registry.close());

  const install = (step: string, shell: readonly [string, ...string[]], env: Record<string, string>) => {
    rmSync(join(checkout, "node_modules"), { recursive: true, force: true });
    rmSync(stolen, { force: true });
    const [program, ...options] = shell;
    const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
    const child = spawn(program, [...options, "-c", step], {
      cwd: checkout,
      env: { PATH, HOME: mkdtempSync(join(folder, "home-")), RNV_API_KEY: "key-of-production", ...env },
    });
    return finished(child);
  };
  const trusted = () => ({
    NODE_EXTRA_CA_CERTS: registry.certificateFile,
    npm_config_registry: `https://${registry.host}/`,
    NPM_CONFIG_USERCONFIG: join(folder, "npmrc"),
  });

  it("is attacked by a checkout that names a program for git", async () => {
    const plain = await install("npm ci --ignore-scripts", ["bash", "-e"], trusted());
    expect([plain.code, existsSync(stolen)]).toEqual([0, true]);
    expect(registry.authorizations).toContain("Bearer key-of-production");
  });

  it.each([
    ["examples/github/action.yml", ["bash", "-eo", "pipefail"]],
    ["examples/gitlab/templates/rnv.yml", ["sh", "-e"]],
    ["examples/atlantis/atlantis.yaml", ["sh"]],
  ] as const)(
    "%s reaches a registry behind a private certificate, and hands it no key",
    async (file, shell) => {
      registry.authorizations.length = 0;
      const ended = await install(installationIn(file), shell, trusted());
      expect(ended).toEqual({ ...ended, code: 0 });
      expect(existsSync(join(checkout, "node_modules", "tool", "package.json"))).toBe(true);
      expect(existsSync(join(checkout, "node_modules", "shared", "package.json"))).toBe(true);
      expect([existsSync(stolen), registry.authorizations.join()]).toEqual([
        false,
        expect.not.stringContaining("key-of-production"),
      ]);
    },
  );
});

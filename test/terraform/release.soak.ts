import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { builtProvider } from "../support/built-provider";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const root = resolve(__dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const prefix = `terraform-provider-rnv_${version}`;
const here = `linux_${process.arch === "x64" ? "amd64" : process.arch}`;

describeTerraform("a release", () => {
  // A short path: gpg keeps sockets below it.
  const base = mkdtempSync(join(tmpdir(), "r-"));
  const out = join(base, "release");
  const environment = { ...process.env, GNUPGHOME: join(base, "gpg") };
  const gpg = (...args: string[]): string =>
    execFileSync("gpg", ["--batch", "--quiet", ...args], {
      env: environment,
      encoding: "utf8",
      stdio: "pipe",
    });
  const makeKey = (name: string, algorithm: string): string => {
    gpg(
      "--passphrase",
      "",
      "--quick-generate-key",
      `${name} <${name}@example.com>`,
      algorithm,
      "sign",
      "never",
    );
    return /^fpr:*([0-9A-F]+):/m.exec(gpg("--list-keys", "--with-colons", name))?.[1] ?? "";
  };
  const packageProvider = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [
        join(root, "node_modules/tsx/dist/cli.mjs"),
        join(root, "tools/release/package-provider.ts"),
        "--out",
        out,
        ...args,
      ],
      { env: environment, encoding: "utf8" },
    );
  const listed = (name: string): string[] =>
    execFileSync("unzip", ["-Z1", join(out, name)], { encoding: "utf8" })
      .trim()
      .split("\n");

  beforeAll(() => {
    builtProvider();
    mkdirSync(join(base, "gpg"), { mode: 0o700 });
    const key = makeKey("releaser", "rsa2048");
    const { status, stderr } = packageProvider(
      "--key",
      key,
      "--platform",
      here,
      "--platform",
      "darwin_arm64",
    );
    expect([status, stderr]).toEqual([0, ""]);
  }, 240_000);
  afterAll(() => {
    spawnSync("gpgconf", ["--kill", "all"], { env: environment });
    rmSync(base, { recursive: true, force: true });
  });

  it("has the files that a registry reads, by their names, with sums that are signed", () => {
    execFileSync("sha256sum", ["--check", "--strict", `${prefix}_SHA256SUMS`], { cwd: out, stdio: "pipe" });
    const sums = readFileSync(join(out, `${prefix}_SHA256SUMS`), "utf8")
      .trim()
      .split("\n");
    expect(sums.map((line) => line.slice(66))).toEqual(
      [`${here}.zip`, "darwin_arm64.zip", "manifest.json"].map((end) => `${prefix}_${end}`),
    );
    const signature = join(out, `${prefix}_SHA256SUMS.sig`);
    gpg("--verify", signature, join(out, `${prefix}_SHA256SUMS`));
    expect(() => gpg("--verify", signature, join(out, `${prefix}_manifest.json`))).toThrow(/BAD signature/);
    expect(readFileSync(signature, "latin1")).not.toContain("BEGIN PGP");
    expect(JSON.parse(readFileSync(join(out, `${prefix}_manifest.json`), "utf8"))).toEqual({
      version: 1,
      metadata: { protocol_versions: ["6.0"] },
    });
  });

  it("is refused before anything is built for a key that no registry takes, and for a missing key", () => {
    const before = readFileSync(join(out, `${prefix}_SHA256SUMS`), "utf8");
    const curve = packageProvider("--key", makeKey("curve", "ed25519"));
    expect([curve.status, curve.stderr]).toEqual([1, expect.stringContaining("neither RSA nor DSA")]);
    expect(packageProvider("--key", "unknown@example.com")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("No secret key"),
    });
    expect(readFileSync(join(out, `${prefix}_SHA256SUMS`), "utf8")).toBe(before);
  }, 60_000);

  it("holds executables with their licences, and no package.json where no Node looks for one", () => {
    expect(listed(`${prefix}_${here}.zip`)).toEqual([
      "THIRD_PARTY_NOTICES",
      `terraform-provider-rnv_v${version}`,
    ]);
    expect(listed(`${prefix}_darwin_arm64.zip`)).toContain("package.json");
    const notices = execFileSync("unzip", ["-p", join(out, `${prefix}_${here}.zip`), "THIRD_PARTY_NOTICES"]);
    expect(`${notices}`).toMatch(/^Node\.js 24\.\d+/m);
    expect(`${notices}`).toContain("V8, located at deps/v8");
  });

  /** A world whose mirror has one archive of the release, under the name of this platform. */
  async function mirrored(platform: string): Promise<TerraformFolder> {
    const world = await new TerraformFolder().open();
    const hosts = ["registry.terraform.io", "registry.opentofu.org"];
    for (const host of hosts) {
      const folder = join(world.folder, "mirror", host, "rnv/rnv");
      mkdirSync(folder, { recursive: true });
      cpSync(join(out, `${prefix}_${platform}.zip`), join(folder, `${prefix}_${here}.zip`));
    }
    world.configure(
      `provider_installation {\n  filesystem_mirror {\n    path = "${world.folder}/mirror"\n  }\n}\n`,
    );
    world.write(`resource "rnv_project" "a" { name = "a" }\n`);
    // A project of modules: the executable must not be taken for one of them.
    cpSync(join(root, "test/terraform/module-package.json"), join(world.folder, "w", "package.json"));
    await world.run("init -input=false");
    return world;
  }

  it("runs where there is no Node and nothing else on the PATH, whatever is set for another Node", async () => {
    const world = await mirrored(here);
    world.environment = { PATH: "", NODE_OPTIONS: "--unknown-option" };
    await world.apply();
    await world.expectNoChanges();
    expect(world.emulator.store.projects()).toHaveLength(1);
    await world.run("destroy -auto-approve");
  }, 120_000);

  it("says in its first line that it needs Node where it does, and runs with one", async () => {
    const world = await mirrored("darwin_arm64");
    world.environment = { PATH: "" };
    const output = await world.told("plan -input=false", 1);
    expect(output).toContain("terraform-provider-rnv needs Node 20.19 or later on the PATH");
    expect(output).toContain("there is no node");
    world.environment = {};
    await world.apply();
  }, 120_000);
});

import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { builtCli } from "../support/built-cli";
import { builtProvider } from "../support/built-provider";
import { linkPackage } from "../support/install-package";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const root = resolve(__dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

describeTerraform("the installed provider", () => {
  const world = new TerraformFolder();
  let configuration = "";

  beforeAll(async () => {
    await world.open();
    builtProvider();
    const mirror = join(world.folder, "mirror");
    const install = ["terraform", "install", "--dir", mirror];
    configuration = execFileSync(process.execPath, [builtCli(), ...install], {
      encoding: "utf8",
      stdio: "pipe",
    });
    world.configure(configuration);
  });

  it("is found by init in the mirror, and runs the example to an empty plan and back to nothing", async () => {
    cpSync(join(root, "examples/terraform"), join(world.folder, "w"), { recursive: true });
    world.environment = { TF_VAR_queue_token: "example-queue-token" };
    expect(await world.run("init -input=false")).toContain(`Installed rnv/rnv v${version}`);
    await world.apply();
    await world.expectNoChanges();
    expect(world.stateText()).not.toContain("example-queue-token");
    await world.run("destroy -auto-approve");
    expect(world.emulator.store.services()).toEqual([]);
  }, 90_000);

  it("has the same checksum on every platform, so that one lock file serves a team", async () => {
    const lock = () => readFileSync(join(world.folder, "w", ".terraform.lock.hcl"), "utf8").match(/h1:\S+/g);
    const before = lock();
    const platforms = "-platform=linux_arm64 -platform=darwin_arm64 -platform=darwin_amd64";
    await world.run(`providers lock -fs-mirror=${join(world.folder, "mirror")} ${platforms}`);
    expect(lock()).toEqual(before);
    expect(before).toHaveLength(1);
  }, 60_000);

  it("runs the stack of the CDKTF example", async () => {
    const app = join(world.folder, "app");
    cpSync(join(root, "examples/cdktf"), app, {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules",
    });
    linkPackage(app);
    execFileSync(process.execPath, [join(root, "node_modules/tsx/dist/cli.mjs"), "main.ts"], {
      cwd: app,
      stdio: "pipe",
    });
    const stack = new TerraformFolder();
    await stack.open();
    const [name = ""] = readdirSync(join(app, "cdktf.out/stacks"));
    cpSync(join(app, "cdktf.out/stacks", name, "cdk.tf.json"), join(stack.folder, "w", "cdk.tf.json"));
    const { variable = {} } = JSON.parse(readFileSync(join(stack.folder, "w", "cdk.tf.json"), "utf8"));
    for (const one of Object.keys(variable)) stack.environment[`TF_VAR_${one}`] = "example-value";
    stack.configure(configuration);
    await stack.run("init -input=false");
    await stack.apply();
    await stack.expectNoChanges();
    expect(stack.emulator.store.services().length).toBeGreaterThan(1);
    await stack.run("destroy -auto-approve");
  }, 120_000);
});

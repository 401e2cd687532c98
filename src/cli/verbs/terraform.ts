import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Option } from "commander";
import { cliConfiguration, mirrorFolders, releaseFiles } from "../../commands/provider-release";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { writeWholeFile } from "../files";
import type { Invocation } from "../invocation";
import { version } from "../version";
import type { Verb, VerbFamily } from "./verb";

const installVerb: Verb = {
  usage: "install",
  summary: "Lay out the provider as a filesystem mirror, and print the CLI configuration",
  detail:
    "The source is rnv/rnv, under the default registry of Terraform and that of OpenTofu. The files are the same " +
    "on every platform, so one lock file serves a whole team. Node has to be on the PATH of whoever runs Terraform.",
  options: [
    new Option("--dir <dir>", "the mirror (default: ~/.terraform.d/plugins, where both look by themselves)"),
  ],
  examples: [
    ["rnv terraform install", "for this user"],
    ["rnv terraform install --dir ./mirror > terraform.rc", "in a folder of a repository or a CI job"],
  ],
  handler: runTerraformInstall,
};

async function runTerraformInstall({ terminal, options, cwd, environment }: Invocation): Promise<number> {
  const given = typeof options.dir === "string" ? options.dir : undefined;
  const mirror =
    given === undefined
      ? join(environment.HOME ?? homedir(), ".terraform.d", "plugins")
      : resolve(cwd, given);
  const files = releaseFiles(
    version,
    readBuilt("dist/terraform/terraform-provider-rnv"),
    readBuilt("THIRD_PARTY_NOTICES"),
  );
  for (const folder of mirrorFolders(version)) {
    mkdirSync(join(mirror, folder), { recursive: true });
    for (const { name, text, mode } of files) writeWholeFile(join(mirror, folder, name), text, { mode });
  }
  terminal.err(
    `The provider ${version} is installed in ${mirror}.\n` +
      (given === undefined
        ? "Terraform and OpenTofu look there by themselves. For other settings, the CLI configuration is:\n"
        : "Put this into ~/.terraformrc, or into a file that TF_CLI_CONFIG_FILE names:\n"),
  );
  terminal.out(cliConfiguration(mirror));
  return 0;
}

/** A built file of this package. */
function readBuilt(name: string): string {
  const path = join(packageRoot(__dirname), name);
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new DiagnosticsError([
      error("command.usage", "this package holds no built provider", {
        detail: `There is no ${path}.`,
        hint: "install the package anew, or run npm run build in its sources",
      }),
    ]);
  }
}

/** The nearest folder above with a package.json: the sources, the build and the bundle lie at different depths. */
const packageRoot = (folder: string): string =>
  existsSync(join(folder, "package.json")) || dirname(folder) === folder
    ? folder
    : packageRoot(dirname(folder));

/** `rnv terraform install` */
export const terraformVerbs: VerbFamily = {
  name: "terraform",
  summary: "Install the provider for Terraform and OpenTofu",
  description: "The provider for Terraform and OpenTofu, which is a part of this package.",
  verbs: [installVerb],
};

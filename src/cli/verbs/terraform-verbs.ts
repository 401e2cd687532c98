import { type Command, Option } from "commander";
import { terraformInstallHandler } from "../handlers/terraform";
import type { Run } from "../invocation";
import { addVerb } from "./add-verb";

/** What serves Terraform and OpenTofu: `terraform install`. */
export function addTerraformVerbs(program: Command, run: Run): void {
  const terraform = program
    .command("terraform")
    .summary("Install the provider for Terraform and OpenTofu")
    .description("The provider for Terraform and OpenTofu, which is a part of this package.");
  addVerb(terraform, run, {
    usage: "install",
    summary: "Lay out the provider as a filesystem mirror, and print the CLI configuration",
    detail:
      "The source is rnv/rnv, under the default registry of Terraform and that of OpenTofu. The files are the same " +
      "on every platform, so one lock file serves a whole team. Node has to be on the PATH of whoever runs Terraform.",
    options: [
      new Option(
        "--dir <dir>",
        "the mirror (default: ~/.terraform.d/plugins, where both look by themselves)",
      ),
    ],
    examples: [
      ["rnv terraform install", "for this user"],
      ["rnv terraform install --dir ./mirror > terraform.rc", "in a folder of a repository or a CI job"],
    ],
    handler: terraformInstallHandler,
  });
}

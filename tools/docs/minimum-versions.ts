/** The first versions that have a feature of the language which this provider uses; undefined: none that we know. */
interface Feature {
  readonly what: string;
  readonly terraform: string;
  readonly openTofu: string | undefined;
}

export const features = {
  provider: { what: "the provider: resources, data sources, plans", terraform: "1.0", openTofu: "1.6" },
  importBlocks: { what: "`import` blocks, `plan -generate-config-out`", terraform: "1.5", openTofu: "1.6" },
  removedBlocks: {
    what: "`removed` blocks, which forget without deleting",
    terraform: "1.7",
    openTofu: "1.7",
  },
  functions: { what: "functions: `provider::rnv::…`", terraform: "1.8", openTofu: "1.7" },
  ephemeral: { what: "ephemeral resources and variables", terraform: "1.10", openTofu: "1.11" },
  writeOnly: { what: "write-only attributes: `…_wo`", terraform: "1.11", openTofu: "1.11" },
  identity: { what: "import by identity", terraform: "1.12", openTofu: "1.12" },
  lists: { what: "list resources: `terraform query`", terraform: "1.14", openTofu: undefined },
  actions: { what: "actions", terraform: "1.14", openTofu: undefined },
  actionEvents: {
    what: "`before_destroy`, `after_destroy` and `on_failure` of actions",
    terraform: "1.16",
    openTofu: undefined,
  },
} as const satisfies Readonly<Record<string, Feature>>;

export type FeatureName = keyof typeof features;

/** Versions that all of this was tried with, and when. */
export const tried =
  "Every change is tested with Terraform 1.11.4. In November 2026 the same tests were played with Terraform 1.15.5 and 1.15.9, " +
  "1.16.0-rc2 and a build of 1.17, and with OpenTofu 1.12.6. Terragrunt 1.1.3, CDK for Terraform 0.21 and " +
  "[Pulumi](guides/pulumi.md) 3.259 use the provider too.\n";

/** Returns the note of a page on who can use it. */
export function needed(name: FeatureName, what = "Needs"): string {
  const { terraform, openTofu }: Feature = features[name];
  const other = openTofu === undefined ? "not available in OpenTofu" : `or OpenTofu ${openTofu} or newer`;
  return `-> ${what} Terraform ${terraform} or newer${openTofu === undefined ? ";" : ","} ${other}.\n`;
}

/** Returns the table of the features that are named. */
export function versionTable(names: readonly FeatureName[]): string {
  const rows = names.map((name) => {
    const { what, terraform, openTofu }: Feature = features[name];
    return `| ${what} | ${terraform} | ${openTofu ?? "—"} |\n`;
  });
  return `| feature | Terraform | OpenTofu |\n| --- | --- | --- |\n${rows.join("")}`;
}

import type { Construct } from "constructs";
import { providerSettings, snakeCase, terraformPrefix } from "../model/terraform-names";
import { version } from "../model/tool-version";
import {
  defineMembers,
  type FieldNames,
  type GivenProps,
  type Written,
  writeAttributes,
} from "./construct-fields";
import type { Library } from "./host-library";
import { isSecretSource } from "./secret-source";
import { secretReference } from "./secret-variable";
import { sharedMark } from "./shared";

const settings = [...providerSettings.map(({ name }) => name), "alias"];
const names: FieldNames = new Map(settings.map((name) => [name, { name: snakeCase(name), token: "string" }]));

/** Two apps that write into the folder of a run would leave there the files of the second, and no trace of the first. */
function stackOfTwoApps({ node: { path, root } }: Construct): string[] {
  const { outdir } = root as { readonly outdir?: string };
  if (outdir === undefined || outdir !== process.env.CDKTF_OUTDIR) return [];
  if (sharedMark(globalThis, `${outdir} ${path}`, () => root) === root) return [];
  return [`two apps of the program have a stack ${path}: put all stacks into one App, or rename one of them`];
}

/** The class of the provider; it is given the types of its library in `cdktf.ts`. */
export function defineProvider(library: Library): object {
  class RnvProvider extends library.TerraformProvider {
    static readonly tfResourceType = terraformPrefix;
    readonly given: Written;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, {
        terraformResourceType: terraformPrefix,
        terraformGeneratorMetadata: {
          providerName: terraformPrefix,
          providerVersionConstraint: `~> ${version}`,
        },
        terraformProviderSource: "rnv/rnv",
      });
      this.given = writeAttributes(library, props, names, `the provider ${this.node.path}`);
      const stack = library.TerraformStack.of(this);
      if (props.alias === undefined) sharedMark(stack, "provider", () => this);
      this.node.addValidation({ validate: () => stackOfTwoApps(stack) });
    }

    override toTerraform(): object {
      const { alias, terraformResourceType } = this;
      const all = library.TerraformStack.of(this).node.findAll() as (typeof this)[];
      const same = all.filter(
        (one) => one.terraformResourceType === terraformResourceType && one.alias === alias,
      );
      if (same.length > 1)
        throw new Error(
          `${same.map(({ node }) => node.path).join(" and ")} are both the provider rnv ` +
            `${alias === undefined ? "without an alias" : `with the alias ${JSON.stringify(alias)}`}. ` +
            'Give one of them another alias: new RnvProvider(this, "eu", { alias: "eu" })',
        );
      return super.toTerraform();
    }

    protected synthesizeAttributes(): Written {
      const written = (value: unknown): unknown =>
        isSecretSource(value) ? secretReference(library, this, value) : value;
      return Object.fromEntries(Object.entries(this.given).map(([name, value]) => [name, written(value)]));
    }
  }
  for (const [key, { name }] of names) {
    const read = ({ given }: RnvProvider): unknown => given[name];
    const write = ({ given }: RnvProvider, value: unknown): void => {
      given[name] = value;
    };
    // A provider has no tokens.
    defineMembers(RnvProvider.prototype, key, { get: read, read, write });
  }
  return RnvProvider;
}

import type { Construct } from "constructs";
import { providerSettings } from "../model/provider-settings";
import { snakeCase, terraformPrefix } from "../model/text";
import { version } from "../model/version";
import { defineMembers, type GivenProps, writeAttributes } from "./fields";
import type { Library } from "./library";
import { secretReference } from "./secret-variable";
import { isSecretSource } from "./secrets";

/** Where `required_providers` finds the provider. */
const providerSource = "rnv/rnv";

const settings = [...providerSettings.map(({ name }) => name), "alias"];

const names = new Map(settings.map((name) => [name, { name: snakeCase(name), token: "string" as const }]));

/** The class of the provider; it is given the types of its library in `cdktf.ts`. */
export function defineProvider(library: Library): object {
  class RnvProvider extends library.TerraformProvider {
    static readonly tfResourceType = terraformPrefix;
    readonly #settings = new Map<string, unknown>();

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, {
        terraformResourceType: terraformPrefix,
        terraformGeneratorMetadata: {
          providerName: terraformPrefix,
          providerVersionConstraint: `~> ${version}`,
        },
        terraformProviderSource: providerSource,
      });
      writeAttributes(library, props, names, `the provider ${this.node.path}`);
      for (const [name, value] of Object.entries(props)) this.give(name, value);
    }

    given(name: string): unknown {
      return this.#settings.get(name);
    }

    give(name: string, value: unknown): void {
      this.#settings.set(name, value ?? undefined);
    }

    override toTerraform(): object {
      const { alias, terraformResourceType } = this;
      const same = library.TerraformStack.of(this)
        .node.findAll()
        .map((one) => one as typeof this)
        .filter((one) => one.terraformResourceType === terraformResourceType && one.alias === alias);
      if (same.length > 1)
        throw new Error(
          `${same.map(({ node }) => node.path).join(" and ")} are both the provider rnv ` +
            `${alias === undefined ? "without an alias" : `with the alias ${JSON.stringify(alias)}`}. ` +
            'Give one of them another alias: new RnvProvider(this, "eu", { alias: "eu" })',
        );
      return super.toTerraform();
    }

    protected synthesizeAttributes(): Record<string, unknown> {
      return Object.fromEntries(
        settings.map((name) => {
          const value = this.#settings.get(name);
          return [snakeCase(name), isSecretSource(value) ? secretReference(library, this, value) : value];
        }),
      );
    }
  }
  for (const name of settings) {
    const read = (self: object): unknown => (self as RnvProvider).given(name);
    const write = (self: object, value: unknown): void => (self as RnvProvider).give(name, value);
    // A provider has no tokens.
    defineMembers(RnvProvider.prototype, name, { get: read, read, write });
  }
  return RnvProvider;
}

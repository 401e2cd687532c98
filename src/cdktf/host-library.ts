import type { Construct } from "constructs";
import type { Resolvable } from "./constructs";

/** The members of the libraries' constructs that the constructs of rnv use. */
interface TerraformElementLike extends Construct {
  get friendlyUniqueId(): string;
  overrideLogicalId(newLogicalId: string): void;
  resetOverrideLogicalId(): void;
  addOverride(path: string, value: unknown): void;
  toTerraform(): object;
}

export interface ReferableLike extends TerraformElementLike {
  readonly terraformResourceType: string;
  readonly provider?: TerraformElementLike;
  dependsOn?: string[];
  readonly count?: unknown;
  readonly forEach?: unknown;
  get terraformMetaArguments(): Readonly<Record<string, unknown>>;
  getStringAttribute(name: string): string;
  getNumberAttribute(name: string): number;
  getListAttribute(name: string): string[];
  interpolationForAttribute(name: string): Resolvable;
}

// biome-ignore lint/suspicious/noExplicitAny: each library has configuration types of its own
type Constructor<Instance> = new (scope: Construct, id: string, config: any) => Instance;

// biome-ignore lint/suspicious/noExplicitAny: each library has classes of its own
type Constructing = new (...given: any[]) => object;

/** The part of cdktf or cdktn that the constructs of rnv use: both have the same classes with types of their own. */
export interface Library {
  readonly TerraformProvider: abstract new (
    ...config: ConstructorParameters<Constructor<never>>
  ) => TerraformElementLike & { readonly terraformResourceType: string; readonly alias?: string };
  readonly TerraformResource: Constructor<ReferableLike>;
  readonly TerraformDataSource: Constructor<ReferableLike>;
  readonly TerraformStack: { of(construct: Construct): Construct };
  readonly Tokenization: {
    // biome-ignore lint/suspicious/noExplicitAny: any value, and the resolver of each library
    resolve(value: any, options: { scope: Construct; resolver: any; preparing: boolean }): any;
  };
  readonly ImportableResource: Constructor<object>;
  readonly Token: { isUnresolved(value: unknown): boolean };
  readonly Lazy: {
    anyValue(producer: { produce(context: { readonly preparing: boolean }): unknown }): Resolvable;
  };
  readonly DefaultTokenResolver: Constructing;
  readonly StringConcat: Constructing;
}

import type { Construct } from "constructs";
import type { ComputedRule, ResourceType } from "../model/resource-type";
import { snakeCase, terraformNameOf, terraformPrefix } from "../model/terraform-name";
import type { Library, ReferableLike } from "./library";
import { SecretSource } from "./secret-source";
import { secretVariable } from "./secret-variable";
import { addMember, addOwnId, followedBy } from "./siblings";
import { attributeWriter, type GivenProps } from "./write-attributes";

/** The types of the constructs that are resources of ours, by construct. */
const typeOfConstruct = new WeakMap<object, ResourceType>();

/** A construct class before it is given the types of a library. */
export interface ResourceClass {
  new (
    scope: Construct,
    id: string,
    props?: GivenProps,
  ): ReferableLike & {
    readonly id: string;
    /** What Terraform has to apply first, besides what it refers to. */
    followed(): readonly ReferableLike[];
    synthesizeAttributes(): Record<string, unknown>;
  };
  readonly tfResourceType: string;
}

/** Arguments that the library understands itself. */
const metaArguments = ["dependsOn", "count", "forEach", "provider", "lifecycle"] as const;

/** A resource whose `triggers` come from what it depends on says so with this. */
const derived = "derived";

/** What the library takes of the props of a resource or a data source. */
export function libraryConfig(terraformResourceType: string, props: GivenProps): object {
  const { dependsOn, count, forEach, provider, lifecycle } = props;
  const terraformGeneratorMetadata = { providerName: terraformPrefix };
  return {
    terraformResourceType,
    terraformGeneratorMetadata,
    dependsOn,
    count,
    forEach,
    provider,
    lifecycle,
  };
}

/** A resource of Terraform made from the description of its type. Everything it knows it takes from there. */
export function defineResource(library: Library, type: ResourceType): ResourceClass {
  const terraformType = terraformNameOf(type);
  const { nameAttribute, parents } = type;
  const ours = [
    ...metaArguments,
    "onRemove",
    derived,
    ...parents.flatMap((parent) => [parent.type, parent.attribute]),
  ];
  const write = attributeWriter(type, new Set(ours));
  const secrets = Object.keys(type.rules).filter((path) => type.rules[path]?.secret === true);

  class RnvResource extends library.TerraformResource {
    static readonly tfResourceType = terraformType;
    readonly #attributes: Record<string, unknown>;
    readonly #comment: { moved_from?: string[]; on_remove?: unknown; triggers?: string } = {};
    #logicalId: string | undefined;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, libraryConfig(terraformType, props));
      typeOfConstruct.set(this, type);
      const attributes = write(props, `${terraformType} ${this.node.path}`);
      if (nameAttribute !== undefined) attributes[snakeCase(nameAttribute)] ??= id;
      for (const path of secrets) {
        const name = snakeCase(path);
        const value = attributes[name];
        if (value instanceof SecretSource)
          attributes[name] = secretVariable(library, this, value).stringValue;
      }
      const parent = parentOf(type, scope, props);
      if (parent !== undefined) {
        attributes[snakeCase(parent.attribute)] = parent.id;
        addMember(library, { construct: this, type, parentId: parent.id });
      }
      this.#attributes = attributes;
      if (props.onRemove !== undefined) this.#comment.on_remove = props.onRemove;
      if (props[derived] === true) this.#comment.triggers = derived;
    }

    /** In a resource of ours the name begins with that of the scope: `shop__api`, the address service.shop.api. */
    override get friendlyUniqueId(): string {
      const { scope, id } = this.node;
      const isNested = scope !== undefined && typeOfConstruct.has(scope) && /^[A-Za-z0-9_-]+$/.test(id);
      if (this.#logicalId !== undefined || !isNested) return super.friendlyUniqueId;
      const above = (scope as ReferableLike).friendlyUniqueId;
      return type.manifest.shape === "single" && id === type.manifest.key ? above : `${above}__${id}`;
    }

    override overrideLogicalId(newLogicalId: string): void {
      super.overrideLogicalId(newLogicalId);
      this.#logicalId = newLogicalId;
    }

    override resetOverrideLogicalId(): void {
      super.resetOverrideLogicalId();
      this.#logicalId = undefined;
    }

    followed(): readonly ReferableLike[] {
      return followedBy(library, this, type);
    }

    override get terraformMetaArguments(): Readonly<Record<string, unknown>> {
      const given = super.terraformMetaArguments;
      const order = this.followed().map((one) => `${one.terraformResourceType}.${one.friendlyUniqueId}`);
      return order.length === 0 ? given : { ...given, dependsOn: [...(this.dependsOn ?? []), ...order] };
    }

    movedFrom(address: string): this {
      this.#comment.moved_from = [...(this.#comment.moved_from ?? []), address];
      return this;
    }

    synthesizeAttributes(): Record<string, unknown> {
      return Object.keys(this.#comment).length > 0
        ? { ...this.#attributes, "//": { [terraformPrefix]: this.#comment } }
        : { ...this.#attributes };
    }

    protected synthesizeHclAttributes(): Record<string, unknown> {
      throw new Error("the constructs of rnv synthesize to JSON only: unset SYNTH_HCL_OUTPUT");
    }
  }
  defineTokens(RnvResource.prototype, type.computed);
  return RnvResource as unknown as ResourceClass;
}

/** The parent that was given, else the scope where that is one. */
function parentOf(
  type: ResourceType,
  scope: Construct,
  props: GivenProps,
): { readonly attribute: string; readonly id: unknown } | undefined {
  for (const parent of type.parents) {
    const given = props[parent.type] as { readonly id: string } | undefined;
    const id = given?.id ?? props[parent.attribute];
    if (id !== undefined) return { attribute: parent.attribute, id };
    if (typeOfConstruct.get(scope)?.type === parent.type)
      return { attribute: parent.attribute, id: (scope as unknown as { readonly id: string }).id };
  }
  return undefined;
}

/** One getter for each computed attribute: a token of its type, the same one each time. */
export function defineTokens(
  prototype: ReferableLike,
  computed: Readonly<Record<string, Pick<ComputedRule, "valueType">>>,
): void {
  for (const [name, { valueType }] of Object.entries(computed)) {
    const attribute = snakeCase(name);
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: ReferableLike) {
        const value = tokenOf(this, attribute, valueType);
        Object.defineProperty(this, name, { value });
        if (name === "id") addOwnId(value);
        return value;
      },
    });
  }
}

function tokenOf(of: ReferableLike, attribute: string, valueType: ComputedRule["valueType"]): unknown {
  if (valueType === "string") return of.getStringAttribute(attribute);
  if (valueType === "number") return of.getNumberAttribute(attribute);
  return of.interpolationForAttribute(attribute);
}

import type { Construct } from "constructs";
import { didYouMean } from "../diagnostics/suggest";
import type { ComputedRule, ResourceType } from "../model/resource-type";
import {
  sha256,
  snakeCase,
  terraformNameOf,
  terraformPrefix,
  writeOnlyNameOf,
  writeOnlyVersionOf,
} from "../model/text";
import type { Library, ReferableLike, VariableLike } from "./constructs";
import { type SecretOrigin, SecretSource } from "./secrets";

/** A resource of rnv with a parent. */
interface Member {
  readonly construct: ReferableLike;
  readonly type: ResourceType;
  /** The id of its parent as it was given: text, or a token. */
  readonly parentId: unknown;
}

interface StackMembers {
  readonly members: Member[];
  /** Each construct with all members of its parent; grouped when it is asked for, again after a member was added. */
  groups?: ReadonlyMap<ReferableLike, readonly Member[]>;
}

const membersOfStack = new WeakMap<object, StackMembers>();

/** Tokens that are ids of constructs of rnv, whatever stack they are in; the library keeps every token as well. */
const ownIds = new Set<unknown>();

/** Records the token that always stands for the id of one construct. */
const addOwnId = (token: unknown): unknown => ownIds.add(token);

/** Records the parent of a resource. */
function addMember(library: Library, member: Member): void {
  const stack = library.TerraformStack.of(member.construct);
  const { members } = membersOfStack.get(stack) ?? { members: [] };
  members.push(member);
  membersOfStack.set(stack, { members });
}

/**
 * The resources of the stack under the same parent as `construct`, of the types `follows`, in the order of the program.
 * Where they are applied first, rnv knows that order; Terraform knows only the order that the JSON gives.
 */
function followedBy(
  library: Library,
  construct: ReferableLike,
  follows: readonly string[],
): readonly ReferableLike[] {
  const stack = follows.length === 0 ? undefined : membersOfStack.get(library.TerraformStack.of(construct));
  if (stack === undefined) return [];
  stack.groups ??= groupMembers(library, stack.members);
  const siblings = (stack.groups.get(construct) ?? []).filter(({ type }) => follows.includes(type.type));
  return siblings.map((sibling) => sibling.construct).filter(isWritten);
}

function groupMembers(library: Library, members: readonly Member[]): NonNullable<StackMembers["groups"]> {
  const byParent = new Map<unknown, Member[]>();
  const groups = new Map<ReferableLike, Member[]>();
  for (const member of members) {
    const parent = identityOf(library, member);
    const group = byParent.get(parent) ?? [];
    group.push(member);
    byParent.set(parent, group);
    groups.set(member.construct, group);
  }
  return groups;
}

/** The id of a parent, equal for the same parent: the token of a construct of rnv, else the text that it resolves to. */
function identityOf(library: Library, { construct, parentId }: Member): unknown {
  if (ownIds.has(parentId)) return parentId;
  const resolver = new library.DefaultTokenResolver(new library.StringConcat());
  return library.Tokenization.resolve(parentId, { scope: construct, resolver, preparing: false });
}

/** False for a resource that was removed, is left out, or was moved to another construct: the library writes a `moved` block alone. */
const isWritten = (construct: ReferableLike): boolean =>
  (construct as { readonly _hasMoved?: boolean })._hasMoved !== true &&
  construct.node.scope?.node.tryFindChild(construct.node.id) === construct;

export type GivenProps = Readonly<Record<string, unknown>>;

/** Fields by their name in the program: their name in Terraform, and the fields of a group. */
type FieldNames = ReadonlyMap<string, { readonly name: string; readonly fields?: FieldNames }>;

/** Fields of the program as attributes of Terraform JSON; `others` is not written. Throws for an unknown field. */
function writeAttributes(
  props: GivenProps,
  names: FieldNames,
  owner: string,
  others: readonly string[] = [],
): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    const field = names.get(key);
    if (field?.fields !== undefined)
      written[field.name] = writeAttributes(value as GivenProps, field.fields, `${key} of ${owner}`);
    else if (field !== undefined) written[field.name] = value;
    else if (!others.includes(key)) {
      const hint = didYouMean(key, [...names.keys(), ...others]);
      throw new Error(`${owner} has no field ${JSON.stringify(key)}${hint === undefined ? "" : `: ${hint}`}`);
    }
  }
  return written;
}

const fieldNames = (shape: object, groups: readonly string[] = []): FieldNames =>
  new Map(
    Object.entries(shape).map(([key, schema]) => {
      const fields = groups.includes(key) ? shapeOf(schema) : undefined;
      return [key, { name: snakeCase(key), ...(fields && { fields: fieldNames(fields) }) }];
    }),
  );

/** The fields of an object schema below `optional` and `nullable`. */
function shapeOf(schema: unknown): object | undefined {
  const { shape, def } = schema as { shape?: object; def: { innerType?: unknown } };
  if (shape !== undefined) return shape;
  return def.innerType === undefined ? undefined : shapeOf(def.innerType);
}

/** The resource types of the constructs of rnv. */
const typeOfConstruct = new WeakMap<object, ResourceType>();

/** A construct class before it is given the types of a library. */
interface ResourceClass {
  new (
    scope: Construct,
    id: string,
    props?: GivenProps,
  ): ReferableLike & {
    readonly id: string;
    /** The resources that Terraform has to apply first, besides those that it refers to. */
    followed(): readonly ReferableLike[];
    /** Those of its own type with the same parent. */
    siblings(): readonly ReferableLike[];
    /** It is in the tree and not in the JSON. */
    get isLeftOut(): boolean;
    synthesizeAttributes(): Record<string, unknown>;
  };
  readonly tfResourceType: string;
}

/** Arguments that the library understands itself. */
const metaArguments = ["dependsOn", "count", "forEach", "provider", "lifecycle"];

/** The prop, and the comment, of a resource whose `triggers` follow from its dependencies. */
const derived = "derived";

/** The library's own arguments among the props of a resource or a data source. */
const libraryConfig = (terraformResourceType: string, props: GivenProps): object => ({
  ...Object.fromEntries(metaArguments.map((name) => [name, props[name]])),
  terraformResourceType,
  terraformGeneratorMetadata: { providerName: terraformPrefix },
});

function refuseHcl(): never {
  throw new Error("the constructs of rnv synthesize to JSON only: unset SYNTH_HCL_OUTPUT");
}

/** A construct class of a resource, made from its type alone. */
export function defineResource(library: Library, type: ResourceType): ResourceClass {
  const terraformType = terraformNameOf(type);
  const { nameAttribute, parents } = type;
  const ours = [
    ...metaArguments,
    "onRemove",
    derived,
    ...parents.flatMap((parent) => [parent.type, parent.attribute]),
  ];
  const names = fieldNames(type.schema.shape, type.groups);
  const secrets = Object.keys(type.rules).filter((path) => type.rules[path]?.secret === true);

  class RnvResource extends library.TerraformResource {
    static readonly tfResourceType = terraformType;
    readonly #attributes: Record<string, unknown>;
    readonly #comment: { moved_from?: string[]; on_remove?: unknown; triggers?: string } = {};
    /** The variables whose values Terraform sends and does not keep, by the attribute that tells it of a change. */
    readonly #versions: Record<string, VariableLike> = {};
    #logicalId: string | undefined;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, libraryConfig(terraformType, props));
      typeOfConstruct.set(this, type);
      const attributes = writeAttributes(props, names, `${terraformType} ${this.node.path}`, ours);
      if (nameAttribute !== undefined) attributes[snakeCase(nameAttribute)] ??= id;
      for (const path of secrets) {
        const name = snakeCase(path);
        const value = attributes[name];
        if (!(value instanceof SecretSource)) continue;
        const variable = secretVariable(library, this, value);
        delete attributes[name];
        attributes[writeOnlyNameOf(name)] = variable.stringValue;
        this.#versions[writeOnlyVersionOf(name)] = variable;
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

    /** Within a resource of rnv the name begins with that of the scope: `shop__api`, the address service.shop.api. */
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
      return followedBy(library, this, type.follows);
    }

    siblings(): readonly ReferableLike[] {
      return followedBy(library, this, [type.type]).filter((one) => one !== this);
    }

    get isLeftOut(): boolean {
      return false;
    }

    override toTerraform(): object {
      return this.isLeftOut ? {} : super.toTerraform();
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
      const versions = Object.entries(this.#versions).map(([name, variable]) => [
        name,
        versionOf(variable, this.node.path),
      ]);
      const attributes = { ...this.#attributes, ...Object.fromEntries(versions) };
      return Object.keys(this.#comment).length > 0
        ? { ...attributes, "//": { [terraformPrefix]: this.#comment } }
        : attributes;
    }

    protected synthesizeHclAttributes(): Record<string, unknown> {
      return refuseHcl();
    }
  }
  const settled = Object.entries(type.computed).filter(([, { movesByItself }]) => movesByItself !== true);
  defineTokens(RnvResource.prototype, Object.fromEntries(settled));
  return RnvResource as unknown as ResourceClass;
}

/** The parent that was given, else the nearest construct above that is one. */
function parentOf(
  type: ResourceType,
  scope: Construct,
  props: GivenProps,
): { readonly attribute: string; readonly id: unknown } | undefined {
  for (const parent of type.parents) {
    const given = props[parent.type] as { readonly id: string } | undefined;
    const id = given?.id ?? props[parent.attribute];
    if (id !== undefined) return { attribute: parent.attribute, id };
    const above = [...scope.node.scopes]
      .reverse()
      .find((one) => typeOfConstruct.get(one)?.type === parent.type);
    if (above !== undefined)
      return { attribute: parent.attribute, id: (above as unknown as { readonly id: string }).id };
  }
  return undefined;
}

/**
 * The sensitive Terraform variable that stands for a secret source, one for each source in a stack. rnv reads the
 * source from its comment; Terraform, which does not know the comment, takes `TF_VAR_<name>`.
 */
function secretVariable(library: Library, within: Construct, source: SecretSource): VariableLike {
  const stack = library.TerraformStack.of(within);
  // What is generated belongs to one variable alone: two of them must not become equal.
  const owner = "generate" in source.origin ? within.node.path : "";
  const id = variableName(source.origin, owner);
  const known = stack.node.tryFindChild(id);
  if (known !== undefined) return known as VariableLike;
  const variable = new library.TerraformVariable(stack, id, {
    type: "string",
    sensitive: true,
    description: describe(source.origin),
  });
  variable.addOverride("//", { [terraformPrefix]: { source: source.origin } });
  return variable;
}

/**
 * A number that changes with the value of a variable, as an expression of Terraform: 32 bits of a digest, which differ from
 * construct to construct for the same value.
 */
const versionOf = ({ friendlyUniqueId }: VariableLike, path: string): string =>
  `\${parseint(substr(sha256("${path.replace(/[^\w/.-]/g, "_")} \${var.${friendlyUniqueId}}"), 0, 8), 16)}`;

function variableName(origin: SecretOrigin, owner: string): string {
  if ("fromEnv" in origin && /^[A-Za-z_][A-Za-z0-9_]*$/.test(origin.fromEnv)) return `env_${origin.fromEnv}`;
  const text = JSON.stringify(origin);
  const digest = sha256(`${owner}\0${text}`).slice(0, 8);
  const words = text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return `secret_${words.slice(0, 40)}_${digest}`;
}

function describe(origin: SecretOrigin): string {
  if ("fromEnv" in origin) return `The environment variable ${origin.fromEnv}.`;
  if ("fromFile" in origin) return `The text of the file ${origin.fromFile}.`;
  if ("fromCommand" in origin) return `What ${origin.fromCommand[0]} prints.`;
  return `A random text of ${origin.generate.length} characters.`;
}

type ComputedTypes = Readonly<Record<string, Pick<ComputedRule, "valueType">>>;

/** Defines a getter for each computed attribute: a token of its type, the same each time. */
function defineTokens(prototype: ReferableLike, computed: ComputedTypes): void {
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

/** A construct class of a data source, which is looked up by the attributes `lookups`. */
export function defineDataSource(
  library: Library,
  terraformType: string,
  lookups: readonly string[],
  computed: ComputedTypes,
): ResourceClass {
  class RnvDataSource extends library.TerraformDataSource {
    static readonly tfResourceType = terraformType;
    readonly #props: GivenProps;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, libraryConfig(terraformType, props));
      this.#props = props;
    }

    protected synthesizeAttributes(): Record<string, unknown> {
      return Object.fromEntries(lookups.map((name) => [snakeCase(name), this.#props[name]]));
    }

    protected synthesizeHclAttributes(): Record<string, unknown> {
      return refuseHcl();
    }
  }
  defineTokens(RnvDataSource.prototype, computed);
  return RnvDataSource as unknown as ResourceClass;
}

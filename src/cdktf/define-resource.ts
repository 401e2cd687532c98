import type { Construct } from "constructs";
import type { OnRemove } from "../model/desired";
import type { ResourceType } from "../model/resource-type";
import {
  camelCase,
  generatedName,
  snakeCase,
  terraformNameOf,
  terraformPrefix,
  writeOnlyNameOf,
  writeOnlyVersionOf,
} from "../model/terraform-names";
import { claim, claimName, isInStack, movesOf, nameAfter, nameBefore } from "./claim-name";
import { overridesOf } from "./confirm-removed";
import {
  defineFields,
  defineTokens,
  type FieldNames,
  type FieldOwner,
  fieldsOf,
  type GivenProps,
  type Written,
  writeAttributes,
} from "./construct-fields";
import type { Resolvable } from "./constructs";
import type { Library, ReferableLike } from "./host-library";
import {
  addMember,
  addOwnId,
  constructOfId,
  followedBy,
  forgetGroups,
  hasMoved,
  isWritten,
  noteType,
  parentIdentity,
  parentOf,
  stableText,
  typeOfConstruct,
  workspaceOf,
} from "./parents";
import { generatedLength, isSecretSource, type SecretSource } from "./secret-source";
import { secretReference, versionOf } from "./secret-variable";

/** A construct class before it is given the types of a library. */
interface GivenClass<Instance> {
  new (scope: Construct, id: string, props?: GivenProps): Instance;
  readonly tfResourceType: string;
}

interface Given extends FieldOwner {
  synthesizeAttributes(): Written;
}

export interface RnvResource extends Given {
  readonly id: string;
  /** The resources that Terraform has to apply first, besides those that it refers to. */
  followed(): readonly ReferableLike[];
  siblings(): readonly ReferableLike[];
  /** The names in its parent that belong to it alone. */
  ownNames(): readonly string[];
  saltOf(attributes: Written): string;
}

export type ResourceClass = GivenClass<RnvResource>;

const metaArguments = ["dependsOn", "count", "forEach", "provider", "lifecycle"];

/** The prop, and the comment, of a resource whose `triggers` follow from its dependencies. */
const derived = "derived";

/** A class of the library with the fields that the program gives; `others` are props that are no fields. */
export function defineGiven(
  library: Library,
  Base: Library["TerraformDataSource"],
  names: FieldNames,
  { terraformType, owner, others = [] }: { terraformType: string; owner: string; others?: readonly string[] },
): GivenClass<Given> {
  return class extends Base {
    static readonly tfResourceType = terraformType;
    readonly #attributes: Written;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, {
        ...Object.fromEntries(metaArguments.map((name) => [name, props[name]])),
        terraformResourceType: terraformType,
        terraformGeneratorMetadata: { providerName: terraformPrefix },
      });
      const path = `${owner} ${this.node.path}`;
      this.#attributes = writeAttributes(library, props, names, path, [...metaArguments, ...others]);
    }

    givenField(name: string): unknown {
      return this.#attributes[name];
    }

    giveField(name: string, value: unknown): void {
      if (value === undefined) delete this.#attributes[name];
      else this.#attributes[name] = value;
    }

    synthesizeAttributes(): Written {
      return { ...this.#attributes };
    }

    protected synthesizeHclAttributes(): never {
      throw new Error("the constructs of rnv synthesize to JSON only: unset SYNTH_HCL_OUTPUT");
    }
  };
}

export function defineResource(library: Library, type: ResourceType): ResourceClass {
  const Placed = definePlaced(library, type, defineDeclared(library, type));
  defineFields(library, Placed.prototype, fieldsOf(type));
  const settled = Object.entries(type.computed).filter(([, { movesByItself }]) => movesByItself !== true);
  defineTokens(Placed.prototype, Object.fromEntries(settled), addOwnId);
  return Placed as unknown as ResourceClass;
}

/**
 * Terraform sends the value of a secret and keeps it in no state; the version tells it of a change. The provider
 * generates a value where the source says so.
 */
function writeSecret(
  attributes: Written,
  name: string,
  reference: (source: SecretSource) => string,
  salt: string,
): void {
  const { [name]: value } = attributes;
  if (!isSecretSource(value)) return;
  delete attributes[name];
  const length = generatedLength(value);
  if (length === undefined) {
    attributes[writeOnlyNameOf(name)] = reference(value);
    attributes[writeOnlyVersionOf(name)] = versionOf([reference(value)], salt);
  } else attributes[generatedName] = { length };
}

const parentFieldsOf = ({ parents }: ResourceType): readonly string[] =>
  parents.map(({ attribute }) => snakeCase(attribute));

function defineDeclared(library: Library, type: ResourceType) {
  const terraformType = terraformNameOf(type);
  const secrets = Object.keys(type.rules)
    .filter((path) => type.rules[path]?.secret === true)
    .map(snakeCase);
  const nameField = type.nameAttribute === undefined ? undefined : snakeCase(type.nameAttribute);
  const fieldNames = new Set([...fieldsOf(type).values()].map(({ name }) => name));
  const others = ["onRemove", derived, ...type.parents.map((parent) => parent.type)];
  const Given = defineGiven(library, library.TerraformResource, fieldsOf(type), {
    terraformType,
    owner: terraformType,
    others,
  });

  return class Declared extends Given {
    /** Imports an existing resource, for `cdktf plan` and `terraform plan -generate-config-out`. */
    static generateConfigForImport(scope: Construct, to: string, importId: string, provider?: unknown) {
      const config = { terraformResourceType: terraformType, importId, provider };
      return new library.ImportableResource(scope, to, config);
    }

    readonly #expected = new Set<string>();
    readonly #comment: { moved_from?: string[]; on_remove?: unknown; triggers?: string } = {};

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, props);
      if (nameField !== undefined && this.givenField(nameField) === undefined) this.giveField(nameField, id);
      this.onRemove = props.onRemove as OnRemove | undefined;
      if (props[derived] === true) this.#comment.triggers = derived;
    }

    get onRemove(): OnRemove | undefined {
      return this.#comment.on_remove as OnRemove | undefined;
    }

    set onRemove(wanted: OnRemove | undefined) {
      if (wanted === undefined) delete this.#comment.on_remove;
      else this.#comment.on_remove = wanted;
    }

    /** A resource has a name in any case: that of its construct. */
    override giveField(name: string, value: unknown): void {
      super.giveField(name, name === nameField ? (value ?? this.node.id) : value);
    }

    /** The name may be overridden after a reference was taken, and a text may become a secret source. */
    override interpolationForAttribute(attribute: string): Resolvable {
      this.#expectReadable(attribute);
      let name: string | undefined;
      let reference: Resolvable | undefined;
      const produce = (context: { readonly preparing: boolean }): unknown => {
        this.#expectReadable(attribute);
        this.#expectDeclared(attribute, context);
        // The library notes at a reference which stacks refer to it: one for each name.
        if (name !== this.friendlyUniqueId) reference = super.interpolationForAttribute(attribute);
        name = this.friendlyUniqueId;
        return reference;
      };
      return library.Lazy.anyValue({ produce });
    }

    /** Refuses a reference to a secret that the program does not give as text: no state holds its value. */
    #expectReadable(name: string): void {
      const given = this.givenField(name);
      if (!secrets.includes(name) || (given !== undefined && !isSecretSource(given))) return;
      const isSource = given !== undefined && generatedLength(given) === undefined;
      throw new Error(
        `the ${name} of ${terraformType} ${this.node.path} cannot be read: ` +
          (isSource
            ? "it is a secret. Give the other field the same source: const token = fromEnv(…)"
            : 'it is known to the platform alone. Give both the same source, such as fromEnv("TOKEN")'),
      );
    }

    /**
     * Has the synthesis refuse a reference to a field that the program does not declare, once aspects have run. Of a reference
     * that an aspect adds the library hears only when it writes it.
     */
    #expectDeclared(path: string, { preparing }: { readonly preparing: boolean }): void {
      const [name = "", inner] = path.split(".");
      if (!fieldNames.has(name) || this.#expected.has(path)) return;
      const valueIn = (attribute: unknown): unknown =>
        inner === undefined ? attribute : (attribute as Written | undefined)?.[inner];
      const overrides = overridesOf(this);
      const isDeclared = (): boolean =>
        [this.givenField(name), overrides[name]].some((attribute) => valueIn(attribute) !== undefined);
      const line =
        inner === undefined ? `${camelCase(name)}: …` : `${camelCase(name)}: { ${camelCase(inner)}: … }`;
      const problem =
        `another construct refers to ${path}, which ${this.node.path} does not declare: ` +
        `its value is not known while planning; declare it there: ${line}`;
      if (preparing) {
        this.#expected.add(path);
        this.node.addValidation({ validate: () => (isDeclared() ? [] : [problem]) });
      } else if (!isDeclared()) throw new Error(problem);
    }

    movedFrom(address: string): this {
      this.#comment.moved_from = [...(this.#comment.moved_from ?? []), address];
      return this;
    }

    override synthesizeAttributes(): Written {
      const attributes = super.synthesizeAttributes();
      const reference = (source: SecretSource) => secretReference(library, this, source);
      for (const secret of secrets) writeSecret(attributes, secret, reference, this.saltOf(attributes));
      if (Object.keys(this.#comment).length > 0) attributes["//"] = { [terraformPrefix]: this.#comment };
      return attributes;
    }

    /** Tells its versions from those of others for the same values, wherever the construct stands: by its name and parent. */
    saltOf(attributes: Written): string {
      const fields = [...parentFieldsOf(type), ...(nameField === undefined ? [] : [nameField])];
      const stack = library.TerraformStack.of(this).node.id;
      return [stack, ...fields.map((field) => stableText(library, this, attributes[field]))].join("/");
    }
  };
}

type DeclaredClass = ReturnType<typeof defineDeclared>;

/** The class with its name in the stack, its parent, and its place in the order that Terraform is told. */
function definePlaced(library: Library, type: ResourceType, Declared: DeclaredClass): DeclaredClass {
  const parentFields = parentFieldsOf(type);

  return class Placed extends Declared {
    #logicalId: string | undefined;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, props);
      noteType(this, type);
      const parent = parentOf(type, scope, props);
      if (parent !== undefined) this.giveField(snakeCase(parent.attribute), parent.id);
      if (parentFields.length > 0) addMember(library, this);
    }

    /** Within a resource of rnv the name begins with that of the scope: `shop__api`, the address service.shop.api. */
    override get friendlyUniqueId(): string {
      if (this.#logicalId !== undefined) return this.#logicalId;
      const { scope, id } = this.node;
      const isNested =
        scope !== undefined && typeOfConstruct(scope) !== undefined && /^[A-Za-z0-9_-]+$/.test(id);
      if (!isNested) return super.friendlyUniqueId;
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

    override giveField(name: string, value: unknown): void {
      super.giveField(name, value);
      if (parentFields.includes(name)) forgetGroups(library, this);
    }

    followed(): readonly ReferableLike[] {
      return followedBy(library, this, type.follows);
    }

    siblings(): readonly ReferableLike[] {
      return followedBy(library, this, [type.type]).filter((one) => one !== this);
    }

    override toTerraform(): object {
      if (isWritten(this)) {
        claimName(library, this);
        this.#claimPlace();
        refuseSeveralParents(this, parentFields);
      }
      const own = `${this.terraformResourceType}.${this.friendlyUniqueId}`;
      const after = nameAfter(this);
      if (after !== undefined && !hasMoved(this)) {
        const to = `${this.terraformResourceType}.${after}`;
        return isInStack(library, this, to) ? { moved: [{ to, from: own }] } : {};
      }
      const from = nameBefore(this);
      const written = super.toTerraform();
      if (from === undefined || movesOf(this) !== undefined) return written;
      return { ...written, moved: [{ to: own, from: `${this.terraformResourceType}.${from}` }] };
    }

    ownNames(): readonly string[] {
      if (this.count !== undefined || this.forEach !== undefined) return [];
      if (type.nameAttribute === undefined) return type.manifest.shape === "single" ? [""] : [];
      return [`${this.givenField(snakeCase(type.nameAttribute))}`];
    }

    /** Refuses a name that another resource in the same place has: the platform could not tell the two apart. */
    #claimPlace(): void {
      const inPlace = (one: Placed, name: string): string =>
        [type.type, workspaceOf(library, one), parentIdentity(library, one), name].join("\0");
      const placesOf = (one: Placed) => one.ownNames().map((name) => inPlace(one, name));
      for (const name of this.ownNames()) {
        const other = claim(library, this as Placed, inPlace(this, name), placesOf);
        if (other === undefined) continue;
        const both = `${other.node.path} and ${this.node.path} are both the ${type.type}`;
        const what = name === "" ? both : `${both} ${JSON.stringify(name)}`;
        if (!type.removedWithParent) throw new Error(`${what} in one place. Give one of them another name`);
        const parent = constructOfId(this, parentIdentity(library, this));
        throw new Error(`${what} of ${parent?.node.path ?? "one parent"}. Remove one of them`);
      }
    }

    override get terraformMetaArguments(): Readonly<Record<string, unknown>> {
      const given = inTerraformNames(super.terraformMetaArguments);
      const order = this.followed().map((one) => `${one.terraformResourceType}.${one.friendlyUniqueId}`);
      return order.length === 0 ? given : { ...given, dependsOn: [...(this.dependsOn ?? []), ...order] };
    }
  };
}

/** Refuses a resource of a parent with `count` or `forEach`: Terraform cannot know of which instance it is. */
function refuseSeveralParents(construct: InstanceType<DeclaredClass>, parentFields: readonly string[]): void {
  for (const field of parentFields) {
    const parent = constructOfId(construct, construct.givenField(field));
    const key = parent?.count === undefined ? "forEach" : "count";
    if (parent?.[key] === undefined) continue;
    throw new Error(
      `${parent.node.path} has ${key}, and ${construct.node.path} belongs to one instance of it. ` +
        'Write a loop in the program; or, for Terraform only, deploy: { when: "never" } and a Deployment with the same ' +
        `${key} and the serviceId of an instance`,
    );
  }
}

/** `ignoreChanges` names fields as the program does; Terraform knows them by its own names. */
function inTerraformNames(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { lifecycle } = given as { lifecycle?: { readonly ignoreChanges?: unknown } };
  const ignored = lifecycle?.ignoreChanges;
  if (!Array.isArray(ignored)) return given;
  const ignoreChanges = ignored.map((path: unknown) =>
    typeof path === "string" ? path.split(".").map(snakeCase).join(".") : path,
  );
  return { ...given, lifecycle: { ...lifecycle, ignoreChanges } };
}

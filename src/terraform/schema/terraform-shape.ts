import type { Reads, Resource } from "../../api/reads";
import { type Address, canonicalId } from "../../model/address";
import type { Catalog } from "../../model/catalog";
import type { LiveResource, ReadResult } from "../../model/live";
import type { AppliableValue, ReadTarget } from "../../model/resource-operations";
import { Secret } from "../../model/secret";
import { generatedName, protectionAttribute, terraformNameOf } from "../../model/terraform-names";
import { type Attributes, type Plain, type ResolvedValue, Unknown } from "../../model/value";
import { readProven } from "../../resources";
import {
  asObject,
  type Draft,
  holdsUnknown,
  type ObjectType,
  type PathSteps,
  type TerraformObject,
  textIn,
  toPlain,
  unknown,
  valueAt,
} from "../codec";
import { type BlockSchema, madeUp, type Schema, schemaOf } from "./block";
import { blockOf, ResourceBindings } from "./resource-block";

const noReferences = new Unknown([]);

const withoutUnknown = <Value>(values: ReadonlyMap<string, Value>) =>
  new Map([...values].filter(([, value]) => !(value instanceof Unknown))) as Map<
    string,
    Exclude<Value, Unknown>
  >;

const shapes = new WeakMap<Resource, TerraformShape>();

export function shapeOf(resource: Resource): TerraformShape {
  const known = shapes.get(resource) ?? new TerraformShape(resource);
  shapes.set(resource, known);
  return known;
}

/** A resource type as Terraform sees it: its schema, and readers of its values. All derive from the type. */
export class TerraformShape extends ResourceBindings implements Schema {
  readonly name: string;
  readonly block: BlockSchema;
  readonly valueType: ObjectType;
  /** Returns where Terraform keeps an attribute path, that of a secret too. */
  readonly stepsOf: (path: string) => PathSteps | undefined;

  constructor(resource: Resource) {
    super(resource);
    const { name, block, valueType } = schemaOf(terraformNameOf(resource), blockOf(this));
    this.name = name;
    this.block = block;
    this.valueType = valueType;
    const steps = new Map<string, PathSteps>([
      ...this.secrets.map(({ path, name: own }) => [path, [own]] as const),
      ...this.declared.map((binding) => [binding.path, binding.steps] as const),
      [protectionAttribute, [protectionAttribute]],
    ]);
    this.stepsOf = (path) => steps.get(path);
  }

  draftOf(whole: TerraformObject): Draft {
    const draft: Draft = { ...whole };
    for (const { name } of this.block.groups ?? []) {
      const block = asObject(draft[name] ?? null);
      if (block !== undefined) draft[name] = { ...block };
    }
    return draft;
  }

  /** Returns the declared attributes by path; null declares nothing. Secrets are left out. */
  declaredIn(config: TerraformObject): Map<string, Plain | Unknown> {
    const declared = new Map<string, Plain | Unknown>();
    for (const { path, steps } of this.declared) {
      const value = valueAt(config, steps);
      if (value !== null) declared.set(path, holdsUnknown(value) ? noReferences : toPlain(value));
    }
    for (const { attribute } of this.resource.parents) {
      const id = declared.get(attribute);
      if (typeof id === "string") declared.set(attribute, canonicalId(id));
    }
    return declared;
  }

  knownIn(config: TerraformObject): Map<string, Plain> {
    return withoutUnknown(this.declaredIn(config));
  }

  /** Returns the declared attributes and the secrets that are set; their text stays closed. */
  declaredWithSecrets(config: TerraformObject): Map<string, ResolvedValue> {
    const declared = new Map<string, ResolvedValue>(this.declaredIn(config));
    for (const { path, name, writeOnlyName, versionName } of this.secrets) {
      // A version without a value: `ignore_changes` withholds the value. Validation refuses it as it is written.
      const withheld = (config[versionName] ?? null) === null ? null : unknown;
      const value = config[name] ?? config[writeOnlyName] ?? config[generatedName] ?? withheld;
      if (value !== null) declared.set(path, typeof value === "string" ? new Secret(value) : noReferences);
    }
    return declared;
  }

  appliableIn(config: TerraformObject): Map<string, AppliableValue> {
    return withoutUnknown(this.declaredWithSecrets(config)) as Map<string, AppliableValue>;
  }

  /** Returns the values to write: as planned, with write-only and generated values, which no plan has. */
  withUnplanned(planned: TerraformObject, config: TerraformObject): TerraformObject {
    const made = madeUp(planned[generatedName]);
    const values = this.secrets.map(({ writeOnlyName }) => [writeOnlyName, config[writeOnlyName] ?? made]);
    return { ...planned, ...Object.fromEntries(values) };
  }

  computedIn(state: TerraformObject): Map<string, Plain> {
    const computed = new Map<string, Plain>();
    for (const { path, steps } of this.computed) {
      const value = valueAt(state, steps);
      if (value !== null && !holdsUnknown(value)) computed.set(path, toPlain(value));
    }
    return computed;
  }

  liveOf(state: TerraformObject): LiveResource {
    const attributes = this.knownIn(state);
    const computed = this.computedIn(state);
    const updatedAt = computed.get("updatedAt");
    return {
      type: this.resource.type,
      id: textIn(state, "id") ?? "",
      name: this.nameIn(state),
      parentId: this.parentIn(attributes) ?? null,
      attributes,
      computed,
      updatedAt: typeof updatedAt === "string" ? updatedAt : undefined,
    };
  }

  /** Returns the name that a resource bears at the service; its id where its type has no name. */
  nameIn(state: TerraformObject): string {
    const steps = this.stepsOf(this.resource.nameAttribute ?? "");
    const name = steps && valueAt(state, steps);
    return typeof name === "string" ? name : (textIn(state, "id") ?? "");
  }

  parentIn(attributes: Attributes<unknown>): string | undefined {
    const ids = this.resource.parents.map(({ attribute }) => attributes.get(attribute));
    return ids.find((id) => typeof id === "string");
  }

  /** Returns how messages name a resource, its name in quotes if it is known: Terraform adds the address, which no provider knows. */
  addressOf(name: string): Address {
    const { type } = this.resource;
    return (name === "" ? `the ${type}` : `${type} ${JSON.stringify(name)}`) as Address;
  }

  /** Reads a live resource; `declared` has the values of its state or its configuration. */
  read(reads: Reads, target: Partial<ReadTarget> & Pick<ReadTarget, "name">): Promise<ReadResult> {
    return readProven(reads, this.resource, {
      address: this.addressOf(target.name),
      declared: new Map(),
      ...target,
    });
  }

  async find(...asked: Parameters<TerraformShape["read"]>): Promise<LiveResource | undefined> {
    const read = await this.read(...asked);
    return read.kind === "found" ? read.live : undefined;
  }

  isMadeElsewhere(state: TerraformObject): boolean {
    const steps = this.stepsOf(this.resource.preservedBy ?? "");
    return steps !== undefined && valueAt(state, steps) === true;
  }

  defaultsIn(catalog: Catalog | undefined): Attributes {
    return catalog === undefined ? new Map() : this.resource.defaults(catalog);
  }
}

import type { ZodType } from "zod";
import type { Resource } from "../../api/reads";
import type { ComputedRule } from "../../model/resource-type";
import { snakeCase, terraformNameOf } from "../../model/terraform-name";
import { mapOf, type ObjectType, setOf, type TerraformType } from "../values/terraform-type";
import { type AttributeSchema, type BlockSchema, type Schema, typeOfBlock } from "./block";
import { innermost, typeOf } from "./type-of";

/** One attribute path of a resource type and where Terraform keeps it: `configuration.branch`, `["configuration","branch"]`. */
export interface Binding {
  readonly path: string;
  readonly steps: readonly string[];
  readonly type: TerraformType;
  /** What a value must satisfy; undefined for an id of a parent. */
  readonly schema?: ZodType;
  readonly required: boolean;
}

/** A secret: a sensitive attribute, or a write-only one with the version that says when to send it again. */
export interface SecretBinding {
  readonly path: string;
  readonly name: string;
  readonly writeOnlyName: string;
  readonly versionName: string;
}

/** A resource type as Terraform sees it. Everything in it derives from the type. */
export interface ManagedType {
  /** `rnv_service`. */
  readonly name: string;
  readonly resource: Resource;
  /** The type without its secrets: Terraform compares those in the form that it keeps them. */
  readonly compared: Resource;
  readonly schema: Schema;
  readonly valueType: ObjectType;
  /** What may be declared, secrets left out. */
  readonly declared: readonly Binding[];
  readonly computed: readonly (Binding & { readonly rule: ComputedRule })[];
  readonly secrets: readonly SecretBinding[];
  /** A type without a life of its own: `triggers` says when it runs again. */
  readonly reacts: boolean;
}

export const timeoutNames = ["create", "update", "delete"] as const;
export const schemaVersion = 0;

const computedTypes: Readonly<Record<ComputedRule["valueType"], TerraformType>> = {
  string: "string",
  number: "number",
  boolean: "bool",
  json: "dynamic",
};

/** The Terraform side of a resource type: schema, and where each attribute path is found in a value. */
export function managedType(resource: Resource): ManagedType {
  const secretPaths = Object.keys(resource.rules).filter((path) => resource.rules[path]?.secret);
  const declared = Object.keys(resource.rules)
    .filter((path) => !secretPaths.includes(path))
    .map((path) => bindingOf(resource, path));
  const secrets = secretPaths.map((path) => ({
    path,
    name: snakeCase(path),
    writeOnlyName: `${snakeCase(path)}_wo`,
    versionName: `${snakeCase(path)}_wo_version`,
  }));
  const computed = Object.entries(resource.computed).map(([name, rule]) => ({
    path: name,
    steps: [snakeCase(name)],
    type: computedTypes[rule.valueType],
    required: false,
    rule,
  }));
  const openRules = Object.entries(resource.rules).filter(([, rule]) => rule.secret !== true);
  const compared: Resource = { ...resource, rules: Object.fromEntries(openRules) };
  const parts = { resource, compared, declared, secrets, computed, reacts: resource.reacts !== undefined };
  const block = blockOf(parts);
  return {
    name: terraformNameOf(resource),
    ...parts,
    schema: { version: schemaVersion, block },
    valueType: typeOfBlock(block),
  };
}

function bindingOf(resource: Resource, path: string): Binding {
  const [first = "", second] = path.split(".");
  const shape = resource.schema.shape as Readonly<Record<string, ZodType>>;
  const group = second === undefined ? undefined : innermost(shape[first] as ZodType);
  const field = group
    ? (group as unknown as { shape: Record<string, ZodType> }).shape[second ?? ""]
    : shape[first];
  const steps = path.split(".").map(snakeCase);
  if (field === undefined) return { path, steps, type: "string", required: mustLieInParent(resource) };
  const required = path === resource.nameAttribute || !field.isOptional();
  return { path, steps, type: inAnyOrder(resource, path, typeOf(field)), schema: field, required };
}

const mustLieInParent = ({ manifest }: Resource): boolean => !manifest.within.includes("root");

/** A list whose order does not count is a set. */
function inAnyOrder(resource: Resource, path: string, type: TerraformType): TerraformType {
  const equal = resource.rules[path]?.equal;
  return Array.isArray(type) && type[0] === "list" && equal?.(["a", "b"], ["b", "a"]) === true
    ? setOf(type[1] as TerraformType)
    : type;
}

type Parts = Omit<ManagedType, "name" | "schema" | "valueType">;

function blockOf(parts: Parts): BlockSchema {
  const { resource, declared, computed, secrets, reacts } = parts;
  const groups = resource.groups.map((group) => ({
    name: snakeCase(group),
    nesting: "group" as const,
    block: {
      doc: resource.schema.shape[group]?.description ?? "",
      attributes: declared
        .filter(({ path }) => path.startsWith(`${group}.`))
        .map(declaredAttribute(resource)),
      groups: [],
    },
  }));
  return {
    doc: resource.doc,
    attributes: [
      ...declared.filter(({ path }) => !path.includes(".")).map(declaredAttribute(resource)),
      ...secrets.flatMap((secret) => secretAttributes(resource, secret)),
      ...(reacts ? [triggers] : []),
      ...computed.map(({ steps, type, rule }) => ({
        name: steps[0] ?? "",
        type,
        doc: rule.doc,
        computed: true as const,
        ...(rule.pinnedBy === undefined ? {} : { optional: true as const }),
      })),
    ],
    groups: [...groups, timeouts],
  };
}

const triggers: AttributeSchema = {
  name: "triggers",
  type: mapOf("string"),
  doc: "Values of your choice: when one of them changes, it runs again.",
  optional: true,
};

const timeouts = {
  name: "timeouts",
  nesting: "single" as const,
  block: {
    doc: "How long to wait for the service, such as `45m`.",
    attributes: timeoutNames.map((name) => ({
      name,
      type: "string" as const,
      doc: `How long it may take to ${name} it.`,
      optional: true as const,
    })),
    groups: [],
  },
};

const declaredAttribute =
  (resource: Resource) =>
  ({ path, steps, type, schema, required }: Binding): AttributeSchema => {
    const parent = resource.parents.find(({ attribute }) => attribute === path);
    const text = schema?.description ?? "";
    const doc = parent
      ? `Id of the ${parent.type} it lies in.`
      : // Terraform tells a provider no logical name.
        required
        ? text.replace(/; its logical name.*$/, ".")
        : text;
    const isLocal = resource.rules[path]?.change === "local";
    return {
      name: steps.at(-1) ?? "",
      type,
      doc,
      ...(required ? { required: true } : { optional: true }),
      // Computed too: what is not declared may still be shown, as after an import.
      ...(required || isLocal ? {} : { computed: true }),
    };
  };

function secretAttributes(resource: Resource, secret: SecretBinding): readonly AttributeSchema[] {
  const doc = resource.schema.shape[secret.path]?.description ?? "";
  return [
    {
      name: secret.name,
      type: "string",
      doc: `${doc.split(":")[0] ?? ""}. Terraform keeps it in its state; \`${secret.writeOnlyName}\` is kept nowhere.`,
      optional: true,
      sensitive: true,
    },
    {
      name: secret.writeOnlyName,
      type: "string",
      doc: `As \`${secret.name}\`, but never stored. Sent when \`${secret.versionName}\` changes.`,
      optional: true,
      writeOnly: true,
      sensitive: true,
    },
    {
      name: secret.versionName,
      type: "number",
      doc: `Raise it to send \`${secret.writeOnlyName}\` again.`,
      optional: true,
    },
  ];
}

import * as z from "zod";
import type { Resource } from "../../api/reads";
import { unwrap } from "../../declaration/type-index";
import type { ComputedRule } from "../../model/resource-type";
import {
  generatedName,
  protectionAttribute,
  snakeCase,
  timeoutNames,
  writeOnlyNameOf,
  writeOnlyVersionOf,
} from "../../model/terraform-names";
import { generatedLengths } from "../../model/value";
import { isDeployed } from "../../resources";
import { listOf, mapOf, objectOf, type PathSteps, type TerraformType } from "../codec";
import {
  type AttributeSchema,
  type BlockSchema,
  computed as computedAttribute,
  countCheck,
  durationCheck,
  isMixedList,
  optional,
  typeOf,
} from "./block";

/** An attribute path of a resource type, `configuration.branch`, and where Terraform keeps its value. */
export interface AttributeBinding {
  readonly path: string;
  readonly steps: PathSteps;
  readonly type: TerraformType;
  /** Checks a value; undefined for an id of a parent. */
  readonly schema?: z.ZodType;
  readonly required: boolean;
}

type ComputedBinding = ReturnType<typeof computedBinding>;

export type SecretBinding = ReturnType<typeof secretBinding>;

export class ResourceBindings {
  readonly declared: readonly AttributeBinding[];
  /** Attributes that the service decides and keeps until something is written. */
  readonly computed: readonly ComputedBinding[];
  /** Attributes that move by themselves: data sources show them, and no state of a resource holds them. */
  readonly moving: readonly ComputedBinding[];
  readonly secrets: readonly SecretBinding[];
  /** A run makes its changes take effect: `revision` moves with them. */
  readonly isDeployed: boolean;
  /** Its deletion loses data: `deletion_protection` can prevent it. */
  readonly isProtectable: boolean;

  constructor(readonly resource: Resource) {
    const rules = Object.entries(resource.rules);
    const decided = Object.entries(resource.computed).map(([path, rule]) => computedBinding(path, rule));
    this.declared = rules
      .filter(([, rule]) => rule.secret !== true)
      .map(([path]) => bindingOf(resource, path));
    this.secrets = rules.filter(([, rule]) => rule.secret).map(([path]) => secretBinding(path));
    this.computed = decided.filter(({ rule }) => rule.movesByItself !== true);
    this.moving = decided.filter(({ rule }) => rule.movesByItself === true);
    this.isDeployed = isDeployed(resource);
    this.isProtectable = resource.removal === "delete" && !resource.removedWithParent;
  }
}

const computedTypes: Readonly<Record<ComputedRule["valueType"], TerraformType>> = {
  string: "string",
  number: "number",
  boolean: "bool",
  /** All of them are lists of IDs. */
  json: listOf("string"),
};

const computedBinding = (path: string, rule: ComputedRule) => ({
  path,
  steps: [snakeCase(path)],
  type: computedTypes[rule.valueType],
  required: false,
  rule,
});

/** A secret: a sensitive attribute, or a write-only one with the version that says when to send it again. */
const secretBinding = (path: string) => ({
  path,
  name: snakeCase(path),
  writeOnlyName: writeOnlyNameOf(snakeCase(path)),
  versionName: writeOnlyVersionOf(snakeCase(path)),
});

function bindingOf(resource: Resource, path: string): AttributeBinding {
  const [first = "", second] = path.split(".");
  const shape = resource.schema.shape as Readonly<Record<string, z.ZodType>>;
  const group = second === undefined ? undefined : unwrap(shape[first] as z.ZodType);
  const field = group instanceof z.ZodObject ? group.shape[second ?? ""] : shape[first];
  const steps = path.split(".").map(snakeCase);
  const mustLieInParent = !resource.manifest.within.includes("root");
  if (field === undefined) return { path, steps, type: "string", required: mustLieInParent };
  const required = path === resource.nameAttribute || !field.isOptional();
  const type = isMixedList(field) ? "dynamic" : typeOf(field);
  return { path, steps, type, schema: field, required };
}

export function blockOf(bindings: ResourceBindings): BlockSchema {
  const { resource, declared, computed, secrets, isDeployed, isProtectable } = bindings;
  const attributesIn = (isWanted: (path: string) => boolean): readonly AttributeSchema[] =>
    declared.filter(({ path }) => isWanted(path)).map((binding) => declaredAttribute(resource, binding));
  const groups = resource.groups.map((group) => ({
    name: snakeCase(group),
    block: {
      doc: resource.schema.shape[group]?.description ?? "",
      attributes: attributesIn((path) => path.startsWith(`${group}.`)),
    },
  }));
  return {
    doc: resource.doc,
    attributes: [
      ...attributesIn((path) => !path.includes(".")),
      ...secrets.flatMap((secret) => secretAttributes(resource, secret)),
      ...(resource.reacts ? [triggers] : []),
      ...(isProtectable ? [deletionProtection(resource)] : []),
      ...(resource.reacts ? [upToDate] : []),
      ...(isDeployed ? [revision] : []),
      ...computed.map(({ steps, type, rule }) => computedAttribute(steps[0] ?? "", type, rule.doc)),
    ],
    groups: [...groups, timeouts],
  };
}

export const revisionName = "revision";

export const revision: AttributeSchema = computedAttribute(
  revisionName,
  "string",
  "Changes with every apply that writes something a deployment picks up. Put it into the `triggers` of the deployment.",
);

export const upToDateName = "up_to_date";

const upToDate: AttributeSchema = computedAttribute(
  upToDateName,
  "bool",
  "False where something that it puts into effect was changed after its last run, by anyone: the next apply runs it again.",
);

const triggers: AttributeSchema = optional(
  "triggers",
  mapOf("string"),
  "Values of your choice: when one of them changes, it runs again.",
);

const deletionProtection = ({ type }: Resource): AttributeSchema =>
  optional(
    protectionAttribute,
    "bool",
    `True: no run deletes or replaces this ${type}, until an apply has set it to false. Default: false.`,
  );

export const timeouts = {
  name: "timeouts",
  block: {
    doc: "How long to wait for the platform, such as `45m`.",
    attributes: timeoutNames.map((name) =>
      optional(name, "string", `How long it may take to ${name} it.`, { check: durationCheck }),
    ),
  },
};

function declaredAttribute(resource: Resource, binding: AttributeBinding): AttributeSchema {
  const { path, steps, type, required } = binding;
  const isLocal = resource.rules[path]?.change === "local";
  return {
    name: steps.at(-1) ?? "",
    type,
    doc: docOf(resource, binding),
    check: binding.schema,
    required: required ? true : undefined,
    optional: required ? undefined : true,
    // Computed too: an undeclared attribute may still be shown, as after an import.
    computed: required || isLocal ? undefined : true,
  };
}

function docOf(resource: Resource, { path, schema }: AttributeBinding): string {
  const parent = resource.parents.find(({ attribute }) => attribute === path);
  if (parent !== undefined) return `ID of its ${parent.type}.`;
  const text = schema?.description ?? "";
  // Terraform tells a provider no logical name, and takes no word that is for manifests.
  const own = text.replace(/; (its logical name|in a manifest).*$/, ".");
  if (schema === undefined || !isMixedList(schema)) return own;
  return `${own} A list of texts; an object in it is sent as it is written.`;
}

export const generatedType: TerraformType = objectOf({ length: "number" });
export const generatedCheck = z.object({ length: countCheck(generatedLengths.from, generatedLengths.to) });

function secretAttributes(resource: Resource, secret: SecretBinding): readonly AttributeSchema[] {
  const { path, name, writeOnlyName, versionName } = secret;
  const doc = resource.schema.shape[path]?.description ?? "";
  return [
    optional(
      name,
      "string",
      `${doc.split(":")[0] ?? ""}. Terraform keeps it in its state; \`${writeOnlyName}\` is kept nowhere.`,
      { sensitive: true },
    ),
    optional(
      writeOnlyName,
      "string",
      `As \`${name}\`, but never stored. Sent when \`${versionName}\` changes.`,
      { writeOnly: true },
    ),
    optional(versionName, "number", `Raise it to send \`${writeOnlyName}\` again.`),
    optional(
      generatedName,
      generatedType,
      `Has the provider make the value up: a random text of \`length\` characters, from ${generatedLengths.from} to ${generatedLengths.to}. It is made ` +
        `once and stored nowhere else. Another \`length\`, or \`-replace\`, makes a new value. One that is imported, or changed outside, stays.`,
      { check: generatedCheck },
    ),
  ];
}

import * as z from "zod";
import type { Resource } from "../../api/reads";
import type { ComputedRule } from "../../model/resource-type";
import { generatedName, protectionAttribute, snakeCase, timeoutNames } from "../../model/text";
import { generatedLengths } from "../../model/value";
import { mapOf, objectOf, type PathSteps, type TerraformType } from "../values";
import {
  type AttributeSchema,
  type BlockSchema,
  computed as computedAttribute,
  countCheck,
  durationCheck,
  isMixedList,
  optional,
  versionCheck,
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

/** An attribute that the service decides. */
export interface ComputedBinding extends AttributeBinding {
  readonly rule: ComputedRule;
}

/** A secret: a sensitive attribute, or a write-only one with the version that says when to send it again. */
export interface SecretBinding {
  readonly path: string;
  readonly name: string;
  readonly writeOnlyName: string;
  readonly versionName: string;
}

/** All that the block of a resource type is made of. */
export interface ResourceBindings {
  readonly resource: Resource;
  /** Attributes that may be declared, secrets left out. */
  readonly declared: readonly AttributeBinding[];
  /** Attributes that the service decides and keeps until something is written. */
  readonly computed: readonly ComputedBinding[];
  readonly secrets: readonly SecretBinding[];
  /** A type that runs because others change: `triggers` says when, and `up_to_date` whether it has to. */
  readonly reacts: boolean;
  /** A run makes its changes take effect: `revision` moves with them. */
  readonly isDeployed: boolean;
  /** It is deleted for itself, and what it holds is lost: `deletion_protection` can keep it. */
  readonly isProtectable: boolean;
}

/** Returns the block of a resource type. */
export function blockOf(bindings: ResourceBindings): BlockSchema {
  const { resource, declared, computed, secrets, reacts, isDeployed, isProtectable } = bindings;
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
      ...(reacts ? [triggers] : []),
      ...(isProtectable ? [deletionProtection(resource)] : []),
      ...(reacts ? [upToDate] : []),
      ...(isDeployed ? [revision] : []),
      ...computed.map(({ steps, type, rule }) => ({
        name: steps[0] ?? "",
        type,
        doc: rule.doc,
        computed: true as const,
        ...(rule.pinnedBy !== undefined && {
          optional: true as const,
          check: declared.find(({ path }) => path === rule.pinnedBy)?.schema,
        }),
      })),
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

/** The attribute that says whether a resource has to run again. */
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
    `True: no plan may delete or replace this ${type}, until an apply has set it to false. Default: false.`,
  );

export const timeouts = {
  name: "timeouts",
  block: {
    doc: "How long to wait for the service, such as `45m`.",
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
    ...(binding.schema && { check: binding.schema }),
    ...(required ? { required: true } : { optional: true }),
    // Computed too: what is not declared may still be shown, as after an import.
    ...(!required && !isLocal && { computed: true }),
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

/** The type of a value that is made up, and what judges one. */
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
    optional(versionName, "number", `Raise it to send \`${writeOnlyName}\` again.`, { check: versionCheck }),
    optional(
      generatedName,
      generatedType,
      `Has the provider make the value up: a random text of \`length\` characters, from ${generatedLengths.from} to ${generatedLengths.to}. It is made ` +
        `once and stored nowhere else; another length, or a value that was changed outside, makes a new one.`,
      { check: generatedCheck },
    ),
  ];
}

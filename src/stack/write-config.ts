import { type Address, nameOf } from "../model/address";
import { append } from "../model/collections";
import type { DesiredAttribute, DesiredResource } from "../model/desired";
import { isSetting, type ResourceType } from "../model/resource-type";
import { snakeCase, terraformNameOf } from "../model/terraform-names";
import { isPlain, isReference, type Plain, Template } from "../model/value";

export interface TerraformImport {
  readonly address: Address;
  readonly type: ResourceType;
  /** The id of an `import` block: one id, or several with slashes. */
  readonly importId: string;
  /** Writes its resource block, too. */
  readonly desired?: DesiredResource;
}

/** The text of `import` blocks, each with its resource block where one is declared, in HCL as `terraform fmt` leaves it. */
export function terraformConfig(imports: readonly TerraformImport[], labels = labelsOf(imports)): string {
  return imports
    .flatMap((one) => {
      const own = `import {\n  to = ${labels.get(one.address)}\n  id = ${quoted(one.importId)}\n}\n`;
      return one.desired === undefined ? [own] : [own, resourceBlock(one, one.desired, imports, labels)];
    })
    .join("\n");
}

/** `rnv_service.shop_api` by address: letters, digits and _, each once. */
function labelsOf(imports: readonly TerraformImport[]): ReadonlyMap<Address, string> {
  const labels = new Map<Address, string>();
  const taken = new Set<string>();
  for (const { address, type } of imports) {
    const name = nameOf(address).replaceAll(/[^A-Za-z0-9_-]/g, "_");
    const wanted = `${terraformNameOf(type)}.${/^[A-Za-z_]/.test(name) ? name : `_${name}`}`;
    let label = wanted;
    for (let n = 2; taken.has(label); n += 1) label = `${wanted}_${n}`;
    taken.add(label);
    labels.set(address, label);
  }
  return labels;
}

type Labels = ReadonlyMap<Address, string>;

interface HclLine {
  readonly name: string;
  readonly value: string;
}

function resourceBlock(
  { address, type }: TerraformImport,
  desired: DesiredResource,
  imports: readonly TerraformImport[],
  labels: Labels,
): string {
  const [kind = "", label = ""] = (labels.get(address) ?? "").split(".");
  const lines: HclLine[] = [];
  const groups = new Map<string, HclLine[]>();
  for (const [path, { value }] of desired.attributes) {
    const line = lineOf(type, path, value, labels);
    const [group = "", field] = path.split(".");
    if (line === undefined) continue;
    if (field === undefined || !isSetting(type, path)) lines.push(line);
    else append(groups, group, { ...line, name: snakeCase(field) });
  }
  const blocks = [...groups].map(
    ([group, fields]) => `  ${snakeCase(group)} {\n${aligned(fields, "    ")}  }\n`,
  );
  const followed = desired.dependsOn.filter((other) => other !== desired.parent && labels.has(other));
  const order = followed.filter((other) => !refersTo(desired, other)).map((other) => labels.get(other));
  if (order.length > 0) lines.push({ name: "depends_on", value: `[${order.join(", ")}]` });
  // A deployment reacts to its service and its variables, a layout to new services.
  const triggers = imports.flatMap((one): HclLine[] => {
    const isSibling = type.follows.includes(one.type.type) && one.desired?.parent === desired.parent;
    if (!type.reacts || !(isSibling || (type.runs && one.address === desired.parent))) return [];
    const [, name = ""] = labels.get(one.address)?.split(".") ?? [];
    return [{ name, value: `${labels.get(one.address)}.${type.runs ? "revision" : "id"}` }];
  });
  if (triggers.length > 0) blocks.unshift(`  triggers = {\n${aligned(triggers, "    ")}  }\n`);
  const parts = [aligned(lines, "  "), ...blocks, ...lifecycleBlock(desired)].filter((part) => part !== "");
  return `resource ${quoted(kind)} ${quoted(label)} {\n${parts.join("\n")}}\n`;
}

const refersTo = ({ attributes }: DesiredResource, address: Address): boolean =>
  [...attributes.values()].some(
    ({ value }) => value instanceof Template && value.references.some((one) => one.address === address),
  );

/** A secret keeps its value: none is written into a configuration. */
function lineOf(
  type: ResourceType,
  path: string,
  value: DesiredAttribute["value"],
  labels: Labels,
): HclLine | undefined {
  const name = snakeCase(path);
  const preserved = type.preservedBy && snakeCase(type.preservedBy);
  if (type.rules[path]?.secret === true)
    return preserved ? { name: preserved, value: "true # to set it: value_wo, or value" } : undefined;
  if (value instanceof Template) return { name, value: templateText(value, labels) };
  return isPlain(value) && value !== null ? { name, value: literal(value, "  ") } : undefined;
}

function templateText({ parts }: Template, labels: Labels): string {
  const expressions = parts.map((part) =>
    typeof part === "object" && isReference(part)
      ? `${labels.get(part.address) ?? part.address}.${snakeCase(part.attribute)}`
      : undefined,
  );
  const [only] = expressions;
  if (expressions.length === 1 && only !== undefined) return only;
  const texts = parts.map((part, at) => {
    const expression = expressions[at];
    return expression === undefined ? escapeHcl(typeof part === "string" ? part : "") : `\${${expression}}`;
  });
  return `"${texts.join("")}"`;
}

const lifecycleBlock = ({ lifecycle }: DesiredResource): readonly string[] => {
  const ignored = lifecycle.ignoreChanges.map((path) => path.split(".").map(snakeCase).join("."));
  const lines: readonly HclLine[] = [
    ...(lifecycle.preventDestroy ? [{ name: "prevent_destroy", value: "true" }] : []),
    ...(ignored.length > 0 ? [{ name: "ignore_changes", value: `[${ignored.join(", ")}]` }] : []),
  ];
  return lines.length === 0 ? [] : [`  lifecycle {\n${aligned(lines, "    ")}  }\n`];
};

/** Equals signs of one block stand below each other. */
function aligned(lines: readonly HclLine[], indent: string): string {
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  return lines.map(({ name, value }) => `${indent}${name.padEnd(width)} = ${value}\n`).join("");
}

function literal(value: Plain, indent: string): string {
  if (typeof value === "string") return quoted(value);
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(", ")}]`;
  const inner = `${indent}  `;
  const fields = Object.entries(value).map(
    ([key, one]) => `${inner}${quoted(key)} = ${literal(one as Plain, inner)}\n`,
  );
  return fields.length === 0 ? "{}" : `{\n${fields.join("")}${indent}}`;
}

const quoted = (text: string): string => `"${escapeHcl(text)}"`;

/** HCL knows fewer escapes than JSON, and reads `${` and `%{` as templates. */
const escapeHcl = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/\\[bf]/g, (found) => (found === "\\b" ? "\\u0008" : "\\u000c"))
    .replaceAll(/([$%])\{/g, "$1$1{");

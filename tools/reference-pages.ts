import { dataSources, ephemeralResources } from "../src/terraform/data-sources";
import { functions } from "../src/terraform/functions";
import { shapes } from "../src/terraform/provider";
import { providerSchema } from "../src/terraform/rpc/configure-provider";
import { importForm } from "../src/terraform/rpc/resource-state";
import type { AttributeSchema, BlockSchema, Schema } from "../src/terraform/schema/block";
import type { TerraformType } from "../src/terraform/values/terraform-value";
import { variablesSchema } from "../src/terraform/variables/variables";

/** The reference of the provider by file name, all of it made from the schemas that Terraform is given. */
export function referencePages(): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  pages.set("provider.md", page("Provider rnv", providerSchema));
  const addResource = (schema: Schema, form: string): void => {
    const text = page(`Resource ${schema.name}`, schema, importText(schema.name, form));
    pages.set(`resource-${schema.name}.md`, text);
  };
  for (const shape of shapes) addResource(shape, importForm(shape.resource));
  addResource(variablesSchema, "PROJECT/SERVICE");
  for (const schema of dataSources)
    pages.set(`data-${schema.name}.md`, page(`Data source ${schema.name}`, schema));
  for (const schema of ephemeralResources)
    pages.set(`ephemeral-${schema.name}.md`, page(`Ephemeral resource ${schema.name}`, schema));
  pages.set("functions.md", functionsPage());
  return pages;
}

function page(title: string, { block }: Schema, more = ""): string {
  return `# ${title}\n\n${block.doc}\n\n${blockText(block)}${more}`;
}

function blockText(block: BlockSchema): string {
  const sections: readonly (readonly [string, readonly AttributeSchema[]])[] = [
    ["Required", block.attributes.filter(({ required }) => required)],
    ["Optional", block.attributes.filter(({ optional }) => optional)],
    ["Read only", block.attributes.filter(({ required, optional }) => !required && !optional)],
  ];
  const own = sections
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => `## ${title}\n\n${table(rows)}`);
  const nested = (block.groups ?? []).map(
    (group) => `## Block \`${group.name}\`\n\n${group.block.doc}\n\n${table(group.block.attributes)}`,
  );
  return `${[...own, ...nested].join("\n")}`;
}

const table = (rows: readonly AttributeSchema[]): string =>
  `| attribute | type | meaning |\n| --- | --- | --- |\n${rows.map(row).join("")}`;

function row({ name, type, doc, sensitive, writeOnly }: AttributeSchema): string {
  const traits = [writeOnly ? "write-only" : undefined, sensitive ? "sensitive" : undefined];
  const marks = traits.filter((one) => one !== undefined).map((one) => ` *${one}*`);
  return `| \`${name}\` | ${cell(typeText(type))}${marks.join("")} | ${cell(doc)} |\n`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const importText = (name: string, form: string): string =>
  `\n## Import\n\nBy id, or by names:\n\n\`\`\`sh\nterraform import ${name}.this ${form}\n\`\`\`\n`;

function functionsPage(): string {
  const texts = functions.map(({ name, doc, parameters, returns }) => {
    const rows = parameters.map(
      (one) => `| \`${one.name}\` | ${cell(typeText(one.type))} | ${cell(one.doc)} |\n`,
    );
    const call = `provider::rnv::${name}(${parameters.map((one) => one.name).join(", ")})`;
    return (
      `## ${name}\n\n\`${call}\` returns ${cell(typeText(returns))}.\n\n${doc}\n\n` +
      `| parameter | type | meaning |\n| --- | --- | --- |\n${rows.join("")}`
    );
  });
  return `# Functions\n\n${texts.join("\n")}`;
}

/** Returns a type in words: `list(string)`. */
function typeText(type: TerraformType): string {
  if (typeof type === "string") return type === "dynamic" ? "any" : type;
  if (type[0] === "object") {
    const fields = Object.entries(type[1]).map(([name, field]) => `${name}: ${typeText(field)}`);
    return `object({${fields.join(", ")}})`;
  }
  if (type[0] === "tuple") return `tuple([${type[1].map(typeText).join(", ")}])`;
  return `${type[0]}(${typeText(type[1])})`;
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ZodType } from "zod";
import { gaps } from "../../src/api/gaps";
import * as shapes from "../../src/api/wire/shapes";
import { partsOf, wireFields } from "../../tools/docs/wire-fields";

/** DESIGN section 6: the meaning of every field that `src` reads is a sentence of the interface, or an entry of `gaps.ts`. */
const fields = wireFields();
const nameOf = ({ schema, name }: (typeof fields)[number]): string => `${schema}.${name}`;

/** Names of all fields in a schema. */
function namesIn(schema: ZodType): readonly string[] {
  const { shape, def } = schema as unknown as {
    readonly shape?: Readonly<Record<string, ZodType>>;
    readonly def?: { readonly innerType?: ZodType; readonly element?: ZodType; readonly valueType?: ZodType };
  };
  const inner = def?.innerType ?? def?.element ?? def?.valueType;
  if (inner) return namesIn(inner);
  return Object.entries(shape ?? {}).flatMap(([name, field]) => [name, ...namesIn(field)]);
}

describe("the fields of answers", () => {
  it("are all found in the text of shapes.ts", () => {
    const found = new Set(fields.map(({ name }) => name));
    const schemas = Object.values(shapes).filter((one) => typeof one === "object" && "def" in one);
    expect(schemas.length).toBeGreaterThan(20);
    const names = schemas.flatMap((schema) => namesIn(schema as ZodType));
    expect(names.filter((name) => !found.has(name))).toEqual([]);
  });

  it("each have a sentence of the interface, or an entry of gaps.ts", () => {
    const parts = fields.map((field) => ({ name: nameOf(field), ...partsOf(field.meaning) }));
    expect(parts.filter((one) => one.sentences.length + one.gaps.length === 0)).toEqual([]);
    const named = parts.flatMap((one) => one.gaps);
    expect(named.filter((gap) => !Object.hasOwn(gaps, gap))).toEqual([]);
  });
});

const document = resolve(__dirname, "../../../shared/service-interface.md");

/** The document is no part of the repository: the sentences are compared where it lies beside it. */
(existsSync(document) ? it : it.skip)("each sentence is one of the interface", () => {
  const plain = (text: string): string => text.replaceAll("`", "").replace(/\s+/g, " ");
  const all = plain(readFileSync(document, "utf8"));
  const sentences = new Set(fields.flatMap(({ meaning }) => partsOf(meaning).sentences));
  expect([...sentences].filter((sentence) => !all.includes(plain(sentence)))).toEqual([]);
});

const source = resolve(__dirname, "../../src");
const without = /^(emulator|(cdktf|commands)\/generated)\/|^api\/(wire\/shapes|gaps)\.ts$/;

/** Data sources show every field of these (`resources/read-listing.ts`); of the nodes of a canvas, what is read besides. */
const shown = new Set([
  ...["catalog", "plan", "deployment", "deploymentsAnswer"],
  ...["canvas", "canvasEdge", "canvasGroup", "canvasLayout"],
]);

it("each field of an answer is read", () => {
  const text = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !without.test(file))
    .map((file) => readFileSync(join(source, file), "utf8").replace(/^\s*(\/?\*|\/\/).*$/gm, ""))
    .join("\n");
  // A search of words: a field that has the name of something else counts as read. A computed attribute reads its field.
  const isRead = (name: string): boolean =>
    new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\s*(?:[,}=]|: \\w+\\s*[,}=]|: \\{\\s*valueType)`).test(text);
  expect(fields.filter(({ schema, name }) => !shown.has(schema) && !isRead(name)).map(nameOf)).toEqual([]);
});

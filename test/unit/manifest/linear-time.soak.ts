import { countWork } from "../../support/count-work";
import { loadStackJson } from "../stack/load-stack";
import { loadText, removeFolders } from "./load";

afterAll(removeFolders);

/** Characters; the work for a text four times as long is compared with it: a square would be sixteen times as much. */
const short = 3_000;

const repeated = (piece: string, characters: number): string =>
  piece.repeat(Math.ceil(characters / piece.length));
const each = (characters: number, line: (i: number) => string): string => {
  const lines: string[] = [];
  for (let left = characters, i = 0; left > 0; i += 1) {
    const next = line(i);
    lines.push(next);
    left -= next.length;
  }
  return lines.join("");
};
const service = (rest: string): string =>
  `projects:\n  shop:\n    services:\n      b: { kind: web }\n      api:\n        kind: web\n${rest}`;

const texts: readonly (readonly [string, (characters: number) => string])[] = [
  ["wrong escapes in one quoted text", (n) => `a: "${repeated("\\q", n)}"\n`],
  ["escapes without their digits", (n) => `a: "${repeated("\\u", n)}"\n`],
  ["escapes in a quoted text that is not closed", (n) => `a: "${repeated("\\q", n)}\n`],
  ["quoted texts on one line, in a bracket that is not closed", (n) => `a: [ ${repeated('"a", ', n)}}\n`],
  ["quoted texts on one line, and text after them", (n) => `a: [${repeated('"c", ', n)}] y\n`],
  ["quoted texts on many lines, and text after the last", (n) => `${repeated('"b": "c"\n', n)}d: "x" y\n`],
  ["closing brackets", (n) => `a: ${repeated("]", n)}\n`],
  ["lines that are indented by tabs", (n) => `a:\n${repeated("\tb: 1\n", n)}`],
  [
    "a key that is repeated, after many lines",
    (n) => `${each(n, (i) => `k${i}: 1\n`)}${repeated("k: 1\n", n)}`,
  ],
  [
    "aliases of anchors with other names",
    (n) => `x: [${each(n, (i) => `&anchor${i} 1, `)}]\ny: [${each(n, (i) => `*anhcor${i}, `)}]\n`,
  ],
  ["a reference of many words", (n) => `outputs: { a: "\${service.${repeated("a.", n)}id}" }\n`],
  [
    "references that escapes hide",
    (n) => service(`        variables:\n          A: "${repeated("$\\u007bservice.shop.b.id}", n)}"\n`),
  ],
  [
    "references that escapes hide, outside of secrets",
    (n) => service(`        name: "${repeated("$\\u007benv.HOME}", n)}"\n`),
  ],
  [
    "references to what is not declared",
    (n) => service(`        variables:\n${each(n, (i) => `          A${i}: "\${service.shop.x${i}.id}"\n`)}`),
  ],
  ["attributes that a service does not have", (n) => service(each(n, (i) => `        key${i}: 1\n`))],
];

const stack = (value: string, rest: object = {}): string =>
  JSON.stringify({ ...rest, resource: { rnv_project: { shop: { name: value } } } });
const named = (n: number, of: (i: number) => [string, unknown]): object =>
  Object.fromEntries(Array.from({ length: n / 30 }, (_, i) => of(i)));

const stacks: readonly (readonly [string, (characters: number) => string])[] = [
  ["a reference of many steps", (n) => stack(`\${${repeated("a.", n)}id}`)],
  ["references to what is not declared", (n) => stack(repeated("${local.nope}", n))],
  ["one object whose entries stand on lines", (n) => stack(`\${jsonencode({${repeated("a = 1\n", n)}})}`)],
  [
    "outputs of locals with other names",
    (n) =>
      stack("x", {
        output: named(n, (i) => [`o${i}`, { value: `\${local.loc${i}}` }]),
        locals: named(n, (i) => [`lco${i}`, "x"]),
      }),
  ],
];

it.each(texts)("the work for %s grows as their length", async (_what, textOf) => {
  const environment = { HOME: "/home" };
  // Once before, so that what is made once for all is made.
  await loadText(textOf(short), { environment });
  const once = await countWork(() => loadText(textOf(short), { environment }));
  const fourfold = await countWork(() => loadText(textOf(4 * short), { environment }));
  expect(fourfold).toBeLessThan(10 * once);
});

it.each(stacks)("the work for a stack with %s grows as its length", async (_what, textOf) => {
  const load = (characters: number) => loadStackJson(textOf(characters));
  await load(short);
  const once = await countWork(() => load(short));
  const fourfold = await countWork(() => load(4 * short));
  expect(fourfold).toBeLessThan(10 * once);
});

it("locals that name each other twice, or fifty deep, are an error and no bomb", async () => {
  const chain = (length: number, of: (next: string) => string): object =>
    Object.fromEntries(
      Array.from({ length }, (_, i) => [`l${i}`, i === length - 1 ? "x" : of(`\${local.l${i + 1}}`)]),
    );
  const codes = async (locals: object): Promise<string[]> =>
    (await loadStackJson(stack("${local.l0}", { locals }))).diagnostics.map(({ code }) => code);
  expect(await codes(chain(40, (next) => next))).toEqual([]);
  expect(await codes(chain(5_000, (next) => next))).toEqual(["stack.too_large"]);
  // The text would have more than 16 MiB.
  expect(await codes(chain(40, (next) => next + next))).toEqual(["stack.invalid_value"]);
});

it.each([
  ["its default", { default: "${var.a}" }],
  ["its source", { sensitive: true, "//": { rnv: { source: { fromEnv: "${var.a}" } } } }],
])("a variable that stands in %s is an error and no endless loop", async (_where, variable) => {
  const { diagnostics } = await loadStackJson(stack("${var.a}", { variable: { a: variable } }));
  expect(diagnostics).toMatchObject([
    { code: "stack.reference_cycle", summary: "rnv_project.shop: var.a refers to itself" },
  ]);
});

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { newFolder } from "../support/temp-folder";
import { describeTerraform, terraformBinary, terraformVersion } from "../support/terraform";
import {
  declarations,
  hidden,
  knownLater,
  recorded,
  recordedWith,
  refused,
  resultOf,
} from "../unit/stack/expressions";

/** The results of expressions from one console of Terraform. */
function consoleResults(expressions: readonly string[]): string[] {
  const folder = newFolder("console");
  // In text of its own letters a result is one line, whatever it holds.
  const results = expressions.map((one) => `    try(base64encode(jsonencode(${one})), "${refused}"),\n`);
  writeFileSync(
    join(folder, "main.tf"),
    `${declarations}locals {\n  results = [\n${results.join("")}  ]\n}\n`,
  );
  const { status, stdout, stderr } = spawnSync(terraformBinary as string, ["console", "-no-color"], {
    cwd: folder,
    encoding: "utf8",
    input: "local.results\n",
    env: { PATH: process.env.PATH, CHECKPOINT_DISABLE: "1", HOME: folder },
  });
  const lines = stdout.trim().split("\n").slice(1, -1);
  if (status !== 0 || lines.length !== expressions.length) throw new Error(stderr + stdout);
  return lines.map((line) => {
    const result = line
      .trim()
      .replace(/,$/, "")
      .replace(/^"(.*)"$/, "$1");
    return [refused, knownLater, hidden].includes(result)
      ? result
      : Buffer.from(result, "base64").toString("utf8");
  });
}

/** Newer cores give a result where older ones only fail. */
const failsOnlyHere = (expression: string, found = ""): boolean =>
  found === refused &&
  (/contains\(.*null/.test(expression) ||
    (terraformVersion < recordedWith && /&&|\|\||element\(|contains\(/.test(expression)));

const literal = fc.oneof(
  // Numbers whose sums and products are exact in JavaScript, and so the same.
  fc.constantFrom("true", "false", "0", "1", "-1", "2.5", "0.25", "1e3", '""', '"a"', '"2"', '"true"', '"É"'),
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.constantFrom(
    '"a,b"',
    "[]",
    "{}",
    '["b", "a"]',
    "[1, 2, 3]",
    "{ a = 1, b = 2 }",
    "var.s",
    "(terraform_data.u.id)",
  ),
);

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  const call = (names: readonly string[], ...args: fc.Arbitrary<string>[]) =>
    fc
      .tuple(fc.constantFrom(...names), fc.tuple(...args))
      .map(([name, given]) => `${name}(${given.join(", ")})`);
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { arbitrary: literal, weight: 3 },
      call(
        ["upper", "lower", "length", "tostring", "tonumber", "tobool", "tolist", "base64encode", "keys"],
        inner,
      ),
      call(
        ["jsonencode", "reverse", "values", "tomap", "abs", "floor", "trimspace", "compact", "sort"],
        inner,
      ),
      call(["join", "split", "element", "concat", "merge", "coalesce", "contains", "max"], inner, inner),
      call(["lookup", "replace", "substr", "coalesce"], inner, inner, inner),
      fc
        .tuple(fc.constantFrom("%s", "%d", "%5v", "%-4s|", "%.2f", "%05d", "%q"), inner)
        .map(([verb, one]) => `format("${verb}", ${one})`),
      fc
        .tuple(inner, fc.constantFrom("+", "-", "*", "==", "!=", "<", ">=", "&&", "||"), inner)
        .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(inner, inner).map(([a, b]) => `"\${${a}}-\${${b}}"`),
      fc.tuple(inner, inner).map(([a, b]) => `[${a}, ${b}]`),
      fc.tuple(inner, inner).map(([a, b]) => `{ a = ${a}, b = ${b} }`),
      fc.tuple(inner, inner).map(([a, b]) => `${a}[${b}]`),
      inner.map((one) => `(${one}).a`),
      inner.map((one) => `[for x in ${one} : x]`),
      inner.map((one) => `!(${one})`),
    ),
  };
});

describeTerraform("expressions in Terraform's console", () => {
  it("are what is recorded of them", () => {
    const found = consoleResults(recorded.map(([one]) => one));
    const passedOver = recorded.map(([one, result], i) => [
      one,
      failsOnlyHere(one, found[i]) ? result : found[i],
    ]);
    expect(passedOver).toEqual(recorded);
  }, 60_000);

  it("are what we make of them, whatever they are", () => {
    const seed = Number(process.env.RNV_SEED ?? 1);
    const expressions = fc.sample(expression, { numRuns: 400, seed });
    const found = consoleResults(expressions);
    const other = expressions.flatMap((one, i) => {
      const ours = resultOf(one);
      // Of what is known later Terraform knows the type, and we wait: the moment of an answer may be another.
      const waits =
        one.includes("terraform_data") && (found[i] === knownLater || [knownLater, hidden].includes(ours));
      const isSame = ours === found[i] || waits || failsOnlyHere(one, found[i]);
      return isSame ? [] : [{ seed, expression: one, terraform: found[i], ours }];
    });
    expect(other).toEqual([]);
  }, 60_000);
});

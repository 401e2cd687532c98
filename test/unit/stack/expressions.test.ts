import { filled, text } from "../../../src/stack/language/expression-value";
import { evaluated, recorded, resultOf } from "./expressions";

describe("expressions of a stack", () => {
  it("are what they are in Terraform, each", () => {
    const other = recorded.flatMap(([expression, result]) => {
      const found = resultOf(expression);
      return found === result ? [] : [{ expression, result, found }];
    });
    expect(other).toEqual([]);
    expect(recorded.length).toBeGreaterThan(800);
  });

  it.each([
    'regex("a", "abc")',
    'regexall("a", terraform_data.u.id)',
    'can(regex("^a$", "abc"))',
    'try(replace("abc", "/a/", "x"), "y")',
    'replace(terraform_data.u.id, "/a/", "x")',
  ])("%s needs a regular expression and is refused, also inside of try and can", (expression) => {
    expect(() => evaluated(expression)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/is not supported by rnv: it needs a regular expression$/),
        kind: "unsupported",
        hint: "compute the value in the program, or run the stack with Terraform",
      }),
    );
  });

  it("refuses a pattern that is known after apply once it is known", () => {
    const value = evaluated('replace("abc", "/${terraform_data.u.id}/", "x")');
    if (value.kind !== "later") throw new Error("the value is known");
    expect(() => filled(value, () => text("a"))).toThrow("it needs a regular expression");
  });

  it.each([
    ["many operators", `1${" + 1".repeat(10_000)}`],
    ["deep brackets", "(".repeat(10_000)],
    ["deep signs", "-".repeat(10_000)],
    ["deep lists", `${"[".repeat(500)}${"]".repeat(500)}`],
    ["a wide format", 'format("%999999999d", 1)'],
    ["a large range", "range(1000000)"],
    ["a large number", "1e999999999"],
    ["a text that grows", `${"replace(".repeat(20)}"aaaaaaaaaa"${', "a", "aaaaaaaaaa")'.repeat(20)}`],
  ])("%s end as an error", (_what, expression) => {
    expect(resultOf(expression)).toBe("(error)");
  });
});

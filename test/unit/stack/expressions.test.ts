import { join } from "node:path";
import { rowsIn } from "../../support/rows";
import { evaluated, recorded, resultOf } from "./expressions";

describe("expressions of a stack", () => {
  it("have the values of Terraform, each", () => {
    const other = recorded.flatMap(([expression, result]) => {
      const found = resultOf(expression);
      return found === result ? [] : [{ expression, result, found }];
    });
    expect(other).toEqual([]);
    expect(recorded.length).toBe(791);
  });

  it.each(rowsIn(join(__dirname, "refused-functions.tsv")))(
    "%s is refused, also inside of try and can: the program computes it",
    (expression, what) => {
      expect(() => evaluated(expression)).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(`${what} is not supported by rnv`),
          code: "stack.unsupported",
          hint: expect.stringContaining("compute it in the program, or run the stack with Terraform"),
        }),
      );
    },
  );

  it.each(rowsIn(join(__dirname, "large-numbers.tsv")))(
    "%s is refused: JavaScript does not hold the number exactly",
    (expression) => {
      expect(() => evaluated(expression)).toThrow(
        expect.objectContaining({
          message: expect.stringContaining("a whole number beyond 2^53 is not supported by rnv"),
          code: "stack.unsupported",
        }),
      );
    },
  );

  it.each(["0.1 + 0.2", "floor(100 * 1.15)", "0.3 / 0.1", "1 % 0.1", "sum([1.1, 2.2])"])(
    "%s is refused: Terraform calculates with more digits",
    (expression) => {
      expect(() => evaluated(expression)).toThrow(
        expect.objectContaining({
          message: expect.stringContaining("a fraction of more than 15 digits is not supported by rnv"),
          code: "stack.unsupported",
        }),
      );
    },
  );

  it("fractions of few digits and quotients of whole numbers are calculated", () => {
    expect(
      resultOf('"${1.5 * 3} ${2.5 - 0.25} ${floor(10 / 3)} ${format("%.2f", 2 / 3)} ${sum([0.5, 1])}"'),
    ).toBe('"4.5 2.25 3 0.67 1.5"');
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

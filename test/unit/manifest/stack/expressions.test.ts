import { recorded, resultOf } from "./expressions";

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

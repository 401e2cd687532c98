import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mutantsOf, mutate, mutationsOf } from "./mutations";
import { draw, mutantsIn, source } from "./sample";
import { acceptedSurvivors, changeOf } from "./survivors";
import { openTree } from "./tree";

/** Every text that a text becomes. */
const mutated = (text: string): readonly string[] =>
  mutationsOf(text).map((mutation) => mutate(text, mutation));

describe("the operators of the mutants", () => {
  it.each([
    ["a boundary and a negation", "ok(a < b);", ["ok(a <= b);", "ok(a >= b);"]],
    ["an equality", "ok(a === b);", ["ok(a !== b);"]],
    ["a logical operator", "ok(a && b);", ["ok(a || b);"]],
    ["a default", "ok(a ?? b);", ["ok(a && b);"]],
    ["arithmetic", "x = a - b;", ["x = a + b;"]],
    ["a step", "n++;", ["n--;"]],
    ["a negation", "ok(!a);", ["ok(a);"]],
    ["a boolean", "ok(true);", ["ok(false);"]],
    ["a string", "ok('a');", ['ok("");']],
    ["an array", "x = [a];", ["x = [];"]],
    ["an optional member", "x = a?.b;", ["x = a.b;"]],
    ["an optional item", "x = a?.[0];", ["x = a[0];"]],
    ["an optional call", "x = a?.();", ["x = a();"]],
    ["a condition", "x = a ? b : c;", ["x = true ? b : c;", "x = false ? b : c;"]],
    ["a loop", "while (a) b = c;", ["while (false) b = c;"]],
    ["a method", "x = a.some(b);", ["x = a.every(b);"]],
    ["a method that chooses", "x = a.filter(b).c;", ["x = a.c;"]],
    ["a block", "if (a) { b = c; }", ["if (true) { b = c; }", "if (false) { b = c; }", "if (a) {}"]],
  ])("change %s", (_, text, expected) => {
    const wrapped = expected.map((changed) => changed.replace(/^ok\((.*)\);$/, "x = y($1);"));
    expect([...mutated(text.replace(/^ok\((.*)\);$/, "x = y($1);"))].sort()).toEqual([...wrapped].sort());
  });

  it("take a call and an awaited call away", () => {
    expect(mutated("save(a);")).toEqual([";"]);
    expect(mutated("async () => { await save(a); };")).toEqual(["async () => {};", "async () => { ; };"]);
  });

  it("leave a method that every object has alone", () => {
    expect(mutated("x = a.toString(b);")).toEqual([]);
  });

  it("leave types, imports, keys and texts for people alone", () => {
    const text = [
      'import { a } from "b";',
      'export { c } from "d";',
      'type T = "e" | true | ["f"];',
      "const g = { 'h-i': 1 };",
      'throw new Error("not for a machine");',
    ].join("\n");
    expect(mutated(text)).toEqual([]);
  });

  it("make nothing that does not parse", () => {
    expect(mutated("x = (a && b) ?? c;")).toContain("x = (a || b) ?? c;");
    expect(mutated("x = a || b || c;")).toEqual(["x = a && b || c;", "x = a || b && c;"]);
    expect(mutated("x = a ?? b ?? c;")).toEqual([]);
  });

  it("count characters, not bytes", () => {
    expect(mutated('// ä 🙂\nx = y("ü") === z;')).toEqual([
      '// ä 🙂\nx = y("") === z;',
      '// ä 🙂\nx = y("ü") !== z;',
    ]);
  });
});

describe("the sample of mutants", () => {
  const text = readFileSync(join(source, "apply/journaled-send.ts"), "utf8");

  it("names a mutant by its line, wherever that stands", () => {
    const names = mutantsOf("apply/journaled-send.ts", text).map(({ id }) => id);
    expect(new Set(names).size).toBe(names.length);
    expect(mutantsOf("apply/journaled-send.ts", `// One line more.\n${text}`).map(({ id }) => id)).toEqual(
      names,
    );
  });

  it("draws the same mutants for the same seed, and keeps them when others come", () => {
    const all = mutantsOf("apply/journaled-send.ts", text);
    const drawn = draw(all, 5, "1");
    expect(draw([...all].reverse(), 5, "1")).toEqual(drawn);
    expect(draw(all, 6, "1").slice(0, 5)).toEqual(drawn);
    expect(draw(all, 5, "2")).not.toEqual(drawn);
  });

  it("finds the mutants of every file that a path begins", () => {
    const files = new Set(mutantsIn("state", "state/remote/remote-").map(({ file }) => file));
    expect([...files]).toEqual(["state/remote/remote-backend.ts", "state/remote/remote-store.ts"]);
  });

  it("accepts survivors only with a reason", () => {
    expect(acceptedSurvivors("# all\na/b.ts 0123abcd x [< -> <=] y: nothing is equal\n")).toEqual([
      { file: "a/b.ts", id: "0123abcd", reason: "nothing is equal" },
    ]);
    expect(() => acceptedSurvivors("a/b.ts 0123abcd x [< -> <=] y:")).toThrow('not "FILE ID CHANGE: REASON"');
    expect(() => acceptedSurvivors()).not.toThrow();
  });

  it("shows a change within its line", () => {
    const [, first] = mutantsOf("a.ts", "const f = () => {\n  if (left <= 0) return undefined;\n};");
    expect(first && changeOf(first)).toBe("if ([left <= 0 -> true]) return undefined;");
  });
});

describe("a copy of the tree", () => {
  it("that is closed while programs write into it leaves nothing", async () => {
    const tree = openTree(["package.json"]);
    const write = 'for (let n = 0; ; n++) require("node:fs").mkdirSync("made/" + n, { recursive: true });';
    const start = `require("node:child_process").spawn(process.execPath, ["-e", '${write}'], { stdio: "ignore" });`;
    let hasEnded = false;
    void tree.run({ silenceMs: 30_000, totalMs: 30_000 }, {}, "-e", start + write).then(() => {
      hasEnded = true;
    });
    while (!existsSync(join(tree.folder, "made/2000"))) await new Promise((done) => setTimeout(done, 10));
    await tree.close();
    expect([existsSync(tree.folder), hasEnded]).toEqual([false, false]);
  });
});

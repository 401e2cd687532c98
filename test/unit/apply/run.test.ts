import { knownAttributes, knownValue, runTasks, schedule } from "../../../src/apply/run";
import type { Address } from "../../../src/model/address";
import { Secret } from "../../../src/model/secret";
import { GeneratedSecret, type Plain, Template, UnreadSecret } from "../../../src/model/value";
import type { Change, Plan } from "../../../src/plan/plan";
import { api, changeOf, recordOf, shop } from "./fixtures";

interface Job {
  readonly id: string;
  readonly dependsOn: readonly string[];
}
const job = (id: string, ...dependsOn: readonly string[]): Job => ({ id, dependsOn });

/** Runs jobs, each for one turn of the loop; `failing` ones fail. */
async function scheduled(
  jobs: readonly Job[],
  more: { parallelism?: number; failing?: readonly string[]; stopAfter?: string } = {},
) {
  const log: string[] = [];
  const skipped: Record<string, readonly string[]> = {};
  let running = 0;
  let most = 0;
  await schedule(jobs, {
    parallelism: more.parallelism ?? 10,
    run: async ({ id }) => {
      running += 1;
      most = Math.max(most, running);
      log.push(id);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return !more.failing?.includes(id);
    },
    skip: ({ id }, because) => {
      skipped[id] = because;
    },
    stopped: () => more.stopAfter !== undefined && log.includes(more.stopAfter),
  });
  return { log, skipped, most };
}

describe("the tasks of a run", () => {
  it("begin as soon as all that they depend on is done, whatever else is still to come", async () => {
    const { log, skipped } = await scheduled([
      job("c", "a", "b"),
      job("a"),
      job("b", "a"),
      job("d", "elsewhere"),
    ]);
    expect(log).toEqual(["a", "d", "b", "c"]);
    expect(skipped).toEqual({});
  });

  it("run as many at once as are allowed, and one at least", async () => {
    const jobs = ["a", "b", "c", "d", "e"].map((id) => job(id));
    expect(await scheduled(jobs, { parallelism: 2 })).toMatchObject({
      most: 2,
      log: ["a", "b", "c", "d", "e"],
    });
    expect(await scheduled(jobs)).toMatchObject({ most: 5 });
    expect(await scheduled(jobs, { parallelism: 0 })).toMatchObject({
      most: 1,
      log: ["a", "b", "c", "d", "e"],
    });
  });

  it("are skipped, by the names of what failed, with all that depends on them, and nothing else is", async () => {
    const jobs = [job("a"), job("b", "a"), job("c", "b", "d"), job("d"), job("e", "d"), job("f", "b", "c")];
    const { log, skipped } = await scheduled(jobs, { failing: ["a"] });
    expect(log).toEqual(["a", "d", "e"]);
    expect(skipped).toEqual({ b: ["a"], c: ["a"], f: ["a"] });
    const both = await scheduled([job("a"), job("b"), job("c", "a", "b")], { failing: ["a", "b"] });
    expect(both.skipped).toEqual({ c: ["a", "b"] });
  });

  it("do not begin once the run has stopped; nothing is to blame for that", async () => {
    const { log, skipped } = await scheduled([job("a"), job("b", "a"), job("c", "b")], { stopAfter: "a" });
    expect({ log, skipped }).toEqual({ log: ["a"], skipped: { b: [], c: [] } });
  });

  it("give their place to others while they only wait for the service", async () => {
    const log: string[] = [];
    await schedule([job("waits"), job("next")], {
      parallelism: 1,
      run: async ({ id }, slot) => {
        log.push(`${id} begins`);
        if (id === "waits") {
          slot.release();
          await new Promise((resolve) => setImmediate(resolve));
          await slot.take();
        }
        log.push(`${id} ends`);
        return true;
      },
      ...{ skip: () => undefined, stopped: () => false },
    });
    expect(log).toEqual(["waits begins", "next begins", "next ends", "waits ends"]);
  });
});

describe("the order of a replacement", () => {
  const at = (text: string) => text as Address;
  const tasksOf = (changes: readonly Change[]) =>
    runTasks({ changes } as unknown as Plan).map(({ id, phase, dependsOn }) => ({ id, phase, dependsOn }));
  const change = (address: string, action: Change["action"], more: Partial<Change> = {}): Change =>
    ({ ...changeOf(action, undefined), address: at(address), ...more }) as Change;

  it("is its deletion, then what lies in it, then its creation", () => {
    expect(
      tasksOf([
        change(shop, "replace", { dependsOn: [at("x")], deletesAfter: [api] }),
        change(api, "replace", { dependsOn: [shop, at("y")] }),
        change("y", "update"),
      ]),
    ).toEqual([
      { id: `${shop} (delete)`, phase: "delete", dependsOn: [`${api} (delete)`, "x"] },
      { id: shop, phase: "create", dependsOn: [`${shop} (delete)`, "x"] },
      // It does not wait for the replacement of what it lies in, which waits for it.
      { id: `${api} (delete)`, phase: "delete", dependsOn: ["y"] },
      { id: api, phase: "create", dependsOn: [`${api} (delete)`, shop, "y"] },
      { id: "y", phase: "whole", dependsOn: [] },
    ]);
  });

  it("of what goes with its parent waits for the parent's deletion", () => {
    const recorded = {
      ...changeOf("replace", undefined).instance,
      recorded: recordOf("v1", { parent: api }),
    };
    const variable = change("variable.a", "replace", { withParent: true, instance: recorded });
    expect(tasksOf([change(api, "replace"), variable])[2]).toMatchObject({ dependsOn: [`${api} (delete)`] });
    expect(tasksOf([change(api, "delete"), variable])[1]).toMatchObject({ dependsOn: [api] });
    const alone = change("variable.a", "replace", { withParent: true });
    expect(tasksOf([alone])[0]).toMatchObject({ dependsOn: [] });
  });
});

describe("a declared value", () => {
  const known: Readonly<Record<string, Plain>> = { port: 3000, gone: null, name: "api" };
  const lookup = (_: Address, attribute: string) => known[attribute];
  const part = (attribute: string) => ({ address: api, attribute });
  const generate = (length: number) => new Secret("x".repeat(length));
  const value = (declared: Parameters<typeof knownValue>[0]) => knownValue(declared, lookup, generate);
  const textOf = (secret: unknown) => (secret as Secret).fingerprint(new Uint8Array(32), "a");

  it("is what it refers to, of its own type where it is that alone, and a text among others", () => {
    expect(value("x")).toBe("x");
    expect(value(new Template([part("port")], false))).toBe(3000);
    expect(value(new Template(["p:", part("port")], false))).toBe("p:3000");
    expect(value(new Template([part("name"), part("port")], false))).toBe("api3000");
  });

  it("is a secret where it stands in one, whatever it is made of", () => {
    const same = (one: unknown, text: string) => expect(textOf(one)).toBe(textOf(new Secret(text)));
    same(value(new Template([part("port")], true)), "3000");
    same(value(new Template([new Secret("a"), "-", part("name")], true)), "a-api");
    same(value(new GeneratedSecret(3)), "xxx");
  });

  it("cannot be sent where nobody knows what it refers to, or nobody read it", () => {
    for (const attribute of ["missing", "gone"])
      expect(() => value(new Template([part(attribute)], false))).toThrow(`${api}.${attribute} is not known`);
    expect(() => value(new UnreadSecret("x"))).toThrow("without them");
  });

  it("is one of all that a resource declares", () => {
    const { desired } = changeOf("create", { a: "x", b: new Template([part("port")], false) }).instance;
    expect(desired && Object.fromEntries(knownAttributes(desired, lookup, generate))).toEqual({
      a: "x",
      b: 3000,
    });
  });
});

import { type ComparedWrite, unappliedPaths, verifyApplied } from "../../../src/apply/verify";
import type { Address } from "../../../src/model/address";
import type { LiveResource } from "../../../src/model/live";
import type { AppliableValue } from "../../../src/model/resource-operations";
import { Secret } from "../../../src/model/secret";
import type { Plain } from "../../../src/model/value";
import type { Change } from "../../../src/plan/plan";
import { service } from "../../../src/resources/service";
import { variable } from "../../../src/resources/variable";

const time = "2026-01-01T00:00:00.000Z";

const answer = (attributes: Readonly<Record<string, Plain>>, updatedAt?: string): LiveResource => ({
  type: "service",
  id: "1",
  name: "api",
  parentId: null,
  attributes: new Map(Object.entries(attributes)),
  computed: new Map(),
  ...(updatedAt === undefined ? {} : { updatedAt }),
});

const write = (
  sent: Readonly<Record<string, AppliableValue>>,
  live: LiveResource,
  more: Partial<ComparedWrite> = {},
): ComparedWrite => ({
  type: service,
  sent: new Map(Object.entries(sent)),
  live,
  defaults: new Map<string, Plain>([["configuration.port", 8080]]),
  ...more,
});

/** Of a value: the answer of the platform masks it. */
const writeOfValue = (
  before: string | undefined,
  after: string | undefined,
  value = new Secret("x"),
): ComparedWrite => write({ key: "A", value }, answer({ key: "A" }, after), { type: variable, before });

// "After every write the response is compared with what was sent: a field that did not take is an error naming it" (DESIGN section 4).
describe("what an answer does not show as it was sent", () => {
  it.each<
    [string, Readonly<Record<string, AppliableValue>>, Readonly<Record<string, Plain>>, readonly string[]]
  >([
    ["nothing where it shows the same", { archived: true, name: "api" }, { archived: true, name: "api" }, []],
    [
      "a field with another value",
      { archived: true, name: "api" },
      { archived: false, name: "api" },
      ["archived"],
    ],
    ["every such field", { archived: true, name: "b" }, { archived: false, name: "a" }, ["archived", "name"]],
    ["a field that it leaves out", { name: "api" }, {}, ["name"]],
    ["no default that it leaves out", { "configuration.port": 8080 }, {}, []],
    [
      "another value than a default that it leaves out",
      { "configuration.port": 1 },
      {},
      ["configuration.port"],
    ],
    ["no field put back to its default", { "configuration.port": null }, { "configuration.port": 8080 }, []],
    [
      "a field that is not back",
      { "configuration.port": null },
      { "configuration.port": 1 },
      ["configuration.port"],
    ],
    ["no field put back that has no default", { "configuration.branch": null }, {}, []],
    [
      "a field put back that has no default",
      { "configuration.branch": null },
      { "configuration.branch": "x" },
      ["configuration.branch"],
    ],
    [
      "nothing where both mean the same",
      { "configuration.repository": "https://git.example.com/a/b" },
      { "configuration.repository": "https://git.example.com/a/b.git" },
      [],
    ],
    ["no ID of its parent", { projectId: "p" }, {}, []],
    ["no field that the type does not know", { unheardOf: 1 }, {}, []],
  ])("is %s", (_, sent, shown, paths) => {
    expect(unappliedPaths(write(sent, answer(shown)))).toEqual(paths);
  });

  it("is no field that only rnv reads", () => {
    expect(unappliedPaths(write({ preserve: true }, answer({}), { type: variable }))).toEqual([]);
  });

  it("is no field whose value may not be compared", () => {
    expect(unappliedPaths(write({ name: new Secret("x") }, answer({ name: "y" })))).toEqual([]);
  });
});

describe("the diagnostic of a write that did not take", () => {
  const change = { address: "service.api" as Address, attributes: [] } as unknown as Change;

  it("names every field, and points at the first", () => {
    const range = { file: "rnv.yaml", start: 1, end: 2 };
    const declaring = { ...change, attributes: [{ path: "name", range }] } as unknown as Change;
    expect(verifyApplied(declaring, write({ name: "a", archived: true }, answer({})))).toMatchObject({
      severity: "error",
      code: "apply.not_taken",
      summary: "service.api: the platform accepted the change, but name, archived did not take",
      address: "service.api",
      attribute: "name",
      range,
      hint: expect.stringContaining("rnv plan"),
    });
  });

  it("of a value says that it may be held already, and which setting its body has", () => {
    const { detail, hint } = verifyApplied(change, writeOfValue(time, time)) ?? {};
    expect(detail).toContain("must move updatedAt");
    expect(hint).toContain("apply --verify-values");
    expect(hint).toContain("RNV_GAP_PATCH_VARIABLE");
  });

  it("of a value beside a field that shows another value says what to declare instead", () => {
    const both = write({ key: "B", value: new Secret("x") }, answer({ key: "A" }, time), {
      type: variable,
      before: time,
    });
    expect(verifyApplied(change, both)?.hint).toContain("declare key: ");
  });
});

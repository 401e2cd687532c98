import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { stateSchema } from "../../../src/model/state";
import { emptyState } from "../../../src/state/recorded";
import { rowsIn } from "../../support/rows";
import { address, origin, resource } from "./fixtures";

const whole = {
  ...emptyState({ lineage: "line", ...origin }),
  keyId: "0123456789abcdef",
  outputs: { url: "https://a.example" },
  resources: {
    [address("project.p")]: resource("p", { type: "project" }),
    [address("service.p.a")]: {
      ...resource("a", { parent: address("project.p"), dependsOn: [address("project.p")] }),
      updatedAt: "2026-01-01T00:00:00.000Z",
      applied: { "configuration.port": 80, secret: { fingerprint: "f" } },
      computed: { url: null },
      inputs: { a: 1 },
      pending: { kind: "deployment" },
      future: ["kept"],
    },
  },
};

/** The state with the value at a path replaced; undefined removes it. */
function changed(path: readonly string[], value: unknown): Record<string, unknown> {
  const copy = structuredClone(whole) as Record<string, unknown>;
  const holder = path.slice(0, -1).reduce((inner, key) => inner[key] as Record<string, unknown>, copy);
  const last = path.at(-1) as string;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

const values = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  Number.NaN,
  2 ** 53,
  "",
  "delete",
  [],
  [""],
  [1],
  ["a"],
  {},
];

const takenAt = (path: string): readonly unknown[] =>
  values.filter((value) => stateSchema.safeParse(changed(path.split("/"), value)).success);

describe("the schema of a state", () => {
  it.each(rowsIn(join(__dirname, "state-schema.tsv")))(
    "has at %s only what a state may hold: %s",
    (path, cell) => {
      const accepted = (cell === "none" ? [] : (cell ?? "").split(" | ")).map((value) =>
        value === "absent" ? undefined : JSON.parse(value),
      );
      expect(takenAt(path ?? "")).toEqual(
        values.filter((value) => accepted.some((one) => isDeepStrictEqual(one, value))),
      );
    },
  );

  it("keeps whatever a later version may add to a resource", () => {
    expect(takenAt("resources/service.p.a/future")).toEqual(values);
  });
});

import { isDeepStrictEqual } from "node:util";
import { stateSchema } from "../../../src/model/state";
import { emptyState } from "../../../src/state/recorded";
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
const filled = ["delete"];
const text = ["", "delete"];
const names = [[], ["a"]];

describe("the schema of a state", () => {
  it.each<[path: string, accepted: readonly unknown[]]>([
    ["format", []],
    ["version", []],
    ["lineage", filled],
    ["serial", [0]],
    ["workspaceId", text],
    ["baseUrl", text],
    ["keyId", [null, ...text]],
    ["outputs", [{}]],
    ["run", [null]],
    ["open", [[]]],
    ["deleted", [undefined, {}]],
    ["resources", [{}]],
    ["resources/service.p.a", []],
    ["resources/service.p.a/type", filled],
    ["resources/service.p.a/id", filled],
    ["resources/service.p.a/name", text],
    ["resources/service.p.a/parent", [undefined, ...filled]],
    ["resources/service.p.a/dependsOn", names],
    ["resources/service.p.a/applied", [{}]],
    ["resources/service.p.a/fingerprintAddress", [undefined, ...filled]],
    ["resources/service.p.a/computed", [{}]],
    ["resources/service.p.a/updatedAt", [undefined, ...text]],
    ["resources/service.p.a/writtenAt", [undefined, ...text]],
    ["resources/service.p.a/preventDestroy", [true]],
    ["resources/service.p.a/onRemove", ["delete"]],
    ["resources/service.p.a/initial", [undefined, {}]],
    ["resources/service.p.a/madeWith", [undefined, ...names]],
    ["resources/service.p.a/ignoreChanges", [undefined, ...names]],
    ["resources/service.p.a/writes", [0]],
    ["resources/service.p.a/retained", [undefined, true]],
    ["resources/service.p.a/deletionFailed", [undefined, ...text]],
    ["resources/service.p.a/inputs", [undefined, {}]],
    ["resources/service.p.a/inputs/a", [undefined, 0]],
    ["resources/service.p.a/future", values],
  ])("has at %s only what a state may hold", (path, accepted) => {
    const taken = values.filter((value) => stateSchema.safeParse(changed(path.split("/"), value)).success);
    expect(taken).toEqual(values.filter((value) => accepted.some((one) => isDeepStrictEqual(one, value))));
  });
});

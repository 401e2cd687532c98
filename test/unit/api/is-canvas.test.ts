import { canvas } from "../../../src/api/wire/canvas";
import { isCanvas, isServiceAnswer } from "../../../src/api/wire/is-canvas";
import { serviceAnswer } from "../../../src/api/wire/service";
import { fc } from "../../support/fixed-seed";

const id = "0b0e1a52-5d3c-4a51-9f6e-3a9f5d1c2b7e";
const at = "2026-01-01T00:00:00.000Z";

/** Every field that the interface names, once present and once null or absent. */
const whole = {
  nodes: [
    {
      id,
      name: "api",
      kind: "web",
      projectId: id,
      environmentId: id,
      environmentGroupIds: [id],
      archived: false,
      configuration: { branch: "main", replicas: 1, ignorePaths: [], future: { deep: [1, null] } },
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
      deletionRequestedAt: null,
      deploymentId: id,
      deploymentUpdatedAt: at,
      liveDeploymentId: null,
      displayStatus: "live",
      lifecycleStatus: "active",
      status: "live",
      healthStatus: "ready",
      healthCheckedAt: at,
      runtimeDetail: "",
      internalHost: "api.internal",
      url: "https://api.example",
      estimatedMonthly: { ngn: 1, usd: 0.5, priced: true },
      future: "kept",
    },
    { id, name: "", kind: "", archived: true, configuration: {} },
  ],
  groups: [{ id: `group:${id}`, name: "shared", environmentId: null, serviceIds: [id] }],
  edges: [
    { id: "e", source: id, target: id, kind: "reference", keys: ["A"] },
    { id: "", source: "", target: "", kind: "" },
  ],
  layout: { revision: 3, positions: { [id]: { x: 1, y: -2, z: 0 } }, viewport: { x: 0, y: 0, zoom: 1 } },
  scope: { projectId: null, environmentId: null },
};

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== "object") return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

/** The canvas as JSON text with the value at one path replaced; undefined removes it. */
function changed(path: Path, value: unknown): unknown {
  if (path.length === 0) return value;
  const copy = structuredClone(whole) as Record<string, unknown>;
  let holder = copy;
  for (const key of path.slice(0, -1)) holder = holder[key as string] as Record<string, unknown>;
  const last = path.at(-1) as string;
  if (value === undefined && !Array.isArray(holder)) delete holder[last];
  else holder[last] = value;
  return copy;
}

/** The law: what is accepted at once is what the schema returns, unchanged. True when it was accepted at once. */
function agrees(body: unknown): boolean {
  if (!isCanvas(body)) return false;
  const parsed = canvas.safeParse(body);
  if (!parsed.success || !isSame(parsed.data, body))
    throw new Error(`accepted: ${JSON.stringify(body)}\n${parsed.error}`);
  return true;
}

describe("isServiceAnswer", () => {
  it("accepts what the schema returns unchanged, and nothing else", () => {
    const [node] = whole.nodes;
    const bodies = pathsIn(node).flatMap((path) =>
      [undefined, null, 7, "", "text", [], {}].map((value) => {
        const { nodes } = changed(["nodes", 0, ...path], value) as typeof whole;
        return { service: nodes[0] };
      }),
    );
    const accepted = bodies.filter((body) => isServiceAnswer(body));
    expect(accepted.length).toBeGreaterThan(40);
    for (const body of accepted) expect(serviceAnswer.parse(body)).toEqual(body);
    for (const body of [undefined, null, {}, { service: null }, { service: {} }, [{ service: node }]])
      expect(isServiceAnswer(body)).toBe(false);
  });
});

describe("isCanvas", () => {
  it("accepts every field that the interface names, and unknown ones", () => {
    expect(agrees(whole)).toBe(true);
  });

  const odd = [
    undefined,
    null,
    "",
    "text",
    0,
    1.5,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    true,
    [],
    [1],
    [""],
    {},
    [null],
  ];

  it("accepts nothing that the schema refuses or completes, whatever stands in whatever place", () => {
    let accepted = 0;
    let refused = 0;
    for (const path of pathsIn(whole))
      for (const value of odd) {
        if (agrees(changed(path, value))) accepted += 1;
        else refused += 1;
      }
    expect(accepted).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(500);
  });

  it("accepts what the schema accepts, but for what the schema completes or drops", () => {
    for (const path of pathsIn(whole))
      for (const value of odd) {
        const body = changed(path, value);
        const parsed = canvas.safeParse(body);
        const isKept = parsed.success && isSame(parsed.data, body);
        if (isKept && !isCanvas(body))
          throw new Error(`not accepted: ${path.join(".")} ${JSON.stringify(value)}`);
      }
  });

  it("leaves keys named __proto__ to the schema", () => {
    const text = JSON.stringify(whole);
    for (const place of ['"archived":false', '"revision":3', '"ngn":1', '"x":1'])
      expect(isCanvas(JSON.parse(text.replace(place, `${place},"__proto__":{"a":1}`)))).toBe(false);
  });

  it("agrees with the schema on any JSON in any place", () => {
    const paths = pathsIn(whole);
    fc.assert(
      fc.property(fc.nat(paths.length - 1), fc.jsonValue(), fc.nat(paths.length - 1), (at, value, from) => {
        const path = paths[at] as Path;
        agrees(changed(path, value));
        agrees(changed(path, valueAt(paths[from] as Path)));
      }),
      { numRuns: 3000 },
    );
  });
});

const valueAt = (path: Path): unknown =>
  path.reduce<unknown>((holder, key) => (holder as Record<string, unknown>)[key as string], whole);

/** Whether two values are the same, key by key; absent and undefined differ. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

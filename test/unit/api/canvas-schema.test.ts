import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import {
  canvas,
  canvasAnswer,
  canvasLimits,
  position,
  serviceAnswer,
  viewport,
} from "../../../src/api/wire/shapes";

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

const values = [
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
];

/** The canvas with the value at a path replaced; undefined removes it. */
function changed(path: string, value: unknown): unknown {
  const copy = structuredClone(whole) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop() as string;
  const holder = keys.reduce((inner, key) => inner[key] as Record<string, unknown>, copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

const text = ["", "text"];
const idIfAny = [undefined, null, "text"];
const textIfAny = [undefined, null, ...text];
const finite = [0, 1.5];

describe("a canvas", () => {
  it("is returned as it stands, with every field that the interface names and unknown ones", () => {
    expect(canvas.parse(whole)).toEqual(whole);
    const [service] = whole.nodes;
    expect(serviceAnswer.parse({ service })).toEqual({ service });
  });

  it.each<[path: string, accepted: readonly unknown[]]>([
    ["nodes", [[]]],
    ["nodes.0.id", ["text"]],
    ["nodes.0.name", text],
    ["nodes.0.kind", text],
    ["nodes.0.projectId", idIfAny],
    ["nodes.0.environmentId", idIfAny],
    ["nodes.0.environmentGroupIds", [undefined, []]],
    ["nodes.0.environmentGroupIds.0", ["text", {}]],
    ["nodes.0.archived", [undefined, true]],
    ["nodes.0.configuration", [{}]],
    ["nodes.0.createdAt", textIfAny],
    ["nodes.0.updatedAt", textIfAny],
    ["nodes.0.deletedAt", textIfAny],
    ["nodes.0.deletionRequestedAt", textIfAny],
    ["nodes.0.deploymentId", idIfAny],
    ["nodes.0.deploymentUpdatedAt", textIfAny],
    ["nodes.0.liveDeploymentId", idIfAny],
    ["nodes.0.displayStatus", textIfAny],
    ["nodes.0.lifecycleStatus", textIfAny],
    ["nodes.0.status", textIfAny],
    ["nodes.0.healthStatus", textIfAny],
    ["nodes.0.healthCheckedAt", textIfAny],
    ["nodes.0.runtimeDetail", textIfAny],
    ["nodes.0.internalHost", textIfAny],
    ["nodes.0.url", textIfAny],
    ["nodes.0.estimatedMonthly", [undefined, null]],
    ["nodes.0.estimatedMonthly.ngn", finite],
    ["nodes.0.estimatedMonthly.usd", finite],
    ["nodes.0.estimatedMonthly.priced", [true]],
    ["nodes.0.future", values],
    ["groups", [[]]],
    ["groups.0.id", text],
    ["groups.0.name", text],
    ["groups.0.environmentId", idIfAny],
    ["groups.0.serviceIds", [undefined, []]],
    ["edges", [[]]],
    ["edges.0.id", text],
    ["edges.0.source", text],
    ["edges.0.target", text],
    ["edges.0.kind", text],
    ["edges.0.keys", [undefined, [], [""]]],
    ["layout", []],
    ["layout.revision", finite],
    ["layout.positions", [{}]],
    [`layout.positions.${id}.x`, finite],
    [`layout.positions.${id}.y`, finite],
    ["layout.viewport", [null]],
    ["layout.viewport.zoom", finite],
    ["scope", []],
    ["scope.projectId", [null, "text"]],
    ["scope.environmentId", [null, "text"]],
  ])("has at %s only what the interface allows", (path, accepted) => {
    const taken = values.filter((value) => canvas.safeParse(changed(path, value)).success);
    expect(taken).toEqual(values.filter((value) => accepted.some((one) => isDeepStrictEqual(one, value))));
  });

  it("is handed out itself, so its schema has no defaults", () => {
    expect(canvasAnswer.safeParse(whole).data).toBe(whole);
    expect(JSON.stringify(z.toJSONSchema(canvas, { unrepresentable: "any" }))).not.toContain('"default"');
  });

  it("says what is wrong with it", () => {
    const { error } = canvasAnswer.safeParse(changed("nodes.0.kind", 1));
    expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["nodes.0.kind"]);
  });

  it.each(['"archived":false', '"revision":3', '"ngn":1', '"x":1'])(
    "loses a key named __proto__ beside %s",
    (place) => {
      const hostile = JSON.stringify(whole).replace(place, `${place},"__proto__":{"a":1}`);
      expect(JSON.stringify(canvas.parse(JSON.parse(hostile)))).not.toContain("__proto__");
    },
  );
});

describe("what may be saved of a canvas", () => {
  const { coordinate, minZoom, maxZoom } = canvasLimits;
  const takes = (zoom: number, ...coordinates: readonly number[]) =>
    coordinates.every((one) => position.safeParse({ x: one, y: -one }).success) &&
    viewport.safeParse({ x: coordinates[0], y: 0, zoom }).success;

  it("ends where the service's own limits do", () => {
    expect(takes(1, coordinate, -coordinate, 0)).toBe(true);
    for (const beyond of [coordinate + 1, -coordinate - 1]) expect(takes(1, beyond)).toBe(false);
    expect([takes(minZoom, 0), takes(maxZoom, 0)]).toEqual([true, true]);
    expect([takes(minZoom / 2, 0), takes(maxZoom + 1, 0)]).toEqual([false, false]);
  });
});

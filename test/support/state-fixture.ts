import type { RecordedResource, State } from "../../src/model/state";
import { address } from "./plan-fixture";

export const recorded = (rest: Partial<RecordedResource>): RecordedResource => ({
  type: "service",
  id: "id",
  name: "x",
  dependsOn: [],
  applied: {},
  computed: {},
  preventDestroy: false,
  onRemove: "delete",
  writes: 1,
  ...rest,
});

/** A service with what belongs to it, an open intent and outputs. */
export const state: State = {
  format: "rnv-state",
  version: 1,
  lineage: "1f0c",
  serial: 3,
  workspaceId: "w",
  baseUrl: "https://host.example/api/v1",
  keyId: null,
  resources: {
    [address("deployment.shop.api")]: recorded({
      type: "deployment",
      id: "d1",
      name: "api",
      parent: address("service.shop.api"),
    }),
    [address("project.shop")]: recorded({ type: "project", id: "p1", name: "Shop" }),
    [address("service.shop.api")]: recorded({
      id: "s1",
      name: "api",
      parent: address("project.shop"),
      applied: { "configuration.branch": "main", name: "api" },
      computed: { url: "https://api.example" },
      preventDestroy: true,
    }),
    [address("variable.shop.api.KEY")]: recorded({
      type: "variable",
      id: "v1",
      name: "KEY",
      applied: { value: { fingerprint: "f00d" } },
    }),
  },
  outputs: { apiUrl: "https://api.example", ports: [80, 443] },
  run: { id: "r", planDigest: "p", credential: "c", startedAt: "2030-01-01T00:00:00Z", fences: {} },
  open: [
    {
      seq: 1,
      runId: "r",
      address: address("service.shop.web"),
      type: "service",
      operation: "createService",
      method: "POST",
      path: "/services",
      key: "k",
      bodyDigest: "b",
      name: "web",
      at: "2030-01-01T00:00:01Z",
    },
  ],
};

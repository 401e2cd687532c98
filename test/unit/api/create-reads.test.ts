import { consistently } from "../../../src/api/consistent-reads";
import { createEndpoints } from "../../../src/api/endpoints";
import { defaultGaps, type GapSettings } from "../../../src/api/gaps";
import { createReads } from "../../../src/api/reads";
import type { ApiRequest } from "../../../src/api/request";
import { recordOf } from "../../../src/apply/record";
import { type Clock, systemClock } from "../../../src/model/time";
import { canvasOf, catalogBody, fakeSend, refusal, serviceNamed, workspace } from "./fake-send";
import { steppingClock } from "./stepping-clock";

type Routes = Record<string, unknown>;

/** Reads over a workspace whose routes are given as `GET` paths below it; any other path answers 404. */
function readsOf(routes: Routes, gaps: GapSettings = defaultGaps, clock: Clock = systemClock) {
  const all: Routes = { "/projects": { projects: [] }, "/canvas": canvasOf([]), ...routes };
  const fake = fakeSend((request) => {
    if (request.operation === "catalog") return catalogBody;
    const { projectId, environmentId } = request.query ?? {};
    const scope = [projectId, environmentId].flatMap((id) => (id === undefined ? [] : [`?${id}`])).join("");
    const found = all[request.path.replace(`/workspaces/${workspace}`, "") + scope] ?? 404;
    return typeof found === "function" ? (found as (request: ApiRequest) => unknown)(request) : found;
  });
  const endpoints = consistently((over) => createEndpoints(over, workspace, gaps), { clock })(fake.send);
  return { reads: createReads(endpoints), endpoints, lines: fake.lines };
}

const tooLarge = (request: ApiRequest) => refusal(request, 413, "canvas_too_large");
const firstThree = ["GET /catalog", "GET /canvas", "GET /projects"].sort();

describe("the parts of live state", () => {
  it("are read again, each only where asked for, where they have to be new", async () => {
    const { reads, lines } = readsOf({});
    await reads.services();
    await reads.fresh().services();
    expect(lines().sort()).toEqual([...firstThree, "GET /canvas"].sort());
  });

  it("are read again after a write, unless a single list is to serve a burst of writes", async () => {
    const shown: (typeof made)[] = [];
    const made = serviceNamed("s1");
    const { reads, endpoints, lines } = readsOf({
      "/canvas": () => canvasOf(shown),
      "/services": { service: made },
    });
    await reads.services();
    shown.push(made);
    await endpoints.createService({ name: "s1", kind: "web", configuration: {}, deploy: false });
    await reads.fresh({ mostAgeMs: 1000, ignoresWrites: true }).services();
    expect(lines().filter((line) => line === "GET /canvas")).toHaveLength(1);
    await reads.fresh({ mostAgeMs: 1000 }).services();
    expect(lines().filter((line) => line === "GET /canvas")).toHaveLength(2);
  });

  it("leave out what existed before, and older deployments, where something new is looked for", async () => {
    const variables = ["v1", "v2"].map((id) => ({ id, key: "A", updatedAt: "2026-01-01T00:00:00Z" }));
    const items = ["d4", "d3", "d2"].map((id) => ({ id, status: "live" }));
    const { reads } = readsOf({
      "/projects": { projects: ["p1", "p2"].map((id) => ({ id, name: "Shop" })) },
      "/canvas": canvasOf(["s1", "s2"].map((id) => serviceNamed(id, { name: "api" }))),
      "/services/s1/variables": { variables },
      "/services/s1/deploys": { available: true, items },
    });
    const later = reads.excluding(["p1", "s1", "v1", "d3"]).fresh();
    const { items: deployments } = await later.live.listDeployments("s1");
    const lists = [await later.projects(), await later.servicesNamed("api", null), deployments];
    const shown = [...lists, (await later.variables("s1")) ?? []];
    expect(shown.map((list) => list.map(({ id }) => id))).toEqual([["p2"], ["s2"], ["d4"], ["v2"]]);
    expect((await reads.live.listDeployments("s1")).items).toHaveLength(3);
  });
});

describe("a deployment", () => {
  it("is read once, also where it proves that its service is shown as it is", async () => {
    const shown = serviceNamed("s1", { deploymentId: "d1", liveDeploymentId: "d0" });
    const deployment = { id: "d1", status: "building", steps: [] };
    const { reads, lines } = readsOf({
      "/canvas": canvasOf([shown]),
      "/services/s1/deploys/d1": { deployment },
    });
    const updatedAt = new Date().toISOString();
    const recorded = recordOf({ type: "deployment", id: "d1", name: "deploy", updatedAt });
    reads.expect("deployment.s1", recorded, { parentId: "s1" });
    for (const _ of ["service", "a variable"]) await reads.service("s1");
    expect(await reads.deployment("s1", "d1")).toMatchObject(deployment);
    expect(lines().sort()).toEqual([...firstThree, "GET /services/s1/deploys/d1"].sort());
  });
});

describe("a project", () => {
  it("is found in the list, else by id, else gone", async () => {
    const { reads, lines } = readsOf({
      "/projects": { projects: [{ id: "p1", name: "Shop" }] },
      "/projects/p2": { project: { id: "p2", name: "New" } },
    });
    expect(await reads.project("p1")).toMatchObject({ kind: "found", value: { name: "Shop" } });
    expect(await reads.project("p2")).toMatchObject({ kind: "found", value: { name: "New" } });
    expect(await reads.project("p3")).toEqual({ kind: "gone" });
    expect(lines().filter((line) => line.startsWith("GET /projects/"))).toEqual([
      "GET /projects/p2",
      "GET /projects/p3",
    ]);
  });
});

describe("a service", () => {
  const shown = {
    "/canvas": canvasOf([serviceNamed("s1")]),
    "/services/s1": { service: serviceNamed("s1") },
  };

  it("proves nothing about the route with more than two ids", async () => {
    const { reads, lines } = readsOf({
      "/canvas": canvasOf(["s1", "s2", "s3"].map((id) => serviceNamed(id))),
      "/services/s3": { service: serviceNamed("s3") },
    });
    expect(await reads.service("s9")).toMatchObject({ kind: "unreadable" });
    expect(lines()).not.toContain("GET /services/s3");
  });

  it.each(["deletedAt", "deletionRequestedAt"])("is gone when it bears %s", async (field) => {
    const ending = (id: string) => serviceNamed(id, { [field]: "2026-01-01T00:00:00Z" });
    const { reads } = readsOf({
      "/canvas": canvasOf([serviceNamed("s3")]),
      "/services/s2": { service: ending("s2") },
    });
    expect(await reads.service("s2")).toEqual({
      kind: "gone",
      ...(field === "deletedAt" ? {} : { deleting: expect.objectContaining({ id: "s2" }) }),
    });
    expect((await reads.services()).map(({ id }) => id)).toEqual(["s3"]);
  });

  // "Only active services … appear. Archived and deleting or deleted services are excluded." (interface, "Canvas")
  it("stands where the canvas shows it with the time of a deletion that failed, and not of a deletion that ended", async () => {
    const requested = { deletionRequestedAt: "2026-01-01T00:00:00Z" };
    const ended = serviceNamed("s2", { ...requested, deletedAt: "2026-01-01T00:01:00Z" });
    const { reads } = readsOf({
      "/canvas": canvasOf([serviceNamed("s1", requested), ended, serviceNamed("s3")]),
    });
    expect(await reads.service("s1")).toMatchObject({ kind: "found", value: requested });
    expect(await reads.service("s2")).toEqual({ kind: "gone" });
    expect((await reads.services()).map(({ id }) => id)).toEqual(["s1", "s3"]);
  });

  it("is gone on a 404 once the route is proven with an id that the canvas shows", async () => {
    const { reads, lines } = readsOf(shown);
    expect(await reads.service("s8")).toEqual({ kind: "gone" });
    expect(await reads.service("s9")).toEqual({ kind: "gone" });
    expect(lines().slice(3)).toEqual(["GET /services/s8", "GET /services/s1", "GET /services/s9"]);
  });

  it("is unreadable when the route answers 404 for what the canvas shows", async () => {
    const { reads, lines } = readsOf({ "/canvas": canvasOf([serviceNamed("s1")]) });
    expect(await reads.service("s8")).toMatchObject({ kind: "unreadable" });
    expect(await reads.service("s9")).toMatchObject({ kind: "unreadable" });
    expect(lines().slice(3)).toEqual(["GET /services/s8", "GET /services/s1"]);
  });

  it("is unreadable when the route answers 405 or is turned off", async () => {
    expect(await readsOf({ "/services/s8": 405 }).reads.service("s8")).toMatchObject({ kind: "unreadable" });
    const off = readsOf(shown, { ...defaultGaps, readService: "off" });
    expect(await off.reads.service("s8")).toMatchObject({ kind: "unreadable" });
    expect(off.lines()).toHaveLength(3);
  });

  it("is neither gone nor unreadable when reading it fails otherwise", async () => {
    const { reads } = readsOf({ ...shown, "/services/s8": 403, "/services/s1": 403 });
    await expect(reads.service("s8")).rejects.toMatchObject({ status: 403 });
    await expect(reads.service("s9")).rejects.toMatchObject({ status: 403 });
  });
});

describe("a workspace above the canvas limit", () => {
  it("is read as one canvas for each project, and known to be incomplete", async () => {
    const { reads, lines } = readsOf({
      "/projects": {
        projects: [
          { id: "p1", name: "a" },
          { id: "p2", name: "b" },
        ],
      },
      "/canvas": tooLarge,
      "/canvas?p1": canvasOf([serviceNamed("s1")], "p1"),
      "/canvas?p2": canvasOf([serviceNamed("s2"), serviceNamed("s1")], "p2"),
    });
    expect((await reads.services()).map(({ id }) => id)).toEqual(["s1", "s2"]);
    expect(await reads.servicesAreComplete()).toBe(false);
    await reads.layout("p1");
    expect(lines().slice(3)).toEqual(["GET /canvas?projectId=p1", "GET /canvas?projectId=p2"]);
  });

  it("reads one project to look for a name in it", async () => {
    const { reads, lines } = readsOf({
      "/projects": { projects: ["p1", "p2"].map((id) => ({ id, name: id })) },
      "/canvas": tooLarge,
      "/canvas?p1": canvasOf([{ ...serviceNamed("s1"), projectId: "p1" }], "p1"),
      "/canvas?p2": canvasOf([{ ...serviceNamed("s2"), projectId: "p2" }], "p2"),
    });
    await reads.services();
    const fresh = reads.fresh();
    const { name } = serviceNamed("s1");
    expect(await fresh.servicesNamed(name, "p1")).toMatchObject([{ id: "s1" }]);
    expect(await fresh.servicesNamed(name, "p2")).toEqual([]);
    expect(lines().slice(5)).toEqual(["GET /canvas?projectId=p1", "GET /canvas?projectId=p2"]);
  });

  it("is an error when one of its projects cannot be read", async () => {
    const projects = { projects: [{ id: "p1", name: "a" }] };
    const { reads } = readsOf({ "/projects": projects, "/canvas": tooLarge, "/canvas?p1": tooLarge });
    await expect(reads.services()).rejects.toMatchObject({ status: 413 });
  });
});

describe("the variables of a service", () => {
  const shown = {
    "/canvas": canvasOf([serviceNamed("s1"), serviceNamed("s2")]),
    "/services/s1": { service: serviceNamed("s1") },
  };

  it.each([404, 405])(
    "are undefined when the route answers %d for a service that exists, asked for once",
    async (status) => {
      const { reads, lines } = readsOf({ ...shown, "/services/s1/variables": status });
      const both = [reads.variables("s1"), reads.variables("s2")];
      expect(await Promise.all(both)).toEqual([undefined, undefined]);
      expect(await reads.variables("s2")).toBeUndefined();
      expect(lines().filter((line) => line.includes("variables"))).toEqual(["GET /services/s1/variables"]);
    },
  );

  it.each([
    [404, 2],
    [405, 1],
  ])("are not asked for of each recorded service where the route answers %d", async (status, asked) => {
    const ids = ["s1", "s2", "s3", "s4"];
    const routes = ids.map((id) => [`/services/${id}/variables`, status]);
    const canvas = { "/canvas": canvasOf(ids.map((id) => serviceNamed(id))) };
    const { reads, lines } = readsOf({ ...canvas, ...Object.fromEntries(routes) });
    for (const parentId of ids)
      reads.expect("variable", recordOf({ type: "variable", id: `v${parentId}`, name: "A" }), { parentId });
    reads.prefetchVariables("recorded variables");
    expect(await Promise.all(ids.map((id) => reads.variables(id)))).toEqual(ids.map(() => undefined));
    expect(lines().filter((line) => line.includes("variables"))).toHaveLength(asked);
  });

  it("are asked for beside the first three requests where they are recorded; a 404 to that proves nothing", async () => {
    let found: unknown = 404;
    const { reads, lines } = readsOf({ ...shown, "/services/s1/variables": () => found });
    const recorded = recordOf({ type: "variable", id: "v1", name: "A" });
    reads.expect("variable.s1.A", recorded, { parentId: "s1" });
    reads.prefetch();
    reads.prefetchVariables("recorded variables");
    expect(lines().sort()).toEqual([...firstThree, "GET /services/s1/variables"].sort());
    found = { variables: [] };
    expect(await reads.variables("s1")).toEqual([]);
  });

  it("leave together once those of one service are asked for, and are as old as their requests", async () => {
    const clock = steppingClock();
    const list = { variables: [] };
    const lists = Object.fromEntries(["s1", "s2", "s3"].map((id) => [`/services/${id}/variables`, list]));
    const { reads, lines } = readsOf({ ...shown, ...lists }, defaultGaps, clock);
    for (const id of ["s1", "s2", "s3"]) reads.expectVariables(id);
    const recent = () => reads.fresh({ mostAgeMs: 1000 });
    await recent().variables("s2");
    await clock.sleep(1100);
    expect(lines()).toEqual(["GET /services/s2/variables"]);
    await reads.variables("s1");
    expect(lines().slice(1)).toEqual(["GET /services/s1/variables", "GET /services/s3/variables"]);
    await clock.sleep(900);
    await reads.variables("s3");
    expect(lines()).toHaveLength(3);
    await clock.sleep(200);
    await recent().variables("s3");
    expect(lines().slice(3)).toEqual(["GET /services/s3/variables"]);
  });

  it("are none when the service is gone, and unknown when it cannot be read", async () => {
    expect(await readsOf(shown).reads.variables("s9")).toEqual([]);
    expect(await readsOf({ "/services/s9": 405 }).reads.variables("s9")).toBeUndefined();
  });

  it("are asked for of each service once the route works, also where a service is gone", async () => {
    const { reads } = readsOf({ ...shown, "/services/s1/variables": { variables: [] } });
    expect(await reads.variables("s1")).toEqual([]);
    // s2 exists, and its list does not: the route works.
    expect(await reads.variables("s2")).toBeUndefined();
    expect(await reads.variables("s9")).toEqual([]);
    const { reads: later, lines } = readsOf({ ...shown, "/services/s2/variables": { variables: [] } });
    expect(await later.variables("s9")).toEqual([]);
    expect(await later.variables("s2")).toEqual([]);
    expect(lines()).toContain("GET /services/s2/variables");
  });

  it.each([
    ["turned off", 404, { ...defaultGaps, listVariables: "off" }],
    ["answered 405", 405, defaultGaps],
  ])("are not asked for again where the route is %s, though the service is gone", async (_, status, gaps) => {
    const { reads, lines } = readsOf({ ...shown, "/services/s9/variables": status }, gaps);
    expect(await reads.variables("s9")).toEqual([]);
    expect(await reads.variables("s1")).toBeUndefined();
    expect(lines()).not.toContain("GET /services/s1/variables");
  });

  it("are an error when the listing fails otherwise", async () => {
    const { reads } = readsOf({ ...shown, "/services/s1/variables": 403 });
    await expect(reads.variables("s1")).rejects.toMatchObject({ status: 403 });
  });
});

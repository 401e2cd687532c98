import { join } from "node:path";
import type { WireResponse } from "../../src/api/transport";
import type { Fault, SeenRequest } from "../../src/emulator/faults";
import type { EmulatorStore } from "../../src/emulator/store";
import { emptyLists, withOtherId, withoutFields } from "../support/edited-answers";
import { rowsIn } from "../support/rows";
import type { RequestMishap } from "./process";

/** What can go wrong with one request. */
export interface RequestFault {
  readonly name: string;
  /** Requests that it makes sense for; all unless said. */
  readonly applies?: (request: { readonly method: string; readonly path: string }) => boolean;
  readonly fault?: (request: SeenRequest) => Fault;
  readonly rewrite?: RequestMishap["rewrite"];
  /** Another user changes our things: what was reached may be undone, and deployed again. */
  readonly foreign?: true;
  /** A list that leaves out what is there. */
  readonly lies?: true;
  /** The run that meets it must end with this code. */
  readonly says?: string;
  /** It is no fault of one request. */
  readonly onward?: true;
}

type Seen = { readonly method: string; readonly path: string };
const isRead = ({ method }: Seen): boolean => method === "GET";
const isWrite = (seen: Seen): boolean => !isRead(seen);
const isList = (seen: Seen): boolean =>
  isRead(seen) && /(projects|canvas|variables|deploys)$/.test(seen.path);
/** Below the workspace. */
const below = (path: string): string => path.slice(path.startsWith("/workspaces") ? 49 : 0);
const isById = ({ path }: Seen): boolean => /(\{id\}|[0-9a-f]{8}-[0-9a-f-]{27})$/.test(below(path));
const hasId = ({ path }: Seen): boolean => /\{id\}|[0-9a-f]{8}-[0-9a-f-]{27}/.test(below(path));
const isLook = (seen: Seen): boolean => isRead(seen) && /(deploys|operations)\/[^/]+$/.test(seen.path);

const broken = (kind: "refuse" | "reset-before" | "reset-after" | "timeout-before" | "timeout-after") => ({
  name: kind,
  fault: (): Fault => ({ kind }),
});

const status = (name: string, answer: Omit<Extract<Fault, { kind: "status" }>, "kind">): RequestFault => ({
  name,
  fault: () => ({ kind: "status", ...answer }),
});

type Body = Record<string, unknown>;

const rewriteBody =
  (edit: (body: Body) => unknown): RequestMishap["rewrite"] =>
  (response: WireResponse) => {
    if (response.status !== 200) return response;
    return { ...response, body: JSON.stringify(edit(JSON.parse(response.body) as Body)) };
  };

const editArrays =
  (edit: (items: readonly unknown[]) => readonly unknown[]) =>
  (body: Body): Body =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? edit(value) : value]),
    );

/** Still under way, whatever became of it. */
function unfinished(body: Body): Body {
  const running = (thing: Body): Body => ({ ...thing, status: "kind" in thing ? "running" : "building" });
  const deployment = body.deployment as Body | undefined;
  return deployment === undefined ? running(body) : { deployment: running(deployment) };
}

const foreign = (
  name: string,
  when: "before" | "after",
  run: (store: EmulatorStore, path: string) => void,
): RequestFault => ({
  name: `${name}-${when}`,
  foreign: true,
  fault: ({ path }) => ({ kind: "hook", when, run: (store) => run(store, path) }),
});

/** The service or the project that a path names, else what is ours. */
function subjects(store: EmulatorStore, path: string) {
  const ids: readonly string[] = path.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
  const shop = store.projects().find(({ name }) => name === "Shop");
  const service =
    store.services().find(({ id }) => ids.includes(id)) ??
    store.services().find(({ projectId, name }) => projectId === shop?.id && name === "api");
  return { service, shop };
}

function change(store: EmulatorStore, path: string): void {
  const { service, shop } = subjects(store, path);
  if (service) store.editConfiguration(service.id, { healthCheckPath: "/foreign" });
  else if (shop) store.editProject(shop.id, { description: "foreign" });
}

function rename(store: EmulatorStore, path: string): void {
  const { service, shop } = subjects(store, path);
  if (service) store.renameService(service.id, "foreign");
  else if (shop) store.editProject(shop.id, { name: "Foreign" });
}

function remove(store: EmulatorStore, path: string): void {
  const { service, shop } = subjects(store, path);
  if (service) store.deleteServiceNow(service.id);
  else if (shop) store.deleteProjectNow(shop.id);
}

function take(store: EmulatorStore): void {
  const shop = store.projects().find(({ name }) => name === "Shop");
  if (shop === undefined) store.addProject({ name: "Shop" });
  else store.addService({ name: "api", projectId: shop.id });
}

const strangerIn = (store: EmulatorStore): string | undefined =>
  [...store.services(), ...store.projects()].find(({ name }) => name === "theirs" || name === "Other")?.id;

/** Each answer that says nothing certain, of a write that was carried out and whose receipt is lost. */
const withoutReceipt = Object.entries<Fault>({
  "reset-after": { kind: "reset-after" },
  "timeout-after": { kind: "timeout-after" },
  ...Object.fromEntries(
    [500, 502, 503, 504].map((code) => [`${code}-after`, { kind: "status", status: code, when: "after" }]),
  ),
  truncate: { kind: "truncate" },
  malformed: { kind: "malformed" },
  empty: { kind: "empty" },
  "html-after": { kind: "html", status: 200, when: "after" },
}).map(
  ([name, fault]): RequestFault => ({
    name: `${name}-no-receipt`,
    applies: isWrite,
    fault: () => ({ ...fault, receipt: false }),
  }),
);

const hourMs = 3_600_000;

/** An entry of a list as it was an hour ago; none of what has no time. */
function olderCopies(item: unknown): unknown[] {
  const { updatedAt, configuration } = (item ?? {}) as Body;
  if (typeof updatedAt !== "string") return [];
  const before = new Date(Date.parse(updatedAt) - hourMs).toISOString();
  const older = { ...(item as Body), updatedAt: before, description: "older", value: null };
  return [
    configuration ? { ...older, configuration: { ...(configuration as Body), branch: "older" } } : older,
  ];
}

/** Every fault of the matrix that sits on a request. */
export const requestFaults: readonly RequestFault[] = [
  broken("refuse"),
  broken("reset-before"),
  broken("reset-after"),
  broken("timeout-before"),
  broken("timeout-after"),
  status("429", { status: 429 }),
  status("429-retry-after", { status: 429, retryAfter: 7 }),
  status("500-before", { status: 500 }),
  { ...status("500-after", { status: 500, when: "after" }), applies: isWrite },
  ...withoutReceipt,
  status("502-before", { status: 502 }),
  { ...status("502-after", { status: 502, when: "after" }), applies: isWrite },
  { ...status("503-after", { status: 503, when: "after" }), applies: isWrite },
  { ...status("504-after", { status: 504, when: "after" }), applies: isWrite },
  status("401", { status: 401, code: "unauthorized" }),
  status("403", { status: 403, code: "forbidden" }),
  status("404", { status: 404, code: "not_found" }),
  { ...status("400", { status: 400, code: "invalid" }), applies: isWrite },
  { ...status("405", { status: 405 }), applies: hasId },
  { ...status("409-conflict", { status: 409, code: "conflict" }), applies: isWrite },
  {
    ...status("409-idempotency", { status: 409, code: "idempotency_conflict" }),
    applies: isWrite,
    says: "api.conflict",
  },
  {
    ...status("409-legacy", { status: 409, code: "idempotency_legacy_conflict" }),
    applies: isWrite,
    says: "api.conflict",
  },
  { ...status("409-engine", { status: 409, code: "engine_unavailable" }), applies: isWrite },
  { ...status("409-revision", { status: 409, code: "canvas_revision_conflict" }), applies: isWrite },
  {
    name: "413",
    applies: ({ path }) => path.endsWith("canvas"),
    fault: () => ({ kind: "status", status: 413, code: "canvas_too_large" }),
  },
  { name: "redirect", fault: () => ({ kind: "redirect", location: "https://elsewhere.example/" }) },
  { name: "redirect-after", applies: isWrite, fault: () => ({ kind: "redirect", when: "after" }) },
  { name: "malformed", fault: () => ({ kind: "malformed" }) },
  { name: "truncate", fault: () => ({ kind: "truncate" }) },
  { name: "empty", fault: () => ({ kind: "empty" }) },
  { name: "html-before", fault: () => ({ kind: "html", status: 200, when: "before" }) },
  { name: "html-after", applies: isWrite, fault: () => ({ kind: "html", status: 200, when: "after" }) },
  { name: "bare-object", rewrite: rewriteBody(() => ({})) },
  { name: "other-id", applies: isById, fault: () => withOtherId() },
  {
    name: "other-id-created",
    lies: true,
    applies: ({ method, path }) => method === "POST" && /(projects|services|variables|deploys)$/.test(path),
    fault: () => withOtherId(),
  },
  {
    // Of a stranger's, which was there before.
    name: "id-of-another",
    applies: ({ method, path }) => method === "POST" && /(projects|services)$/.test(path),
    fault: () => withOtherId(strangerIn),
  },
  ...["configuration", "updatedAt", "name", "id"].map(
    (field): RequestFault => ({
      name: `without-${field}`,
      applies: isList,
      fault: () => withoutFields(field),
    }),
  ),
  { name: "twice", applies: isWrite, fault: () => ({ kind: "twice" }) },
  { name: "empty-list", lies: true, applies: isList, rewrite: rewriteBody(editArrays(() => [])) },
  {
    name: "empty-lists",
    lies: true,
    applies: (seen) => isList(seen) || seen.path === "/catalog",
    fault: () => emptyLists,
  },
  {
    name: "short-list",
    lies: true,
    applies: isList,
    rewrite: rewriteBody(editArrays((items) => items.slice(0, -1))),
  },
  {
    name: "one-id-twice",
    applies: isList,
    rewrite: rewriteBody(editArrays((items) => [...items, ...items.flatMap(olderCopies)])),
  },
  {
    name: "unframed-list",
    applies: isList,
    rewrite: rewriteBody((body) => Object.values(body).find((value) => Array.isArray(value)) ?? []),
  },
  {
    // The key lost its membership: lists are empty, everything else is not there.
    name: "revoked",
    onward: true,
    fault: ({ method, path }) =>
      isList({ method, path }) || path === "/catalog"
        ? { kind: "hook", when: "before", run: () => {} }
        : { kind: "status", status: 404, code: "not_found" },
    rewrite: rewriteBody((body) => ("plans" in body ? body : editArrays(() => [])(body))),
  },
  { name: "never-ends", applies: isLook, rewrite: rewriteBody(unfinished) },
  foreign("foreign-change", "before", change),
  foreign("foreign-change", "after", change),
  foreign("foreign-rename", "before", rename),
  foreign("foreign-rename", "after", rename),
  foreign("foreign-delete", "before", remove),
  foreign("foreign-delete", "after", remove),
  foreign("foreign-take", "before", take),
  foreign("foreign-take", "after", take),
];

/** Faults that may also begin with one request and hold for all that follow. */
export const outages: readonly string[] = rowsIn(join(__dirname, "outages.tsv")).flat();

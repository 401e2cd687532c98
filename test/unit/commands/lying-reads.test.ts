import type { ApiError } from "../../../src/api/api-error";
import { diagnosticOf } from "../../../src/api/api-error";
import type { WireRequest, WireResponse } from "../../../src/api/transport";
import { createWorkbench, type Workbench } from "../../support/workbench";

const names = ["api", "worker", "mail", "search"];
const shop = `projects:\n  shop:\n    name: Shop\n    services:\n${names
  .map((name) => `      ${name}: { kind: worker, variables: { LOG_LEVEL: info }, deploy: { when: never } }\n`)
  .join("")}`;

type Body = Record<string, unknown>;
type Lie = (request: WireRequest, honest: WireResponse) => WireResponse;

const isList = ({ url }: WireRequest): boolean => /(projects|canvas|variables|deploys)(\?.*)?$/.test(url);
const isCatalog = ({ url }: WireRequest): boolean => url.endsWith("/catalog");
const notFound = (response: WireResponse): WireResponse => ({
  ...response,
  status: 404,
  body: JSON.stringify({ error: { code: "not_found", message: "Not found" } }),
});
const edited = (response: WireResponse, edit: (body: Body) => unknown): WireResponse =>
  response.status === 200
    ? { ...response, body: JSON.stringify(edit(JSON.parse(response.body) as Body)) }
    : response;
const lists = (
  response: WireResponse,
  edit: (items: readonly unknown[]) => readonly unknown[],
): WireResponse =>
  edited(response, (body) =>
    Object.fromEntries(
      Object.entries(body).map(([key, value]) => [key, Array.isArray(value) ? edit(value) : value]),
    ),
  );

const isOfServices = ({ url }: WireRequest): boolean => /(projects|canvas)$/.test(url);

/** Each with the code that it is stopped with; a list that leaves out services is seen through: each is asked for. */
const lies: readonly { name: string; lie: Lie; stops: string | undefined }[] = [
  { name: "a storm of 404", lie: (_, honest) => notFound(honest), stops: "api.not_found" },
  {
    name: "404 for everything but the catalog",
    lie: (request, honest) => (isCatalog(request) ? honest : notFound(honest)),
    stops: "api.not_found",
  },
  {
    name: "short lists of projects and services",
    lie: (request, honest) => (isOfServices(request) ? lists(honest, (items) => items.slice(0, -1)) : honest),
    stops: undefined,
  },
  {
    name: "empty lists of projects and services",
    lie: (request, honest) => (isOfServices(request) ? lists(honest, () => []) : honest),
    stops: undefined,
  },
  {
    name: "short lists, of variables too",
    lie: (request, honest) => (isList(request) ? lists(honest, (items) => items.slice(0, -1)) : honest),
    stops: "live.mass_disappearance",
  },
  {
    name: "empty lists, of variables too",
    lie: (request, honest) => (isList(request) ? lists(honest, () => []) : honest),
    stops: "live.mass_disappearance",
  },
  {
    name: "a list without framing",
    lie: (request, honest) =>
      isList(request)
        ? edited(honest, (body) => Object.values(body).find((value) => Array.isArray(value)) ?? [])
        : honest,
    stops: "api.malformed",
  },
  {
    name: "a revoked membership: empty lists, and 404 for all else",
    lie: (request, honest) =>
      isCatalog(request) ? honest : isList(request) ? lists(honest, () => []) : notFound(honest),
    stops: "live.mass_disappearance",
  },
];

describe.each(lies)("$name", ({ lie, stops }) => {
  let bench: Workbench;
  let isLying = false;
  /** Writes since everything was made. */
  let written: () => string[] = () => [];
  beforeEach(async () => {
    bench = createWorkbench({
      transport: ({ send, close }) => ({
        send: async (wire) => {
          const answer = await send(wire);
          return isLying && wire.method === "GET" ? lie(wire, answer) : answer;
        },
        close,
      }),
    });
    bench.write("rnv.yaml", shop);
    isLying = false;
    expect((await bench.apply(request)).exitCode).toBe(0);
    const made = bench.writes().length;
    // What is younger is not believed gone on the word of any read.
    bench.clock.advance(3 * 60_000);
    written = () => bench.writes().slice(made);
    isLying = true;
  });
  afterEach(() => bench.remove());

  const request = {
    adopt: true,
    approve: async () => ({ confirmedDeletes: names.map((name) => `service.shop.${name}` as never) }),
  };

  const verdictOf = ({
    exitCode,
    diagnostics,
  }: {
    exitCode: number;
    diagnostics: readonly { code: string }[];
  }) => ({
    isStopped: exitCode !== 0,
    codes: [...new Set(diagnostics.map(({ code }) => code))],
  });
  const expected = { isStopped: stops !== undefined, codes: stops === undefined ? [] : [stops] };
  const settled = (work: Promise<Parameters<typeof verdictOf>[0]>) =>
    work.catch((cause: unknown) => ({ exitCode: 1, diagnostics: [diagnosticOf(cause as ApiError)] }));

  it("plans nothing to create and nothing to delete", async () => {
    const planned = await settled(bench.plan(request));
    expect(verdictOf(planned)).toEqual(expected);
    const changes = (planned as Awaited<ReturnType<Workbench["plan"]>>).plan?.changes ?? [];
    expect(changes.filter(({ action }) => action !== "no-op")).toEqual([]);
  });

  it("has an apply with every approval write nothing, and the next one finds all as it was", async () => {
    expect(verdictOf(await settled(bench.apply(request)))).toEqual(expected);
    expect(written()).toEqual([]);
    isLying = false;
    const { plan: quiet, diagnostics } = await bench.plan(request);
    expect(diagnostics).toEqual([]);
    expect(quiet?.changes.filter(({ action }) => action !== "no-op")).toEqual([]);
  });
});

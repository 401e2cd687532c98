import { randomBytes } from "node:crypto";
import { schema } from "../../../src/commands/schemas";
import { error, SourceFile } from "../../../src/diagnostics/diagnostic";
import { type ApplyEvent, eventSchema } from "../../../src/model/apply-event";
import { stateFileSchema } from "../../../src/model/state";
import { planDocument } from "../../../src/plan/document";
import { driftDocumentSchema, driftReport } from "../../../src/plan/drift";
import { planDocumentSchema } from "../../../src/plan/plan-schema";
import { planFromDocument } from "../../../src/plan/read-document";
import {
  deploymentsDocument,
  deploymentsSchema,
  eventDocument,
  historySchema,
  outputsSchema,
  statusDocument,
  statusSchema,
  versioned,
} from "../../../src/report/documents";
import { driftJson } from "../../../src/report/drift-report";
import { jsonText } from "../../../src/report/escape-text";
import { planText } from "../../../src/report/plan-text";
import { outputsDocument } from "../../../src/report/state-list";
import { plainStyle } from "../../../src/report/style";
import { StateCipher } from "../../../src/state/cipher";
import { emptyState } from "../../../src/state/recorded";
import { address, change, field, plan, shopPlan, value } from "../../support/plan-fixture";

const published = (name: Parameters<typeof schema>[0]) =>
  schema(name) as Described & { readonly $schema: string };

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Described;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

type Path = readonly (string | number)[];

/** The objects of a document that a published schema describes key by key, each with its description and its path. */
function describedObjects(schema: Described, value: unknown, path: Path = []): [Described, Path][] {
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return describedObjects(formOf(forms, value), value, path);
  if (Array.isArray(value))
    return value.flatMap((item, i) =>
      schema.items ? describedObjects(schema.items, item, [...path, i]) : [],
    );
  if (value === null || typeof value !== "object") return [];
  const inner = Object.entries(value).flatMap(([key, item]) => {
    const found = schema.properties?.[key];
    return found ? describedObjects(found, item, [...path, key]) : [];
  });
  return schema.properties ? [[schema, path], ...inner] : inner;
}

/** Of several forms the one whose constants are those of the value. */
function formOf(forms: readonly Described[], value: unknown): Described {
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  const fits = ({ properties = {} }: Described): boolean =>
    Object.entries(properties).every(([key, { const: only, enum: some }]) =>
      only === undefined ? (some?.includes(object[key]) ?? true) : only === object[key],
    );
  return forms.find((form) => form.properties !== undefined && fits(form)) ?? {};
}

/** The document with the object at a path changed. */
function changedAt(document: object, path: Path, change: (object: Record<string, unknown>) => void): object {
  const copy = structuredClone(document) as Record<string, unknown>;
  change(path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy) as typeof copy);
  return copy;
}

const reported = driftReport(
  plan([
    change("update", "service.a", {
      attributes: [field("p", value(1), value(2)), field("q", value(1), value(2), { cause: "drift" })],
      drift: [field("q", value(2), value(1), { cause: "drift" })],
    }),
    change("create", "service.b", { missing: true }),
  ]),
);
const at = "2030-01-01T00:00:00Z";
const failed: ApplyEvent = {
  type: "failed",
  address: address("service.a"),
  action: "create",
  elapsedSeconds: 4,
  diagnostic: error("api.unavailable", "no answer", {
    range: new SourceFile("rnv.yaml", "version: 1").range(0, 1),
  }),
};
const release = { id: "d1", status: "live", serves: true, cancelRequested: false, canRollback: false };
const service = {
  ...{ address: address("service.a"), id: "s1", name: "a", runs: "release" as const, archived: false },
  ...{ release, standing: [], variables: [{ key: "TOKEN", managed: "rnv" as const, changed: at }] },
};
const list = { address: address("service.a"), deployments: [release], hasMore: false, reason: "off" };
const documents = [
  ["status", statusSchema, jsonText(statusDocument([service]))],
  ["deployments", deploymentsSchema, jsonText(deploymentsDocument(list))],
  ["plan", planDocumentSchema, jsonText(planDocument(shopPlan))],
  ["drift", driftDocumentSchema, driftJson({ report: reported, diagnostics: [] })],
  ["events", eventSchema, jsonText(eventDocument(failed, at))],
] as const;

describe.each(documents)("the published schema of %s", (name, accepts, text) => {
  const document = JSON.parse(text) as object;
  const objects = describedObjects(published(name), document);

  it("is draft 07, and its checks accept a document that was written", () => {
    expect(published(name).$schema).toBe("http://json-schema.org/draft-07/schema#");
    expect(accepts.safeParse(document).error).toBeUndefined();
    expect(objects.length).toBeGreaterThan(1);
  });

  it("has each key that is written, at any depth, and nothing that is not described is accepted", () => {
    for (const [described, path] of objects) {
      expect(described.additionalProperties).toBe(false);
      const more = changedAt(document, path, (object) => {
        expect(Object.keys(described.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(object)));
        object["not-described"] = 1;
      });
      expect(accepts.safeParse(more).success).toBe(false);
    }
  });

  it("says of each key whether it may be left out", () => {
    // An object of each form: others of it have the same keys.
    for (const [described, path] of new Map(objects))
      for (const key of Object.keys(described.properties ?? {})) {
        const less = changedAt(document, path, (object) => delete object[key]);
        expect([key, accepts.safeParse(less).success]).toEqual([key, !described.required?.includes(key)]);
      }
  });
});

it("the schemas of outputs and of the history accept what is written", () => {
  const run = {
    command: "apply",
    by: "me@host",
    id: "1",
    startedAt: at,
    digest: "d",
    job: "https://ci.test/1",
  };
  const history = versioned({
    runs: [run, { ...run, commit: "c", endedAt: at, exitCode: 0, counts: { added: 1 } as never }],
  });
  expect(historySchema.safeParse(history).error).toBeUndefined();
  const outputs = outputsDocument({ url: "https://a.test", ports: [1, { a: null }] });
  expect(outputsSchema.safeParse(outputs).error).toBeUndefined();
  expect(published("history").required).toEqual(["format_version", "runs"]);
});

it("the state schema describes a state in the clear and an encrypted state", async () => {
  const empty = emptyState({ lineage: "line", workspaceId: "w", baseUrl: "https://api.test/api/v1" });
  const gone = {
    type: "service",
    name: "old",
    address: address("service.old"),
    at: "2026-01-01T00:00:00.000Z",
  };
  const optional = {
    stack: "shop",
    stage: "production",
    repository: "git.example.com/acme/shop",
    deleted: { "id-1": gone },
    lastRunAt: "2026-01-01T00:00:00.000Z",
    history: [{ id: "r", command: "apply", by: "ada", startedAt: "2026-01-01T00:00:00.000Z", digest: "d" }],
    handOver: { to: "/elsewhere/state.json", addresses: [address("service.old")] },
  };
  const state = { ...empty, ...optional };
  const cipher = new StateCipher({ RNV_STATE_KEY: "0123456789abcdef".repeat(4) }, randomBytes);
  const forms = (published("state").oneOf ?? published("state").anyOf) as {
    properties: object;
    required: string[];
  }[];
  for (const [i, encrypted] of [false, true].entries()) {
    const document = JSON.parse(await cipher.encode(state, undefined, encrypted));
    expect(stateFileSchema.safeParse(document).error).toBeUndefined();
    const { properties, required } = forms[i] as (typeof forms)[number];
    expect(Object.keys(document).sort()).toEqual(Object.keys(properties).sort());
    const always = Object.keys(document).filter((key) => !(key in optional));
    expect([...required].sort()).toEqual(always.sort());
    const { serial: _serial, ...without } = document;
    expect(stateFileSchema.safeParse(without).success).toBe(false);
  }
});

it("a plan read back from its document is shown as it was", () => {
  const replaced = change("replace", "service.x", {
    id: "1",
    missing: true,
    previousAddress: address("service.y"),
    attributes: [field("kind", value("web"), value("static"), { forcesReplacement: true })],
    deletesAfter: [address("service.z")],
  });
  const standing = [
    {
      address: address("service.b"),
      code: "suspended",
      class: "running",
      summary: "suspended",
      since: "2026-11-22T05:40:00Z",
    } as const,
  ];
  const restored = change("update", "service.c", { restores: true, attributes: replaced.attributes });
  const given = plan([replaced, change("adopt", "service.b", { id: "2" }), restored], { standing });
  const shown = planFromDocument(JSON.parse(jsonText(planDocument(given))));
  expect(shown && planText(shown, plainStyle)).toBe(planText(given, plainStyle));
});

it("a document that is not a plan is not shown", () => {
  expect(planFromDocument({ format_version: "1.2" })).toBeUndefined();
});

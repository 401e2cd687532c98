import type { Address } from "../../src/model/address";
import { digestPlan } from "../../src/plan/digest";
import { planDocument } from "../../src/plan/document";
import type { AttributeChange, Change, Plan } from "../../src/plan/plan";
import {
  compareWithRecord,
  declaredBesides,
  joinRecords,
  type PlanRecord,
  recordPlan,
} from "../../src/plan/plan-record";
import { planFromDocument } from "../../src/plan/read-document";
import { fc } from "../support/fixed-seed";
import { inSoak } from "../support/soak";
import { createWorkbench, stateKey as key, type Workbench } from "../support/workbench";
import { manifestText, type ShopSpec, shopSpec } from "./shops";

/** A manifest with the secrets of `texts`, and a text around a reference, whose value only an apply knows. */
const withSecrets = (texts: readonly string[], buildCommand = "") =>
  JSON.stringify({
    services: {
      s0: { kind: "web" },
      s1: {
        ...{ kind: "web", configuration: { buildCommand } },
        variables: Object.fromEntries(texts.map((_, i) => [`T${i}`, { fromEnv: `T${i}` }])),
      },
    },
  });

async function withBench<Result>(
  use: (bench: Workbench) => Promise<Result>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const bench = createWorkbench({ environment });
  try {
    return await use(bench);
  } finally {
    bench.remove();
  }
}

async function planOf(
  bench: Workbench,
  text: string,
  secrets: "resolve" | "skip" = "resolve",
): Promise<Plan> {
  bench.write("rnv.yaml", text);
  const { plan } = await bench.plan({ adopt: true, allowEmpty: true, secrets });
  if (!plan) throw new Error("there is no plan");
  return plan;
}

/** The plan from one random manifest to another. */
const planned = (first: ShopSpec, second: ShopSpec): Promise<Plan> =>
  withBench(async (bench) => {
    bench.write("rnv.yaml", manifestText(first));
    await bench.apply();
    return planOf(bench, manifestText(second));
  });

const at = (text: string): Address => text as Address;

/** The digest of a plan with one change of it rewritten. */
const digestWith = (plan: Plan, index: number, rewrite: (change: Change) => Change): string =>
  digestPlan({ ...plan, changes: plan.changes.map((one, i) => (i === index ? rewrite(one) : one)) });

const fieldWise =
  (rewrite: (field: AttributeChange) => AttributeChange) =>
  (change: Change): Change => ({ ...change, attributes: change.attributes.map(rewrite) });

/** The id of what goes with its parent, and that of a deployment, are no part. */
const isListed = ({ action, reason, withParent }: Change): boolean =>
  action !== "no-op" && reason === undefined && !withParent;

const runs = { numRuns: inSoak(200, 12) };

jest.setTimeout(120_000);

describe("the digest of a plan", () => {
  it("moves with an address, an action, an id or a value, and with nothing else", () =>
    fc.assert(
      fc.asyncProperty(shopSpec, shopSpec, fc.nat(), fc.string(), async (first, second, pick, text) => {
        const plan = await planned(first, second);
        const listed = plan.changes.flatMap((change, i) => (isListed(change) ? [i] : []));
        fc.pre(listed.length > 0);
        const index = listed[pick % listed.length] as number;
        const fields: readonly Partial<AttributeChange>[] =
          plan.changes[index]?.attributes.length === 0
            ? []
            : [
                { before: { kind: "value", value: "?" } },
                { after: { kind: "value", value: "?" } },
                { path: "?" },
              ];
        const output = { name: "o", before: { kind: "absent" }, after: { kind: "value", value: 1 } } as const;
        const moved = [
          digestWith(plan, index, (change) => ({ ...change, address: at(`${change.address}2`) })),
          digestWith(plan, index, (change) => ({ ...change, action: "adopt", id: "i" })),
          digestWith(plan, index, (change) => ({ ...change, id: `${change.id}2` })),
          digestPlan({ ...plan, changes: plan.changes.filter((_, i) => i !== index) }),
          ...fields.map((other) =>
            digestWith(
              plan,
              index,
              fieldWise((field) => ({ ...field, ...other })),
            ),
          ),
          digestPlan({ ...plan, outputs: [...plan.outputs, output] }),
        ];
        expect(new Set([plan.digest, ...moved]).size).toBe(moved.length + 1);
        const rewritten = plan.changes
          .map((change) => ({
            ...change,
            ...{ effects: ["billing" as const], dependsOn: [], binding: null },
            ...(change.reason !== undefined && { reason: text }),
            attributes: [...change.attributes].reverse().map((field) => ({
              ...field,
              cause: "drift" as const,
              range: { file: text, start: pick, end: pick },
            })),
          }))
          .reverse();
        const { previousAddress: _, ...silent } = rewritten[0] as Change;
        const quiet = { ...silent, address: at("service.silent"), action: "no-op" as const };
        expect(digestPlan({ ...plan, changes: [...rewritten, quiet] })).toBe(plan.digest);
        expect(planFromDocument(planDocument(plan))?.digest).toBe(plan.digest);
      }),
      runs,
    ));

  it("is that of a plan that knew no secret; the record tells their texts apart, and lists those not read", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("first-text", "second-text"), { maxLength: 3 }),
        async (texts) => {
          const environmentOf = (end: string) =>
            Object.fromEntries(texts.map((text, i) => [`T${i}`, `${text}${end}`]));
          const plan = (secrets: "resolve" | "skip", end = "") =>
            withBench((bench) => planOf(bench, withSecrets(texts), secrets), environmentOf(end));
          const [read, blind, other] = [
            await plan("resolve"),
            await plan("skip"),
            await plan("resolve", "2"),
          ];
          const secrets = texts.map((_, i) => ({ address: `variable.s1.T${i}`, kind: "value" }));
          expect([blind.digest, other.digest]).toEqual([read.digest, read.digest]);
          expect(compareWithRecord(recordPlan(read, key), other, { key })).toEqual(secrets);
          const record = recordPlan(blind, key);
          expect(Object.keys(record.unread).sort()).toEqual(secrets.map(({ address }) => address));
          const { changes: _, ...short } = record;
          for (const reviewed of [record, short])
            for (const one of [read, other]) expect(compareWithRecord(reviewed, one, { key })).toEqual([]);
        },
      ),
      { numRuns: inSoak(40, 5) },
    ));

  it("moves with the text around a value that only apply knows; the record tells that of a secret", async () => {
    const plan = (text: string) => withBench((bench) => planOf(bench, text));
    const urls = ["a ${service.s0.url}", "b ${service.s0.url}", "a ${service.s0.id}", "${service.s0.url}"];
    const plans = await Promise.all(urls.map((url) => plan(withSecrets([], url))));
    expect(new Set(plans.map(({ digest }) => digest)).size).toBe(urls.length);
    const [first, second] = plans as [Plan, Plan];
    expect(compareWithRecord(recordPlan(first, key), second, { key })).toEqual([
      { address: "service.s1", kind: "value" },
    ]);
    // Records of earlier versions have no digest of that text.
    const withoutText = JSON.parse(JSON.stringify(recordPlan(first, key)).replaceAll(/ [0-9a-f]{16}"/g, '"'));
    expect(compareWithRecord(withoutText, first, { key })).toEqual([]);
    const withVariable = (url: string) =>
      plan(
        JSON.stringify({ services: { s0: { kind: "web" }, s1: { kind: "web", variables: { URL: url } } } }),
      );
    const [one, other] = [await withVariable(urls[0] as string), await withVariable(urls[1] as string)];
    expect(compareWithRecord(recordPlan(one, key), one, { key })).toEqual([]);
    expect(compareWithRecord(recordPlan(one, key), other, { key })).toEqual([
      { address: "variable.s1.URL", kind: "value" },
    ]);
  });

  it("has a record that tells every difference, and takes what a run left of it for the rest", () =>
    fc.assert(
      fc.asyncProperty(shopSpec, shopSpec, fc.nat(), fc.boolean(), async (first, second, pick, isEnded) => {
        const plan = await planned(first, second);
        const record = recordPlan(plan, key);
        const { digest } = record;
        const compare = (to: PlanRecord, now: Plan, runs: { digest: string; exitCode?: number }[] = []) =>
          compareWithRecord(to, now, { key, runs });
        // What was not known is known by now.
        const madeKnown = fieldWise((field) =>
          field.after.kind === "unknown" ? { ...field, after: { kind: "value", value: "known" } } : field,
        );
        // A change that was made stays in the plan, without an action.
        const isDone = (change: Change, i: number): boolean => isListed(change) && (i + pick) % 2 === 1;
        const left = plan.changes.map(
          (change, i): Change => (isDone(change, i) ? { ...change, action: "no-op" } : change),
        );
        const rest = { ...plan, changes: left.map(madeKnown) };
        expect(compare(record, plan)).toEqual([]);
        expect(compare(record, { ...plan, changes: plan.changes.map(madeKnown) })).toEqual([]);
        expect(compare(record, rest).every(({ kind }) => kind === "gone")).toBe(true);
        const endedRun = { digest: "another", exitCode: 0 };
        const ownRun = { digest, exitCode: isEnded ? 0 : 3 };
        const used = [{ address: "the plan", kind: "applied" }];
        expect(compare(record, rest, [ownRun, endedRun])).toEqual(isEnded ? used : []);
        expect(compare(record, plan, [endedRun, ownRun])).toEqual(used);
        expect(compare(record, plan, [endedRun])).toEqual([]);
        expect(compare(record, rest, [{ digest }])).toEqual([]);
        // Of one that was too long for its comment the digest and one fingerprint are known.
        const { changes: _, ...short } = record;
        expect(compare(short, plan)).toEqual([]);
        const listed = plan.changes.filter(isListed);
        const one = listed[pick % Math.max(1, listed.length)];
        fc.pre(one !== undefined);
        const { address } = one as Change;
        const edit = (rewrite: (change: Change) => Change): Plan => ({
          ...plan,
          changes: plan.changes.map((change) => (change.address === address ? rewrite(change) : change)),
        });
        const another = edit((change) => ({ ...change, id: "another" }));
        // A deployment of another service is another, too.
        for (const runs of [[], [{ digest }]]) {
          const told = compare(record, another, runs);
          expect(told).toContainEqual({ address, kind: "other" });
          expect(told.filter(({ kind }) => kind !== "other")).toEqual([]);
        }
        expect(compare(short, another)).toEqual([{ address: "the plan", kind: "somewhere" }]);
        expect(
          compare(
            record,
            edit((change) => ({ ...change, action: "no-op" })),
          ),
        ).toEqual([{ address, kind: "gone" }]);
        const { [address]: own, ...others } = record.changes;
        const before = { ...record, digest: "another", changes: others };
        const besides = (now: Plan) => declaredBesides(compare(before, now), now);
        const isMoved = ({ missing, drift = [], attributes }: Change): boolean =>
          missing === true || drift.length > 0 || attributes.some(({ cause }) => cause === "drift");
        expect(besides(plan)).toEqual(isMoved(one as Change) ? [] : [address]);
        for (const moved of [{ missing: true }, { drift: [{ path: "kind" }] }] as const)
          expect(besides(edit((change) => ({ ...change, ...moved }) as Change))).toEqual([]);
        // Two that were reviewed apart are one; where both change the same in other ways, no review saw both.
        if (!own) throw new Error(`${address} was not recorded`);
        const joined = (records: PlanRecord[]) => joinRecords(records)[0] ?? record;
        const part = { ...record, digest: "part", changes: { [address]: own } };
        expect(compare(joined([before, part]), plan)).toEqual([]);
        expect(compare(joined([before, short]), plan)).toHaveLength(1);
        const torn = { ...part, changes: { [address]: { ...own, digest: "x" } } };
        expect(compare(joined([before, part, torn]), plan)).toEqual([{ address, kind: "new" }]);
      }),
      runs,
    ));
});

import { Secret } from "../../src/model/secret";
import { type DesiredValue, Template, UnreadSecret } from "../../src/model/value";
import {
  compareWithRecord,
  declaredBesides,
  digestPlan,
  isExpected,
  isMadeKnown,
  isRestOf,
  isReviewed,
  joinRecords,
  type ReviewedChange,
  recordPlan,
} from "../../src/plan/digest";
import { planDocument } from "../../src/plan/document";
import { makePlan } from "../../src/plan/make-plan";
import type { AttributeChange, Change, Plan, PlanInput } from "../../src/plan/plan";
import { planFromDocument } from "../../src/render/plan-json";
import { fc } from "../support/fixed-seed";
import { at, declare, desiredOf, key, World } from "../support/plan-world";
import { inSoak } from "../support/soak";

interface ServiceSpec {
  readonly kind: "web" | "static";
  readonly branch: string | undefined;
  readonly port: number | undefined;
  readonly secret: string | undefined;
  readonly refersTo: number;
}

const serviceSpec: fc.Arbitrary<ServiceSpec> = fc.record({
  kind: fc.constantFrom("web", "static"),
  branch: fc.constantFrom("main", "dev", undefined),
  port: fc.constantFrom(80, 81, undefined),
  secret: fc.constantFrom("a", "b", undefined),
  refersTo: fc.nat(3),
});
const manifest = fc.array(serviceSpec, { maxLength: 4 });

function desiredFrom(specs: readonly ServiceSpec[], read = (text: string): DesiredValue => new Secret(text)) {
  const resources = specs.flatMap((spec, i) => [
    declare(`service.p.s${i}`, {
      kind: spec.kind,
      ...(spec.branch !== undefined && { "configuration.branch": spec.branch }),
      ...(spec.port !== undefined && { "configuration.port": spec.port }),
    }),
    ...(spec.secret === undefined ? [] : [declare(`variable.p.s${i}.TOKEN`, { value: read(spec.secret) })]),
    ...(spec.refersTo < i ? [declare(`variable.p.s${i}.URL`, { value: addressed("https://", spec) })] : []),
  ]);
  return desiredOf([declare("project.p"), ...resources]);
}

const addressed = (scheme: string, { refersTo }: Pick<ServiceSpec, "refersTo">): Template =>
  new Template([scheme, { address: at(`service.p.s${refersTo}`), attribute: "url" }], true);

const everything = { adopt: true, allowEmpty: true } as const;

/** The plan from one random manifest to another, with what it was made from. */
function planned(first: readonly ServiceSpec[], second: readonly ServiceSpec[]): [Plan, PlanInput] {
  const world = new World();
  world.settle(desiredFrom(first));
  const input = world.input(desiredFrom(second), everything);
  return [makePlan(input), input];
}

/** The digest of a plan with one change of it rewritten. */
const digestWith = (plan: Plan, index: number, rewrite: (change: Change) => Change): string =>
  digestPlan({ ...plan, changes: plan.changes.map((one, i) => (i === index ? rewrite(one) : one)) }, key)
    .digest;

const fieldWise =
  (rewrite: (field: AttributeChange) => AttributeChange) =>
  (change: Change): Change => ({ ...change, attributes: change.attributes.map(rewrite) });

const runs = { numRuns: inSoak(400, 60) };

describe("the digest of a plan", () => {
  it("moves with an address, an action, an id or a value", () => {
    fc.assert(
      fc.property(manifest, manifest, fc.nat(), (first, second, pick) => {
        const [plan] = planned(first, second);
        const listed = plan.changes.flatMap(({ action }, i) => (action === "no-op" ? [] : [i]));
        fc.pre(listed.length > 0);
        const index = listed[pick % listed.length] as number;
        const { attributes } = plan.changes[index] as Change;
        const moved = [
          digestWith(plan, index, (change) => ({ ...change, address: at(`${change.address}2`) })),
          digestWith(plan, index, (change) => ({ ...change, action: "adopt", id: "i" })),
          digestWith(plan, index, (change) => ({ ...change, id: `${change.id}2` })),
          digestWith(plan, index, (change) => ({ ...change, previousAddress: at("service.before") })),
          digestPlan({ ...plan, changes: plan.changes.filter((_, i) => i !== index) }, key).digest,
          ...(attributes.length === 0
            ? []
            : [
                digestWith(
                  plan,
                  index,
                  fieldWise((field) => ({ ...field, before: { kind: "value", value: "?" } })),
                ),
                digestWith(
                  plan,
                  index,
                  fieldWise((field) => ({ ...field, after: { kind: "value", value: "?" } })),
                ),
                digestWith(
                  plan,
                  index,
                  fieldWise((field) => ({ ...field, path: `${field.path}2` })),
                ),
              ]),
          digestPlan(
            {
              ...plan,
              outputs: [
                ...plan.outputs,
                { name: "o", before: { kind: "absent" }, after: { kind: "value", value: 1 } },
              ],
            },
            key,
          ).digest,
        ];
        expect(new Set([plan.digest, ...moved]).size).toBe(moved.length + 1);
      }),
      runs,
    );
  });

  it("moves with nothing else: serials, times, order, causes, effects, places in files, the address of the service", () => {
    fc.assert(
      fc.property(manifest, manifest, fc.string(), fc.nat(), (first, second, text, number) => {
        const [plan, input] = planned(first, second);
        const { state } = input;
        const elsewhere = makePlan({
          ...input,
          desired: {
            ...input.desired,
            resources: new Map([...input.desired.resources].reverse()),
            sources: new Map([[text, text]]),
          },
          inventory: [...input.inventory].reverse(),
          baseUrl: "https://elsewhere.example/api/v1",
          timestamp: new Date(number).toISOString(),
          ...(state && {
            state: {
              ...state,
              serial: number,
              lineage: text,
              resources: Object.fromEntries(Object.entries(state.resources).reverse()),
            },
          }),
          reads: new Map(
            [...input.reads].map(([address, read]) => [
              address,
              // The time tells whether a secret was changed: it stays where one is recorded.
              read.kind === "found" && read.live.type !== "variable"
                ? { kind: "found", live: { ...read.live, updatedAt: new Date(number).toISOString() } }
                : read,
            ]),
          ),
        });
        const rewritten = plan.changes
          .map((change) => ({
            ...change,
            effects: ["billing" as const],
            dependsOn: [],
            binding: null,
            reason: text,
            attributes: [...change.attributes].reverse().map((field) => ({
              ...field,
              cause: "drift" as const,
              range: { file: text, start: number, end: number },
            })),
          }))
          .reverse();
        const silent = {
          ...(rewritten[0] as Change),
          address: at("service.silent"),
          action: "no-op" as const,
        };
        const { previousAddress: _, ...quiet } = silent;
        expect(elsewhere.digest).toBe(plan.digest);
        expect(digestPlan({ ...plan, changes: [...rewritten, quiet] }, key).digest).toBe(plan.digest);
        expect(planFromDocument(planDocument(plan))?.digest).toBe(plan.digest);
      }),
      runs,
    );
  });

  it("moves with the text of a secret, and a plan that knew none of them is the same plan", () => {
    const unread = (): DesiredValue => new UnreadSecret("TOKEN is not set");
    fc.assert(
      fc.property(manifest, (specs) => {
        const world = new World();
        const plan = (read?: (text: string) => DesiredValue) => world.plan(desiredFrom(specs, read));
        const read = plan();
        const blind = plan(unread);
        const other = plan((text) => new Secret(`${text}2`));
        const hasSecrets = specs.some(({ secret }) => secret !== undefined);
        expect(blind.digest).toBe(read.openDigest);
        expect(isExpected(read, blind.digest as string)).toBe(true);
        expect(isExpected(other, read.digest as string)).toBe(!hasSecrets);
        expect(isExpected(blind, read.digest as string)).toBe(blind.digest === read.digest);
      }),
      runs,
    );
  });

  it("moves with the text around a value that only apply knows, and with the secret in it", () => {
    const digestOf = (value: Template): string | undefined =>
      new World().plan(
        desiredOf([
          declare("project.p"),
          declare("service.p.s0", { kind: "web" }),
          declare("service.p.s1", { kind: "web" }),
          declare("variable.p.s1.URL", { value }),
        ]),
      ).digest;
    const spec = { refersTo: 0 };
    const withSecret = (text: string) =>
      new Template([new Secret(text), { address: at("service.p.s0"), attribute: "url" }], true);
    const digests = [
      addressed("https://", spec),
      addressed("http://", spec),
      addressed("https://", { refersTo: 1 }),
      withSecret("a"),
      withSecret("b"),
    ].map(digestOf);
    expect(new Set(digests).size).toBe(digests.length);
  });

  it("has a record that tells every difference, and takes what a run left of it for the rest", () => {
    fc.assert(
      fc.property(manifest, manifest, fc.nat(), fc.boolean(), (first, second, pick, isEnded) => {
        const [plan] = planned(first, second);
        const record = recordPlan(plan);
        const digest = record.digest;
        const left = plan.changes.filter((_, i) => (i + pick) % 2 === 0);
        // What was not known is known by now.
        const madeKnown = fieldWise((field) =>
          field.after.kind === "unknown" ? { ...field, after: { kind: "value", value: "known" } } : field,
        );
        const known = left.map(madeKnown);
        const rest = { ...plan, changes: known };
        expect(compareWithRecord(record, plan)).toEqual([]);
        expect(compareWithRecord(record, rest)?.every(({ kind }) => kind === "gone")).toBe(true);
        // Of one that was too long for its comment only the digest is known.
        expect(compareWithRecord({ digest }, plan)).toBeUndefined();
        expect(isRestOf({ digest }, rest, [{ digest }])).toBe(false);
        const runs = [
          { digest: "another", exitCode: 0 },
          { digest, exitCode: isEnded ? 0 : 3 },
        ];
        expect(isRestOf(record, rest, runs)).toBe(!isEnded);
        expect(isRestOf(record, rest, [{ digest }])).toBe(true);
        expect(isRestOf(record, rest, [])).toBe(false);
        const allKnown = { ...plan, changes: plan.changes.map(madeKnown) };
        const isAny = Object.values(record.changes).some(({ unknown }) => unknown.length > 0);
        expect(isMadeKnown(record, allKnown)).toBe(isAny);
        expect(isMadeKnown(record, plan)).toBe(false);
        const listed = plan.changes.filter(({ action }) => action !== "no-op");
        const one = listed[pick % Math.max(1, listed.length)];
        fc.pre(one !== undefined);
        const { address } = one as Change;
        const edit = (rewrite: (change: Change) => Change): Plan => ({
          ...plan,
          changes: plan.changes.map((change) => (change.address === address ? rewrite(change) : change)),
        });
        expect(
          compareWithRecord(
            record,
            edit((change) => ({ ...change, id: "another" })),
          ),
        ).toEqual([{ address, kind: "other" }]);
        expect(
          compareWithRecord(
            record,
            edit((change) => ({ ...change, action: "no-op" })),
          ),
        ).toEqual([{ address, kind: "gone" }]);
        const { [address]: _, ...others } = record.changes;
        const before = { digest: "another", changes: others };
        const isMoved = ({ missing, drift = [], attributes }: Change): boolean =>
          missing === true || drift.length > 0 || attributes.some(({ cause }) => cause === "drift");
        expect(declaredBesides(before, plan)).toEqual(isMoved(one as Change) ? [] : [address]);
        expect(declaredBesides(record, plan)).toEqual([]);
        for (const moved of [{ missing: true }, { drift: [{ path: "kind" }] }] as const)
          expect(
            declaredBesides(
              before,
              edit((change) => ({ ...change, ...moved }) as Change),
            ),
          ).toEqual([]);
        // Two that were reviewed apart are one; where both change the same in other ways, nobody saw it.
        const part = { digest: "part", changes: { [address]: record.changes[address] as ReviewedChange } };
        expect(isReviewed(plan, joinRecords([before, part]))).toBe(true);
        expect(isReviewed(plan, joinRecords([before, { digest: "part" }]))).toBe(false);
        expect(isReviewed(plan, joinRecords([record, { digest: "part" }]))).toBe(true);
        const torn = { ...part.changes[address], digest: "another" } as ReviewedChange;
        const both = joinRecords([before, part, { digest: "c", changes: { [address]: torn } }]);
        expect(isReviewed(plan, both)).toBe(false);
        expect(joinRecords([record])).toBe(record);
        const gone = {
          digest,
          changes: { ...others, "service.gone": { action: "create", digest, unknown: [] } },
        };
        expect(declaredBesides(gone, plan)).toEqual([]);
        const another = edit((change) => ({ ...change, id: "another" }));
        expect(isMadeKnown(record, { ...another, changes: another.changes.map(madeKnown) })).toBe(false);
        const kinds = compareWithRecord(
          record,
          edit((change) => ({ ...change, address: at("service.z") })),
        );
        expect(kinds?.map(({ kind }) => kind).sort()).toEqual(["gone", "new"]);
        expect(
          isRestOf(
            record,
            edit((change) => ({ ...change, id: "another" })),
            [{ digest }],
          ),
        ).toBe(false);
      }),
      runs,
    );
  });
});

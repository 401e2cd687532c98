import { Secret } from "../../src/model/secret";
import { type DesiredValue, Template, UnreadSecret } from "../../src/model/value";
import {
  compareWithRecord,
  declaredBesides,
  digestPlan,
  joinRecords,
  type PlanRecord,
  type ReviewedChange,
  recordPlan,
} from "../../src/plan/digest";
import { planDocument } from "../../src/plan/document";
import { makePlan } from "../../src/plan/make-plan";
import type { AttributeChange, Change, Plan, PlanInput } from "../../src/plan/plan";
import { planFromDocument } from "../../src/plan/read-document";
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
  digestPlan({ ...plan, changes: plan.changes.map((one, i) => (i === index ? rewrite(one) : one)) });

const fieldWise =
  (rewrite: (field: AttributeChange) => AttributeChange) =>
  (change: Change): Change => ({ ...change, attributes: change.attributes.map(rewrite) });

const runs = { numRuns: inSoak(400, 30) };

describe("the digest of a plan", () => {
  it("moves with an address, an action, an id or a value", () => {
    fc.assert(
      fc.property(manifest, manifest, fc.nat(), (first, second, pick) => {
        const [plan] = planned(first, second);
        // The id of what goes with its parent, and that of a deployment, are no part.
        const listed = plan.changes.flatMap(({ action, reason, withParent }, i) =>
          action === "no-op" || reason !== undefined || withParent ? [] : [i],
        );
        fc.pre(listed.length > 0);
        const index = listed[pick % listed.length] as number;
        const { attributes } = plan.changes[index] as Change;
        const moved = [
          digestWith(plan, index, (change) => ({ ...change, address: at(`${change.address}2`) })),
          digestWith(plan, index, (change) => ({ ...change, action: "adopt", id: "i" })),
          digestWith(plan, index, (change) => ({ ...change, id: `${change.id}2` })),
          digestPlan({ ...plan, changes: plan.changes.filter((_, i) => i !== index) }),
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
          digestPlan({
            ...plan,
            outputs: [
              ...plan.outputs,
              { name: "o", before: { kind: "absent" }, after: { kind: "value", value: 1 } },
            ],
          }),
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
            ...(change.reason !== undefined && { reason: text }),
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
        expect(digestPlan({ ...plan, changes: [...rewritten, quiet] })).toBe(plan.digest);
        expect(planFromDocument(planDocument(plan))?.digest).toBe(plan.digest);
      }),
      runs,
    );
  });

  it("is that of a plan that knew no secret; the record tells their texts apart, and lists those not read", () => {
    const unread = (): DesiredValue => new UnreadSecret("TOKEN is not set");
    fc.assert(
      fc.property(manifest, (specs) => {
        const world = new World();
        const plan = (read?: (text: string) => DesiredValue) => world.plan(desiredFrom(specs, read));
        const [read, blind] = [plan(), plan(unread)];
        const other = plan((text) => new Secret(`${text}2`));
        const secrets = specs.flatMap(({ secret }, i) =>
          secret === undefined ? [] : [{ address: `variable.p.s${i}.TOKEN`, kind: "value" }],
        );
        expect([blind.digest, other.digest]).toEqual([read.digest, read.digest]);
        expect(compareWithRecord(recordPlan(read, key), other, { key })).toEqual(secrets);
        const record = recordPlan(blind, key);
        expect(Object.keys(record.unread).sort()).toEqual(secrets.map(({ address }) => address));
        const { changes: _, ...short } = record;
        for (const reviewed of [record, short])
          for (const one of [read, other]) expect(compareWithRecord(reviewed, one, { key })).toEqual([]);
      }),
      runs,
    );
  });

  it("moves with the text around a value that only apply knows", () => {
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
    ].map(digestOf);
    expect(new Set(digests).size).toBe(digests.length);
  });

  it("has a record that tells every difference, and takes what a run left of it for the rest", () => {
    fc.assert(
      fc.property(manifest, manifest, fc.nat(), fc.boolean(), (first, second, pick, isEnded) => {
        const [plan] = planned(first, second);
        const record = recordPlan(plan, key);
        const { digest } = record;
        const compare = (to: PlanRecord, now: Plan, runs: { digest: string; exitCode?: number }[] = []) =>
          compareWithRecord(to, now, { key, runs });
        // What was not known is known by now.
        const madeKnown = fieldWise((field) =>
          field.after.kind === "unknown" ? { ...field, after: { kind: "value", value: "known" } } : field,
        );
        const left = plan.changes.filter((_, i) => (i + pick) % 2 === 0);
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
        const listed = plan.changes.filter(
          ({ action, reason, withParent }) => action !== "no-op" && reason === undefined && !withParent,
        );
        const one = listed[pick % Math.max(1, listed.length)];
        fc.pre(one !== undefined);
        const { address } = one as Change;
        const edit = (rewrite: (change: Change) => Change): Plan => ({
          ...plan,
          changes: plan.changes.map((change) => (change.address === address ? rewrite(change) : change)),
        });
        const another = edit((change) => ({ ...change, id: "another" }));
        expect(compare(record, another)).toEqual([{ address, kind: "other" }]);
        expect(compare(record, another, [{ digest }])).toEqual([{ address, kind: "other" }]);
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
        const part = { ...record, digest: "part", changes: { [address]: own as ReviewedChange } };
        expect(compare(joinRecords([before, part]), plan)).toEqual([]);
        expect(compare(joinRecords([before, short]), plan)).toHaveLength(1);
        const torn = { ...part, changes: { [address]: { ...(own as ReviewedChange), digest: "x" } } };
        expect(compare(joinRecords([before, part, torn]), plan)).toEqual([{ address, kind: "new" }]);
        expect(joinRecords([record])).toBe(record);
      }),
      runs,
    );
  });
});

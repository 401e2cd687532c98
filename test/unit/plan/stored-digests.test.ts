import { defaultLifecycle } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import { sha256 } from "../../../src/model/text";
import { canonicalJson, Template, UnreadSecret } from "../../../src/model/value";
import { recordPlan } from "../../../src/plan/digest";
import type { Plan } from "../../../src/plan/plan";
import { at, declare, desiredOf, key, range, reference, World } from "../../support/plan-world";

const web = { kind: "web", "configuration.branch": "main", "configuration.plan": "starter" };
const address = new Template(["https://", { address: at("service.shop.api"), attribute: "url" }], true);
const archived = { lifecycle: { ...defaultLifecycle, onRemove: "archive" } } as const;

/** A shop of everything; `edit` replaces fields of its service. */
const shop = (edit: object = {}, token: Secret | UnreadSecret = new Secret("a")) =>
  desiredOf(
    [
      declare("project.shop"),
      declare("service.shop.api", { ...web, ...edit }),
      declare("service.shop.old", { kind: "web" }, archived),
      declare("service.docs", { kind: "static" }),
      declare("variable.shop.api.TOKEN", { value: token }),
      declare("variable.docs.API", { value: address }),
      declare("deployment.shop.api"),
    ],
    { outputs: new Map([["url", { value: reference("service.shop.api", "url"), range }]]) },
  );

const settled = (): World => {
  const world = new World();
  world.settle(shop());
  return world;
};

function drifted(mode: "apply" | "refresh-only"): Plan {
  const world = settled();
  world.touch("service.shop.api", { "configuration.branch": "hotfix" });
  world.lose("service.docs", "variable.docs.API");
  return world.plan(shop(), { mode });
}

function adopted(): Plan {
  const world = settled();
  for (const one of ["service.docs", "variable.docs.API"]) world.recorded.delete(at(one));
  return world.plan(shop(), { adopt: true });
}

/** Each plan with its digest and a hash of its record, as comments on pull requests hold them. */
const stored: readonly (readonly [string, () => Plan, digest: string, record: string])[] = [
  [
    "a first plan",
    () => new World().plan(shop()),
    "4df7e51ee624af9419aa9f0df2620bc158a0b3b50b9623a0c2621896b8048598",
    "9388c1f0db8c834fd567342738d2615124a40d06f5ecb24b573fd1c07d97ae48",
  ],
  [
    "an edit",
    () => settled().plan(shop({ "configuration.branch": "next" })),
    "dcf9a91ff3a70245c24a93a53cc9c13efb76669d80b4807d0225b77e34f83af0",
    "c80da277ea2648572b9069298422e81051645c597d6fe6fed415fb855fb3957c",
  ],
  [
    "a rotated secret",
    () => settled().plan(shop({}, new Secret("b"))),
    "202036f5395ad8d5e45e44de0e7d73c2dc76cebe3cb0f3739e26515bd9eef07e",
    "1ce0cda72fbc059a2c3bc41ea871e50936a8894a6ff44b0bf71ec576ab39a613",
  ],
  [
    "a secret that is not read",
    () => settled().plan(shop({}, new UnreadSecret("not set"))),
    "c642c28abd50fdbf655a859b7ed2b0b083204941f32aba6cdcf9c4a59061d3d4",
    "20f80e73ffbc91d3bb6d94234138d7a59cd31cc751f244e200662d4568c9ef1a",
  ],
  [
    "a replacement",
    () => settled().plan(shop({ kind: "static" })),
    "5e17d4a006edd8a4efe8adf6fc8700d04ed3feba98a83c0baca51ec9c1364a44",
    "47e6130e39e08d9ca97b5816b12a5213929283fbe041435024422ea82ab583a9",
  ],
  [
    "a removal",
    () => settled().plan(desiredOf([declare("project.shop")])),
    "acdcbce61477df8836310ae0c588b2908303eba148bbc832ff6098fdc4d82bfc",
    "83851ad0c8ae549dca7691f22fb5bad1f4e439404572f8f36d14c84392fefc8f",
  ],
  [
    "a repair of drift",
    () => drifted("apply"),
    "8486fde8a2903122dcf304c3bd6f08726680122c5ad9c3bf1dbdf5bc82947cf5",
    "8a97aeabbf9efaa9e2232859abf62663a1db45a4475f7d268facf20034a3d6cd",
  ],
  [
    "an adoption",
    adopted,
    "0322193dd55d1adb22a8739f5f17cfcbcf6d1ea20f44fb2c0eec42c3b312f7d1",
    "20cb44a72e257f865acc5252f481d664595f090c046af80e794af2f26673e6bb",
  ],
  [
    "a refresh",
    () => drifted("refresh-only"),
    "f83c97dc1aa3f5ffcb33e0ea489d27a239e5bc64ec72889d645fb77d5bfa6ed6",
    "9acbddd0aa52b42461258b2853ec4225e57d2bdde1685de649aa6f6eba920fcb",
  ],
  [
    "a destruction",
    () => settled().plan(shop(), { mode: "destroy" }),
    "f7c22694cef6c99597abbc37b0870234c917968434377289a429a554c8af407a",
    "2600a3326b484147f1f76740fa75bf515310948734f850d19fbb212afe602b56",
  ],
];

describe("the digest of a plan of an earlier version", () => {
  it.each(stored)("is that of the same plan today: %s", (_, make, digest, record) => {
    const plan = make();
    const hash = sha256(canonicalJson(JSON.parse(JSON.stringify(recordPlan(plan, key)))));
    expect([plan.digest, hash]).toEqual([digest, record]);
  });
});

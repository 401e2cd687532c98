import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as cdktf from "cdktf";
import type { Construct } from "constructs";
import * as onCdktf from "../../../src/cdktf/cdktf";
import { version } from "../../../src/model/tool-version";
import { textIn } from "../../support/rows";
import { newFolder } from "../../support/temp-folder";
import { onBoth } from "./both-libraries";

type Constructs = typeof onCdktf;

/** The same program on one library or the other: every construct, token and friendly method once. */
function declareShop(stack: Construct, constructs: Constructs): onCdktf.Service {
  const { CanvasLayout, Deployment, Project, RnvProvider, Service, Variable } = constructs;
  new RnvProvider(stack, "rnv", { baseUrl: "https://rnv.example.com/api/v1" });
  const shop = new Project(stack, "shop", { name: "Shop", onRemove: "retain" });
  const api = shop.addService("api", {
    kind: "web",
    environment: shop.productionEnvironmentId,
    configuration: { healthCheckPath: "/healthz", ignorePaths: ["docs"], backupEnabled: false },
    lifecycle: { preventDestroy: true },
  });
  const worker = new Service(stack, "worker", { kind: "worker", projectId: shop.id, dependsOn: [api] });
  api.movedFrom("service.shop.web");
  api.addVariable("HOST", `http://${worker.internalHost}:80`);
  api.addVariable("TOKEN", constructs.fromEnv("SHOP_TOKEN"));
  api.addVariable("KEY", constructs.fromFile("secrets/key.txt"));
  api.addVariable("OTHER", constructs.fromCommand("vault", "read"));
  new Variable(worker, "KEPT", { preserve: true });
  api.deployOnChange({ timeout: "20m" });
  new Deployment(stack, "worker-deploy", { service: worker, when: "always" });
  new CanvasLayout(stack, "layout", { project: shop, positions: { api: { x: 1, y: 2 } } });
  new constructs.DataRnvProject(stack, "other", { name: "Other" });
  new constructs.DataRnvCatalog(stack, "catalog");
  return api;
}

let folder: string;
beforeEach(() => {
  folder = newFolder("libraries");
});

function synthesized(library: typeof cdktf, constructs: Constructs): Record<string, unknown> {
  const app = new library.App({ outdir: folder });
  const stack = new library.TerraformStack(app, "shop");
  const api = declareShop(stack, constructs);
  new library.TerraformOutput(stack, "url", { value: api.url });
  const other = new library.TerraformStack(app, "other");
  new constructs.RnvProvider(other, "rnv");
  new constructs.Service(other, "front", { kind: "web", configuration: { buildCommand: `build ${api.id}` } });
  app.synth();
  const texts = ["shop", "other"].map((name) =>
    readFileSync(join(folder, "stacks", name, "cdk.tf.json"), "utf8"),
  );
  return Object.fromEntries(texts.map((text, i) => [i, withoutVersion(JSON.parse(text))]));
}

/** The library writes its own version into the comment at the top. */
function withoutVersion(stack: { "//": { metadata: Record<string, unknown> } }): unknown {
  delete stack["//"].metadata.version;
  return stack;
}

describe("the constructs on cdktf and on cdktn", () => {
  it("synthesize the same JSON", () => {
    const [one, other] = onBoth.map(([, { library, constructs }]) => synthesized(library, constructs));
    expect(other).toEqual(one);
    expect(one?.[0]).toMatchObject({ resource: { rnv_service: { shop__api: { kind: "web" } } } });
  });

  it("write attributes in snake_case, references in place of ids, and names that are addresses", () => {
    const { 0: shop } = synthesized(cdktf, onCdktf);
    expect(shop).toMatchObject(JSON.parse(textIn(join(__dirname, "synthesized.json"), { version })));
  });
});

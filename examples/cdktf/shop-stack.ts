import { TerraformOutput, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { fromEnv, fromFile, generate, Project, RnvProvider } from "terraform-provider-rnv/cdktf";
import { NodeService } from "./node-service";

/** An online shop: an API, a worker behind it, and the secrets of both. */
export class ShopStack extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "rnv");
    const project = new Project(this, "shop", { name: "Shop", description: "Online shop" });

    const worker = new NodeService(this, "worker", {
      project,
      kind: "worker",
      repository: "https://git.example.com/shop/worker",
      startCommand: "node worker.js",
      variables: { QUEUE_TOKEN: fromEnv("SHOP_QUEUE_TOKEN") },
    });
    const api = new NodeService(this, "api", {
      project,
      kind: "web",
      repository: "https://git.example.com/shop/api",
      startCommand: "node server.js",
      variables: {
        WORKER_URL: `http://${worker.service.internalHost}:8000`,
        SESSION_KEY: generate({ length: 32 }),
        LICENSE: fromFile("license.txt"),
      },
    });
    project.addLayout();
    new TerraformOutput(this, "apiUrl", { value: api.service.url });
  }
}

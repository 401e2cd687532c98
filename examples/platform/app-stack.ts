import { TerraformOutput, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { Project, RnvProvider, Service } from "terraform-provider-rnv/cdktf";
import type { PlatformStack } from "./platform-stack";
import { WebService } from "./web-service";

export interface AppStackProps {
  readonly platform: PlatformStack;
  readonly branch: string;
  readonly logLevel: string;
}

/** The shop in one environment. Its id is the name of the environment, and of its state. */
export class AppStack extends TerraformStack {
  constructor(scope: Construct, id: string, { platform, branch, logLevel }: AppStackProps) {
    super(scope, id);
    new RnvProvider(this, "rnv");
    const project = new Project(this, "shop", { name: `Shop ${id}` });
    const { service: api } = new WebService(this, "api", {
      project,
      branch,
      startCommand: "node server.js",
      replicas: 3,
    });
    const { service: site } = new WebService(this, "site", { project, branch, startCommand: "node site.js" });
    site.addVariable("API_URL", api.url);
    for (const service of [api, site]) service.addVariable("LOG_LEVEL", logLevel);
    // The cache belongs to another stack: its value is an output of that stack's state.
    api.addVariable("CACHE_URL", `redis://${platform.cache.internalHost}:6379`);
    api.addVariable("MAIL_HOST", platform.mailer.internalHost);
    // In the project of another stack: shoppers see one status page for all.
    new Service(this, "status", {
      name: `status-${id}`,
      kind: "static",
      project: platform.project,
      configuration: { repository: "https://git.example.com/platform/status", branch },
    });
    project.addLayout();
    new TerraformOutput(this, "url", { value: site.url });
  }
}

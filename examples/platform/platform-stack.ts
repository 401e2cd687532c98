import { TerraformOutput, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { fromEnv, Project, RnvProvider, type Service } from "terraform-provider-rnv/cdktf";

/** The shared parts: the project of the platform, a cache, and the worker that sends mail for everyone. */
export class PlatformStack extends TerraformStack {
  readonly project: Project;
  readonly cache: Service;
  readonly mailer: Service;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    new RnvProvider(this, "rnv");
    this.project = new Project(this, "platform", { name: "Platform", description: "Shared by all shops" });
    this.cache = this.project.addService("cache", {
      kind: "redis",
      configuration: { evictionPolicy: "allkeys-lru" },
    });
    this.mailer = this.project.addService("mailer", {
      kind: "worker",
      configuration: {
        repository: "https://git.example.com/platform/mailer",
        runtime: "node",
        startCommand: "node mailer.js",
      },
    });
    this.mailer.addVariable("SMTP_PASSWORD", fromEnv("SMTP_PASSWORD"));
    new TerraformOutput(this, "mailHost", { value: this.mailer.internalHost });
  }
}

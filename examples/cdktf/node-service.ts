import { Construct } from "constructs";
import type { Project, Secret, Service } from "terraform-provider-rnv/cdktf";

export interface NodeServiceProps {
  readonly project: Project;
  readonly kind: "web" | "worker";
  readonly repository: string;
  readonly startCommand: string;
  readonly variables?: Readonly<Record<string, string | Secret>>;
}

/** A Node service with the defaults of this team. */
export class NodeService extends Construct {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: NodeServiceProps) {
    super(scope, id);
    this.service = props.project.addService(id, {
      kind: props.kind,
      configuration: {
        repository: props.repository,
        runtime: "node",
        startCommand: props.startCommand,
        ...(props.kind === "web" ? { healthCheckPath: "/healthz" } : {}),
      },
    });
    this.service.addVariable("LOG_LEVEL", "info");
    for (const [key, value] of Object.entries(props.variables ?? {})) this.service.addVariable(key, value);
    this.service.deployOnChange();
  }
}

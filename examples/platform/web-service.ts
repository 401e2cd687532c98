import { Construct } from "constructs";
import { type Project, Service } from "terraform-provider-rnv/cdktf";

export interface WebServiceProps {
  readonly project: Project;
  readonly branch: string;
  readonly startCommand: string;
  /** One, unless given. */
  readonly replicas?: number;
}

/** A web service with the defaults of this team. */
export class WebService extends Construct {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: WebServiceProps) {
    super(scope, id);
    // The library leaves this id out of names: the address is service.api, not a hash.
    this.service = new Service(this, "Default", {
      name: id,
      kind: "web",
      project: props.project,
      configuration: {
        repository: `https://git.example.com/shop/${id}`,
        branch: props.branch,
        runtime: "node",
        startCommand: props.startCommand,
        healthCheckPath: "/healthz",
        replicas: props.replicas ?? 1,
      },
    });
  }
}

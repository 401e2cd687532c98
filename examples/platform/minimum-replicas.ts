import type { IAspect } from "cdktf";
import type { IConstruct } from "constructs";
import { Service } from "terraform-provider-rnv/cdktf";

/** Gives every web service of a stack at least so many replicas: `Aspects.of(stack).add(new MinimumReplicas(2))`. */
export class MinimumReplicas implements IAspect {
  constructor(readonly minimum: number) {}

  visit(node: IConstruct): void {
    if (!(node instanceof Service) || node.kindInput !== "web") return;
    const { replicas = 1 } = node.configurationInput ?? {};
    if (replicas < this.minimum) node.configuration.replicas = this.minimum;
  }
}

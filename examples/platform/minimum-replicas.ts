import type { IAspect } from "cdktf";
import type { IConstruct } from "constructs";
import { WebService } from "./web-service";

/** Gives every web service of a stack at least so many replicas: `Aspects.of(stack).add(new MinimumReplicas(2))`. */
export class MinimumReplicas implements IAspect {
  constructor(readonly minimum: number) {}

  visit(node: IConstruct): void {
    if (node instanceof WebService && node.replicas < this.minimum)
      node.service.addOverride("configuration.replicas", this.minimum);
  }
}

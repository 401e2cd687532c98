import { type App, Aspects } from "cdktf";
import { AppStack } from "./app-stack";
import { MinimumReplicas } from "./minimum-replicas";
import { PlatformStack } from "./platform-stack";

/** Three stacks, each with its state: the parts that all environments share, and each environment. */
export function addStacks(app: App): void {
  const platform = new PlatformStack(app, "platform");
  new AppStack(app, "staging", { platform, branch: "develop", logLevel: "debug" });
  const production = new AppStack(app, "production", { platform, branch: "main", logLevel: "info" });
  Aspects.of(production).add(new MinimumReplicas(2));
}

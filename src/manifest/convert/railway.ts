import { basename } from "node:path";
import { type Converter, dropped, Fields } from "./fields";

/** `railway.json` and `railway.toml`: how the one service of a folder is built and deployed. */
export const convertRailway: Converter = (root, report, folder) => {
  const file = new Fields(root, "railway", report);
  file.take("$schema");
  const build = file.map("build");
  const deploy = file.map("deploy");
  file.drop(
    "environments",
    "stages hold what differs",
    "stages: { staging: { overlay: stages/staging.yaml } }",
  );
  build?.drop("builder", "how it is built is chosen by the service", "configuration: { buildMethod: … }");
  const schedule = deploy?.text("cronSchedule");
  deploy?.drop("restartPolicyType", "the service restarts what ends");
  deploy?.drop("restartPolicyMaxRetries", "the service restarts what ends");
  const configuration = {
    rootDirectory: build?.text("rootDirectory"),
    dockerfilePath: build?.text("dockerfilePath"),
    buildCommand: build?.text("buildCommand"),
    includePaths: build?.texts("watchPatterns"),
    preDeployCommand: deploy?.texts("preDeployCommand")?.join(" && "),
    startCommand: deploy?.text("startCommand"),
    healthCheckPath: deploy?.text("healthcheckPath"),
    replicas: deploy?.number("numReplicas"),
    schedule,
  };
  build?.finish();
  deploy?.finish();
  file.finish();
  const kind = schedule === undefined ? "web" : "cron";
  report(
    dropped(
      root.range,
      "railway: the file names neither the repository nor the variables of the service",
      "configuration: { repository: https://… }",
    ),
  );
  return { services: [{ name: basename(folder), kind, configuration }] };
};

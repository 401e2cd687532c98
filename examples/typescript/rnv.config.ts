import { defineManifest, type Manifest, type ManifestService } from "terraform-provider-rnv";

interface Size {
  readonly plan: string;
  readonly replicas: number;
}

/** The differences between environments. */
const sizes: Readonly<Record<string, Size>> = {
  production: { plan: "starter", replicas: 2 },
  staging: { plan: "starter", replicas: 1 },
  preview: { plan: "free", replicas: 1 },
};

/** A Node service with the defaults of the team. */
function nodeService(name: string, { plan, replicas }: Size): ManifestService {
  return {
    kind: "web",
    configuration: {
      repository: `https://git.example.com/shop/${name}`,
      branch: "main",
      runtime: "node",
      healthCheckPath: "/healthz",
      plan,
      replicas,
    },
    variables: { LOG_LEVEL: "info" },
    deploy: { when: "never" },
  };
}

/** Three environments of one function. */
export default defineManifest(({ stage, environment }): Manifest => {
  const size = sizes[stage?.name ?? "preview"];
  if (size === undefined) throw new Error(`stage ${stage?.name} has no size: add it to rnv.config.ts`);
  const isProduction = stage?.name === "production";
  const api = nodeService("api", size);
  return {
    stages: {
      production: { protect: true, overlay: "stages/production.yaml" },
      staging: {},
      preview: { each: true, disposable: true, expires: "72h" },
    },
    projects: {
      shop: {
        name: ["Shop", stage?.name, stage?.id].filter(Boolean).join(" "),
        services: {
          api: {
            ...api,
            variables: {
              ...api.variables,
              WORKER_HOST: "${service.shop.worker.internalHost}",
              // The text of a secret stays out of this file and of its value.
              QUEUE_TOKEN: isProduction ? { fromEnv: "SHOP_QUEUE_TOKEN" } : { generate: { length: 32 } },
              REGION: environment.SHOP_REGION ?? "eu",
            },
          },
          worker: nodeService("worker", { ...size, replicas: 1 }),
        },
      },
    },
    outputs: { apiUrl: "${service.shop.api.url}" },
  };
});

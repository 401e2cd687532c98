import type { Story } from "../world";
import { approve, shop, web } from "./shop";

const open = "$" + "{";
const stages = `stages:
  production: { overlay: production.yaml, protect: true }
  staging: {}
  preview: { each: true, disposable: true, expires: 72h }
`;
const manifest = `${stages}${shop({ api: web() }).replace("name: Shop", `name: "shop-${open}stage.name}-${open}stage.id:-all}"`)}`;
const member = (name: string): string => shop({ api: web() }).replace("name: Shop", `name: ${name}`);

/** One manifest in several stages, and many manifests. */
export const stageStories: readonly Story[] = [
  {
    name: "stages",
    play: async (world) => {
      world.write("rnv.yaml", manifest.replace(`-${open}stage.id:-all}`, ""));
      world.write(
        "production.yaml",
        "projects: { shop: { services: { api: { configuration: { replicas: 2 } } } } }\n",
      );
      await world.rnv("plan");
      for (const stage of ["production", "staging"]) {
        await world.rnv("plan", "--stage", stage, "-json");
        await world.rnv("apply", "--stage", stage, ...approve);
        await world.rnv("plan", "--stage", stage, "-detailed-exitcode");
      }
      await world.rnv("stage", "list", "-json");
      await world.rnv("destroy", "--stage", "production", ...approve);
      await world.rnv("destroy", "--stage", "staging", ...approve);
      await world.rnvWith(
        { env: { RNV_STAGE: "staging" } },
        "plan",
        "-json",
        "--state",
        ".rnv/production/state.json",
      );
    },
  },
  {
    name: "instances of a stage",
    play: async (world) => {
      world.write("production.yaml", "{}\n");
      world.write("rnv.yaml", `${stages}projects: { shop: { name: "shop-${open}stage.id}" } }\n`);
      for (const id of ["12", "13", "demo"]) await world.rnv("apply", "--stage", `preview/${id}`, ...approve);
      await world.rnv("stage", "list", "-json");
      await world.rnv("stage", "sweep", "--stage", "preview", "--keep", "12", "--dry-run");
      await world.rnv("stage", "sweep", "--stage", "preview", "--keep", "12", ...approve);
      await world.rnv("destroy", "--stage", "preview/12", ...approve);
    },
  },
  {
    name: "a fleet",
    play: async (world) => {
      world.write("teams/shop/rnv.yaml", member("Shop"));
      world.write("teams/docs/rnv.yaml", member("Docs"));
      world.write("broken/rnv.yaml", "projects: [\n");
      const one = ["--parallelism", "1"];
      await world.rnv("fleet", "plan", "-json", ...one, "--report", "report");
      await world.rnv("fleet", "apply", "-auto-approve", "-json", ...one);
      await world.rnv("fleet", "drift", "-json", "--member", "teams/*", ...one);
      world.store.editConfiguration(world.service("api").id, { branch: "other" });
      await world.rnv("fleet", "drift", "-json", "--member", "teams/*", ...one, "--metrics", "fleet.prom");
      await world.rnv("fleet", "matrix");
    },
  },
  {
    name: "policies",
    play: async (world) => {
      world.write("rnv.yaml", shop({ api: web("replicas: 1") }));
      world.write(
        "rnv.policy.yaml",
        `policies:
  replicas:
    level: overridable
    each: service
    require: service.configuration.replicas >= 2
    message: two replicas
  health: { level: advisory, each: service, require: 'service.configuration.healthCheckPath != ""', message: no health check }
`,
      );
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("apply", ...approve, "--override-policy", "replicas");
      await world.rnv("plan", "--max-monthly-total", "1usd", "-json");
    },
  },
  {
    name: "tests of a manifest",
    play: async (world) => {
      world.write("rnv.yaml", shop({ api: web("replicas: 2") }));
      world.write(
        "shop.rnvtest.yaml",
        'tests:\n  planned: { expect: { exitCode: 2, actions: { project.shop: create, service.shop.api: create, deployment.shop.api: create } } }\n  applied: { apply: true, expect: { actions: { "*": create } } }\n',
      );
      await world.rnv("test", "-json");
    },
  },
];

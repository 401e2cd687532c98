import type { Story, World } from "../world";
import { approve, shop, twoServices, web } from "./shop";

const begin = async (world: World, manifest = twoServices): Promise<void> => {
  world.write("rnv.yaml", manifest);
  await world.rnv("apply", ...approve);
};

/** What a manifest can change. */
export const changes: readonly Story[] = [
  {
    name: "create",
    play: async (world) => {
      world.write(
        "rnv.yaml",
        `${twoServices}services:\n  docs: { kind: static, configuration: { publishDirectory: build }, deploy: { when: never } }\noutputs: { url: "\${service.shop.api.url}" }\n`,
      );
      await world.rnv("validate");
      await world.rnv("plan", "-json");
      await world.rnv("plan", "-detailed-exitcode");
      await world.rnv("apply", ...approve, "-json");
      await world.rnv("plan", "-detailed-exitcode");
      await world.rnv("output", "-json");
      await world.rnv("show", "-json");
    },
  },
  {
    name: "create, ten at a time",
    play: async (world) => {
      const names = Array.from({ length: 12 }, (_, index) => `svc-${index}`);
      world.write(
        "rnv.yaml",
        shop(Object.fromEntries(names.map((name) => [name, web("", 'variables: { A: "1" }')]))),
      );
      await world.rnvWith({ concurrent: true }, "apply", "-auto-approve", "-input=false");
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "edit",
    play: async (world) => {
      await begin(world);
      world.write(
        "rnv.yaml",
        twoServices.replace("/healthz", "/ready, replicas: 2").replace("info", "debug"),
      );
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      world.write(
        "rnv.yaml",
        twoServices.replace("healthCheckPath: /healthz", "port: 9000").replace("LOG_LEVEL: info, ", ""),
      );
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "fields that are null, false and empty",
    play: async (world) => {
      await begin(
        world,
        shop({ api: web("autoDeploy: on, privateNetworking: false, ignorePaths: [a, b], port: 9000") }),
      );
      world.write(
        "rnv.yaml",
        shop({
          api: web(
            'autoDeploy: null, privateNetworking: true, ignorePaths: [b, a], port: null, startCommand: ""',
          ),
        }),
      );
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "drift and repair",
    play: async (world) => {
      await begin(world);
      world.store.editConfiguration(world.service("api").id, { healthCheckPath: "/other", port: 9001 });
      await world.rnv("drift", "-json");
      await world.rnv("plan", "-json", "-detailed-exitcode");
      await world.rnv("apply", ...approve);
      await world.rnv("drift");
      world.store.addService({ name: "stranger" });
      await world.rnv("drift", "-json", "--fail-on", "unmanaged");
    },
  },
  {
    name: "edit and drift of one field, and a released one",
    play: async (world) => {
      await begin(world);
      world.store.editConfiguration(world.service("api").id, { healthCheckPath: "/other" });
      world.write("rnv.yaml", twoServices.replace("/healthz", "/ready"));
      await world.rnv("plan", "-json");
      world.write("rnv.yaml", twoServices.replace("healthCheckPath: /healthz", "port: 8000"));
      await world.rnv("apply", ...approve, "-json");
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "drift of a variable",
    play: async (world) => {
      await begin(world);
      const [variable] = world.store.variables(world.service("api").id);
      if (variable !== undefined) world.store.editVariable(variable.id, { value: "changed" });
      await world.rnv("drift", "-json");
      await world.rnv("drift", "--verify-values", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "accept what changed outside with -refresh-only",
    play: async (world) => {
      await begin(world);
      world.store.editConfiguration(world.service("api").id, { healthCheckPath: "/other" });
      await world.rnv("plan", "-refresh-only", "-json");
      await world.rnv("apply", "-refresh-only", ...approve);
      await world.rnv("plan", "-json");
    },
  },
  {
    name: "replace",
    play: async (world) => {
      await begin(world);
      world.write("rnv.yaml", twoServices.replace("api: { kind: web", "api: { kind: static"));
      await world.rnv("plan", "-json", "-detailed-exitcode");
      await world.rnv("apply", ...approve);
      await world.rnv("apply", ...approve, "--confirm-delete", "service.shop.api");
      await world.rnv("plan", "-detailed-exitcode");
      await world.rnv(
        "apply",
        ...approve,
        "-replace=service.shop.worker",
        "--confirm-delete",
        "service.shop.worker",
      );
    },
  },
  {
    name: "remove",
    play: async (world) => {
      await begin(world);
      const left = shop({ worker: web("", "deploy: { when: never }") });
      world.write("rnv.yaml", left);
      await world.rnv("plan", "-json", "-detailed-exitcode");
      await world.rnv("apply", ...approve);
      world.write("rnv.yaml", `${left}removed: [service.shop.api]\n`);
      await world.rnv("apply", ...approve);
      world.write("rnv.yaml", "");
      await world.rnv("apply", ...approve, "--confirm-delete", "service.shop.worker");
      await world.rnv("destroy", ...approve);
    },
  },
  {
    name: "deletions that are queued, and one that fails",
    emulator: { conditions: ["queued-deletions"] },
    play: async (world) => {
      await begin(world);
      world.store.failNextOperation(world.service("api").id);
      const args = ["apply", ...approve, "--confirm-delete", "service.shop.api"];
      world.write("rnv.yaml", shop({ worker: web("", "deploy: { when: never }") }));
      await world.rnv(...args);
      await world.rnv(...args);
      await world.rnv("destroy", ...approve);
    },
  },
  {
    name: "archive, restore and retain",
    play: async (world) => {
      await begin(
        world,
        shop({
          api: web("", "lifecycle: { onRemove: archive }"),
          keep: web("", "lifecycle: { onRemove: retain }"),
        }),
      );
      world.write("rnv.yaml", "projects: { shop: { name: Shop } }\n");
      await world.rnv("apply", ...approve, "-json");
      await world.rnv("plan", "-json");
      world.write("rnv.yaml", shop({ api: web() }));
      await world.rnv("apply", ...approve);
      world.store.editService(world.service("api").id, () => ({ archived: true }));
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      world.write("rnv.yaml", shop({ api: web("", "archived: true") }));
      await world.rnv("apply", ...approve);
    },
  },
  {
    name: "protected from deletion",
    play: async (world) => {
      await begin(
        world,
        shop({ api: web("", "lifecycle: { preventDestroy: true, ignoreChanges: [configuration.port] }") }),
      );
      world.store.editConfiguration(world.service("api").id, { port: 9001 });
      await world.rnv("plan", "-detailed-exitcode");
      await world.rnv("destroy", ...approve);
      world.write("rnv.yaml", shop({ api: web() }));
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("destroy", ...approve);
    },
  },
  {
    name: "adopt",
    play: async (world) => {
      const { id: projectId } = world.store.addProject({ name: "Shop" });
      const repository = "https://git.example.com/shop/api";
      const { id } = world.store.addService({
        name: "api",
        projectId,
        live: true,
        configuration: { repository },
      });
      world.store.addVariable(id, "LOG_LEVEL", "info");
      world.write("rnv.yaml", shop({ api: web("", "variables: { LOG_LEVEL: info }") }));
      await world.rnv("plan", "-json");
      await world.rnv("plan", "--adopt", "--verify-values", "-json");
      await world.rnv("apply", "--adopt", "--verify-values", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "adopt by an id, two of a name",
    play: async (world) => {
      const { id: projectId } = world.store.addProject({ name: "Shop" });
      const { id } = world.store.addService({ name: "api", projectId });
      world.store.addService({ name: "api", projectId });
      world.write("rnv.yaml", shop({ api: web() }));
      await world.rnv("plan", "--adopt", "-json");
      world.write("rnv.yaml", shop({ api: web("", `import: "${id}"`) }));
      await world.rnv("apply", "--adopt", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "rename and move",
    play: async (world) => {
      await begin(world);
      world.write("rnv.yaml", twoServices.replace("api: { kind", "api: { name: backend, kind"));
      await world.rnv("apply", ...approve);
      world.write("rnv.yaml", twoServices.replace("api: { kind", "backend: { kind"));
      await world.rnv("plan", "-json");
      world.write(
        "rnv.yaml",
        `${twoServices.replace("api: { kind", "backend: { kind")}moved: [{ from: service.shop.api, to: service.shop.backend }]\n`,
      );
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "gone outside",
    play: async (world) => {
      await begin(world);
      world.store.deleteServiceNow(world.service("api").id);
      await world.rnv("drift", "-json");
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "deployments: pinned, always, failed, awaiting checkout",
    play: async (world) => {
      const pinned = (commit: string): string =>
        shop({ api: web("", `deploy: { commit: ${commit.repeat(40)} }`) });
      await begin(world, pinned("a"));
      world.write("rnv.yaml", pinned("b"));
      await world.rnv("plan", "-json");
      world.store.failNextDeployment(world.service("api").id, "build exited with code 1");
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
      await world.rnv("apply", ...approve, "-json");
      world.write("rnv.yaml", shop({ api: web("", "deploy: { when: always }") }));
      await world.rnv("apply", ...approve);
      world.write("rnv.yaml", shop({ api: web("plan: starter") }));
      await world.rnv("apply", ...approve);
      world.store.completeCheckout(world.service("api").id);
      await world.rnv("apply", ...approve);
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "values from elsewhere",
    play: async (world) => {
      const sources =
        'variables: { A: { fromEnv: A_VALUE }, B: { fromFile: b.txt }, C: { generate: { length: 16 } }, D: { preserve: true }, E: { fromCommand: ["echo", "e-value"] }, F: { value: seen, sensitive: false } }';
      world.write("b.txt", "b-value\n");
      world.write("rnv.yaml", shop({ api: web("", sources) }));
      await world.rnv("plan", "-json");
      await world.rnvWith({ env: { A_VALUE: "a-value" } }, "apply", ...approve);
      await world.rnv("plan", "--no-secrets", "-json");
      await world.rnvWith({ env: { A_VALUE: "other" } }, "plan", "-json");
      await world.rnv("drift");
      await world.rnvWith({ env: { A_VALUE: "other" } }, "apply", ...approve);
    },
  },
  {
    name: "targets, excludes and overlays",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      world.write(
        "more.yaml",
        "projects: { shop: { services: { api: { configuration: { replicas: 2 } }, worker: null } } }\n",
      );
      await world.rnv("plan", "-target=service.shop.worker", "-json");
      await world.rnv("apply", "-exclude=service.shop.api", ...approve);
      await world.rnvText("validate", "--print", "-f", "rnv.yaml", "-f", "more.yaml");
      await world.rnv("plan", "-f", "rnv.yaml", "-f", "more.yaml", "-json");
      await world.rnv("apply", ...approve);
    },
  },
  {
    name: "layout",
    play: async (world) => {
      await begin(world, `${twoServices}    layout: auto\n`);
      await world.rnv("plan", "-detailed-exitcode");
      world.write("rnv.yaml", `${twoServices}    layout: { positions: { api: { x: 10, y: 20 } } }\n`);
      await world.rnv("plan", "-json");
      await world.rnv("apply", ...approve);
    },
  },
  {
    name: "mistakes in a manifest",
    play: async (world) => {
      const mistakes = [
        "projects: [\n",
        "projects: { shop: { servces: {} } }\n",
        shop({ api: '{ kind: web, configuration: { replicas: "2" } }' }),
        shop({ api: "{ kind: wbe }" }),
        shop({ api: web("", 'variables: { A: "${service.shop.nope.url}" }') }),
        "projects: { a: { name: One }, a: { name: Two } }\n",
        "{}\n",
      ];
      for (const mistake of mistakes) {
        world.write("rnv.yaml", mistake);
        await world.rnv("validate", "-json");
        await world.rnv("plan", "-json");
      }
      world.remove("rnv.yaml");
      await world.rnv("plan");
    },
  },
];

import type { Story } from "../world";
import { approve, shop, twoServices, web } from "./shop";

/** Verbs outside of a plan. */
export const verbs: readonly Story[] = [
  {
    name: "restart, suspend, resume, deploy, roll back, cancel",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("apply", ...approve);
      const api = "service.shop.api";
      for (const verb of ["restart", "suspend", "resume", "deploy"]) await world.rnv(verb, api, "-json");
      await world.rnv("status", api, "-json");
      await world.rnv("deployments", api, "-json");
      await world.rnv("rollback", api, "--confirm", "wrong");
      await world.rnv("rollback", api, "--confirm", "api", "-json");
      await world.rnv("cancel", api);
      await world.rnv("plan", "-detailed-exitcode");
      await world.rnv("status", "-json");
      await world.rnv("history", "-json");
    },
  },
  {
    name: "a restart whose answer is lost",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnv("apply", ...approve);
      world.atWrite(1, "after", () => {}, { kind: "reset-after" });
      await world.rnv("restart", "service.shop.api", "-json");
      world.fail();
      await world.rnv("restart", "service.shop.api", "-json");
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "start from a live workspace",
    play: async (world) => {
      const { id: projectId } = world.store.addProject({ name: "Shop" });
      const { id } = world.store.addService({
        name: "api",
        projectId,
        live: true,
        configuration: { replicas: 2 },
      });
      world.store.addVariable(id, "LOG_LEVEL", "info");
      world.store.addService({ name: "docs", kind: "static" });
      await world.rnvText("export");
      await world.rnvText("init", "--from", "workspace", "--dry-run");
      await world.rnv("init", "--from", "workspace", "-input=false");
      await world.rnv("plan", "-detailed-exitcode");
    },
  },
  {
    name: "start from other files",
    play: async (world) => {
      world.write(
        "render.yaml",
        "services:\n  - { type: web, name: api, runtime: node, repo: https://git.example.com/api, envVars: [{ key: A, value: b }] }\n",
      );
      world.write(
        "compose.yaml",
        "services:\n  api: { image: nginx, ports: ['80:80'] }\n  db: { image: postgres, ports: ['127.0.0.1:5432:5432'] }\n",
      );
      world.write("Procfile", "web: node server.js\nworker: node worker.js\n");
      await world.rnvText("init", "--from", "render", "render.yaml", "--dry-run");
      await world.rnvText("init", "--from", "compose", "compose.yaml", "--dry-run");
      await world.rnvText("init", "--from", "procfile", "Procfile", "--dry-run");
    },
  },
  {
    name: "graphs, schemas and the version",
    play: async (world) => {
      world.write("rnv.yaml", twoServices);
      await world.rnvText("graph");
      await world.rnv("version", "-json");
      for (const name of ["manifest", "plan", "state", "events", "drift"]) await world.rnv("schema", name);
      await world.rnv("plan", "--html", "plan.html");
      await world.rnv("plan", "--json-into", "plan.json");
      await world.rnv("plan", "--format", "markdown");
      await world.rnv("nonsense");
    },
  },
  {
    name: "to Terraform",
    play: async (world) => {
      world.write("rnv.yaml", shop({ api: web("", "variables: { A: one }") }));
      await world.rnv("apply", ...approve);
      await world.rnvText("terraform", "import-blocks", "--hcl");
    },
  },
];

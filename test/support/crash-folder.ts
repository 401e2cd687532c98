import { readdirSync, readFileSync } from "node:fs";
import type { Fault, SeenRequest } from "../../src/emulator/faults";
import { type Running, TerraformFolder } from "./terraform";

/** One resource of each type, in one service; another version changes each of them. */
export const everything = (version: string, kind = "web") => `
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "api" {
  name       = "api"
  kind       = "${kind}"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = "v${version}"
  }
}
resource "rnv_variables" "api" {
  service_id = rnv_service.api.id
  values     = { A = "one", B = "two" }
}
resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = { api = { x = ${version}, y = 2 } }
  depends_on = [rnv_service.api]
}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  triggers   = { version = "${version}", variables = join(",", values(rnv_variables.api.updated_at)) }
  depends_on = [rnv_canvas_layout.shop]
}
`;

/** Process ids of the provider processes of one terraform. */
const providersOf = (terraform: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        return Number(fields[1]) === terraform;
      } catch {
        return false;
      }
    });

/** A folder whose applies can be cut short. */
export class CrashFolder extends TerraformFolder {
  #running: Running | undefined;

  /** Applies, and kills the provider with the first write that matches, before or after the service commits it. */
  async applyKilledAt(matches: (request: SeenRequest) => boolean, when: "before" | "after"): Promise<void> {
    let isDone = false;
    this.emulator.setFaults((_index, request): Fault | undefined => {
      if (isDone || request.method === "GET" || !matches(request)) return undefined;
      isDone = true;
      const run = (): void => {
        for (const pid of providersOf(this.#running?.child.pid ?? 0)) process.kill(pid, "SIGKILL");
      };
      const broken = { kind: when === "before" ? "reset-before" : "reset-after" } as const;
      // biome-ignore lint/suspicious/noThenProperty: the fault that follows the hook.
      return { kind: "hook", when, run, then: broken };
    });
    this.#running = this.start("apply", "-auto-approve");
    const { code } = await this.#running;
    expect(code).toBe(1);
    this.emulator.setFaults(undefined);
  }

  services = () => this.emulator.store.services().filter(({ deletedAt }) => deletedAt === null);
  deployments = () => this.emulator.store.deployments(this.services()[0]?.id ?? "");
}

import { readdirSync, readFileSync } from "node:fs";
import type { Fault, SeenRequest } from "../../src/emulator/faults";
import { describeTerraform, type Running, TerraformFolder } from "../support/terraform";

const everything = (version: string, kind = "web") => `
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

describeTerraform("applies that are cut short", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  let running: Running | undefined;

  /** Kills the provider with the first write that matches, on that side of the commit. */
  const killAt = (matches: (request: SeenRequest) => boolean, when: "before" | "after"): void => {
    let isDone = false;
    emulator.setFaults((_index, request): Fault | undefined => {
      if (isDone || request.method === "GET" || !matches(request)) return undefined;
      isDone = true;
      const run = (): void => {
        for (const pid of providersOf(running?.child.pid ?? 0)) process.kill(pid, "SIGKILL");
      };
      const broken = { kind: when === "before" ? "reset-before" : "reset-after" } as const;
      // biome-ignore lint/suspicious/noThenProperty: the fault that follows the hook.
      return { kind: "hook", when, run, then: broken };
    });
  };
  const killedApply = async (): Promise<void> => {
    running = world.start("apply", "-auto-approve");
    const { code } = await running;
    expect(code).toBe(1);
    emulator.setFaults(undefined);
  };
  const services = () => emulator.store.services().filter(({ deletedAt }) => deletedAt === null);
  const deployments = () => emulator.store.deployments(services()[0]?.id ?? "");

  beforeAll(() => world.open());
  afterAll(() => world.close());

  it("a provider killed at any write of an apply leaves nothing duplicated on the next one", async () => {
    world.write(everything("1"));
    const creates: readonly [string, "before" | "after"][] = [
      ["/projects", "after"],
      ["/services", "before"],
      ["/services", "after"],
      ["/variables", "after"],
      ["/deploys", "after"],
    ];
    for (const [end, when] of creates) {
      killAt(({ method, path }) => method === "POST" && path.endsWith(end), when);
      await killedApply();
    }
    await world.apply();
    expect(emulator.store.projects()).toHaveLength(1);
    expect(services().map(({ name }) => name)).toEqual(["api"]);
    const variables = emulator.store.variables(services()[0]?.id ?? "");
    expect(variables.map(({ key }) => key).sort()).toEqual(["A", "B"]);
    expect(deployments()).toHaveLength(1);
    await world.expectNoChanges();
  }, 120_000);

  it("so it is with a change and with a second deployment", async () => {
    world.write(everything("2"));
    const steps: readonly [RegExp, "before" | "after"][] = [
      [/\/services\/[^/]+$/, "after"],
      [/\/canvas$/, "after"],
      // Terraform drops private data with a provider that dies: what ran before is known all the same.
      [/\/deploys$/, "before"],
      [/\/deploys$/, "after"],
    ];
    for (const [path, when] of steps) {
      killAt((request) => path.test(request.path), when);
      await killedApply();
    }
    await world.apply();
    expect(services()[0]?.configuration.branch).toBe("v2");
    expect(deployments()).toHaveLength(2);
    await world.expectNoChanges();
  }, 120_000);

  it("so it is with a replacement", async () => {
    world.write(everything("2", "worker"));
    world.settle();
    const steps: readonly [string, RegExp][] = [
      ["DELETE", /\/variables\/[^/]+$/],
      ["DELETE", /\/services\/[^/]+$/],
      ["POST", /\/services$/],
    ];
    for (const [method, path] of steps) {
      killAt((request) => request.method === method && path.test(request.path), "after");
      await killedApply();
    }
    await world.apply();
    expect(services().map(({ name, kind }) => [name, kind])).toEqual([["api", "worker"]]);
    expect(emulator.store.variables(services()[0]?.id ?? "")).toHaveLength(2);
    expect(deployments()).toHaveLength(1);
    await world.expectNoChanges();
  }, 120_000);

  it("so it is with a deletion", async () => {
    world.write("");
    world.settle();
    killAt(({ method, path }) => method === "DELETE" && path.includes("/services/"), "after");
    await killedApply();
    await world.apply();
    expect(services()).toEqual([]);
    expect(emulator.store.projects()).toEqual([]);
  }, 120_000);

  it("Ctrl-C ends the wait for a deployment, keeps what is done, and the next apply goes on with it", async () => {
    const slow = new TerraformFolder({ deploySeconds: 12 });
    await slow.open();
    try {
      slow.write(everything("1"));
      running = slow.start("apply", "-auto-approve");
      const { child } = running;
      while (slow.writes().every((write) => !write.endsWith("/deploys")))
        await new Promise((resolve) => setTimeout(resolve, 50));
      process.kill(-(child.pid ?? 0), "SIGINT");
      const { code, output } = await running;
      expect(code).toBe(1);
      expect(output).toContain("was accepted, and its end was not waited for");
      const kept = slow
        .state()
        .resources.map(({ type }) => type)
        .sort();
      expect(kept).toEqual(["rnv_canvas_layout", "rnv_project", "rnv_service", "rnv_variables"]);
      await slow.apply();
      expect(slow.emulator.store.deployments(slow.emulator.store.services()[0]?.id ?? "")).toHaveLength(1);
    } finally {
      await slow.close();
    }
  }, 120_000);

  it("a name that is taken by something of someone else is an error with its id, and is left alone", async () => {
    emulator.store.addService({ name: "mine", kind: "web", configuration: { branch: "other" } });
    world.write(
      `resource "rnv_service" "mine" {\n  name = "mine"\n  kind = "web"\n  configuration {\n    branch = "x"\n  }\n}\n`,
    );
    emulator.resetLog();
    const output = await world.run("apply -auto-approve", 1);
    expect(output).toContain('There is a service "mine" already');
    expect(output).toContain(services().find(({ name }) => name === "mine")?.id ?? "no id");
    expect(world.writes()).toEqual([]);
  }, 60_000);
});

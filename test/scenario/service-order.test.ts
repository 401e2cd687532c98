import { approve, eachScenario } from "../support/cli";

const service = (name: string, more = "") =>
  `  ${name}: { kind: web, configuration: { repository: "https://git.example.com/shop"${more} }`;
const migrate = (command = "migrate") =>
  `${service("migrate", `, startCommand: ${command}`)}, variables: { MODE: up } }\n`;
const web = (command = "serve") =>
  `${service("web", `, startCommand: ${command}`)}, dependsOn: [service.migrate], variables: { PORT: "80" } }\n`;
const manifest = (...services: readonly string[]) => `services:\n${services.join("")}`;
const both = ["--confirm-delete=service.web", "--confirm-delete=service.migrate", "--allow-empty"];

/** DESIGN section 3, "Order". */
describe("a service that depends on another", () => {
  const scenario = eachScenario();
  const idOf = (name: string) => scenario.service(name)?.id ?? "";

  const expectDeletedInOrder = async () => {
    const ids = [idOf("web"), idOf("migrate")];
    scenario.write("rnv.yaml", "services: {}\n");
    scenario.forget();
    await scenario.applies(...both);
    const deleted = scenario.sent.filter(({ method }) => method === "DELETE");
    expect(deleted.map(({ path }) => path.split("/")[4])).toEqual(ids);
  };

  beforeEach(async () => {
    scenario.write("rnv.yaml", manifest(web(), migrate()));
  });

  it("is created once the other is live, and deleted before it", async () => {
    await scenario.applies();
    const made = ["services", "services/ID/variables", "services/ID/deploys"];
    expect(scenario.requests()).toEqual([...made, ...made].map((path) => `POST /workspaces/ID/${path}`));
    const [first] = scenario.deployments(idOf("migrate"));
    expect(first?.status).toBe("live");
    expect(Date.parse(first?.finishedAt ?? "")).toBeLessThanOrEqual(
      Date.parse(scenario.service("web")?.createdAt ?? ""),
    );
    await expectDeletedInOrder();
  });

  it("is skipped where the other fails, and the next apply continues", async () => {
    await scenario.applies();
    scenario.settle();
    scenario.emulator.store.failNextDeployment(idOf("migrate"));
    scenario.write("rnv.yaml", manifest(web("serve --fast"), migrate("migrate --all")));
    scenario.forget();
    const failed = await scenario.run("apply", ...approve);
    expect([3, 7]).toContain(failed.code);
    expect(scenario.requests()).toEqual([
      "PATCH /workspaces/ID/services/ID",
      "POST /workspaces/ID/services/ID/deploys",
    ]);
    expect(scenario.sent.every(({ path }) => path.includes(idOf("migrate")))).toBe(true);
    scenario.forget();
    await scenario.applies();
    expect(scenario.sent.map(({ path }) => path.split("/")[4])).toEqual([
      idOf("migrate"),
      idOf("web"),
      idOf("web"),
    ]);
    await scenario.isQuiet();
  });
});

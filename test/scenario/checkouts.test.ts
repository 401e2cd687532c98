import { approve, openScenario } from "../support/cli";

const paid = `
services:
  api:
    kind: web
    configuration: { repository: "https://git.example.com/api", plan: starter }
    deploy: {}
`;

it("says once that two of three services await their checkout, and counts no failure", async () => {
  const scenario = await openScenario();
  const service = (name: string, more = "") =>
    `  ${name}: { kind: web, configuration: { repository: "https://git.example.com/${name}"${more} } }\n`;
  scenario.write(
    "rnv.yaml",
    `services:\n${service("a", ", plan: starter")}${service("b", ", plan: starter")}${service("c")}`,
  );
  const waits = "saved; live after the checkout in the dashboard";
  for (const isFirst of [true, false]) {
    const { code, stdout, stderr } = await scenario.run("apply", ...approve, "--json-into", "events");
    expect(code).toBe(8);
    if (isFirst) expect(stdout).toMatch(new RegExp(`^deployment\\.b: ${waits} \\[id=`, "m"));
    expect(stdout).toMatch(/^Apply saved, awaiting checkout\. Resources: .*, 2 awaiting checkout\.$/m);
    expect(`${stdout}${stderr}`).not.toContain("failed");
    expect(stderr.match(/awaiting_checkout/g)).toHaveLength(1);
    expect(stderr).toContain(`warning[apply.awaiting_checkout]: deployment.a, deployment.b: ${waits}\n`);
    const types = scenario
      .read("events")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types.filter((type) => type === "awaiting")).toHaveLength(isFirst ? 2 : 0);
  }
  const planned = await scenario.run("plan");
  expect(planned.stdout.split(waits)).toHaveLength(3);
  expect(planned.stderr).toBe("");
});

// Interface, "General behaviours", 3: checkout is completed in the dashboard before deploying. What becomes of the deployment
// that waited is not shown.
describe("a deployment that waited for its checkout, once that is paid", () => {
  it.each(["starts", "superseded"] as const)("serves after one apply, where it %s", async (reading) => {
    const scenario = await openScenario({ readings: { paid: reading } });
    const { store } = scenario.emulator;
    scenario.write("rnv.yaml", paid);
    for (const _ of ["first", "second"])
      expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 8 });
    const { id = "" } = store.services()[0] ?? {};
    const asked = () => scenario.requests().filter((request) => request.endsWith("/deploys"));
    expect(asked()).toHaveLength(1);
    // Longer than the deployment may take: the time until a payment does not count.
    scenario.settle();
    store.completeCheckout(id);
    await scenario.applies();
    // A deployment that others queued may be there too.
    expect(asked()).toHaveLength(1);
    const [first, ...later] = store.deployments(id);
    expect(first?.status).toBe(reading === "starts" ? "live" : "superseded");
    expect([first, ...later].at(-1)?.status).toBe("live");
    await scenario.isQuiet();
    scenario.forget();
    await scenario.applies();
    expect(asked()).toEqual([]);
  });
});

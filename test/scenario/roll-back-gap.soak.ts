import { approve, openScenario, type Scenario } from "../support/cli";

const shop = (branch: string) => `
services:
  api:
    kind: web
    configuration: { repository: "https://git.example.com/shop/api", branch: ${branch} }
`;

/** A service with two releases, the later one serving. */
async function twoReleases(gaps: Parameters<typeof openScenario>[0]): Promise<Scenario> {
  const scenario = await openScenario(gaps);
  for (const branch of ["main", "next"]) {
    scenario.write("rnv.yaml", shop(branch));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  }
  return scenario;
}

const rollBack = (scenario: Scenario, env: Readonly<Record<string, string>>) =>
  scenario.runWith({ env, input: "api\n" }, "rollback", "service.api", "--confirm", "api");

const rolledBack = ({ emulator: { store } }: Scenario) =>
  store.deployments(store.services()[0]?.id ?? "").filter(({ trigger }) => trigger === "rollback");

it("a roll back goes to the path that is set, with the deployment in its body, and reads a bare answer", async () => {
  const scenario = await twoReleases({
    gaps: { rollback: "/services/{serviceId}/rollback", gapAnswers: "bare" },
  });
  const unset = await rollBack(scenario, {});
  expect(unset).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot roll back.*RNV_GAP_ROLL_BACK=\/rollback/s),
  });
  expect(await rollBack(scenario, { RNV_GAP_ROLL_BACK: "/rollback" })).toMatchObject({ code: 0 });
  expect(rolledBack(scenario)).toHaveLength(1);
  await scenario.close();
});

it("a roll back whose answer was lost is looked for, and not sent again, where keys may mean nothing", async () => {
  const scenario = await twoReleases({ gaps: { routeKeys: "ignored", replayHeader: undefined } });
  let lost = 0;
  scenario.fail(({ path }) =>
    path.endsWith("/rollback") && lost++ === 0 ? { kind: "reset-after" } : undefined,
  );
  scenario.forget();
  expect(await rollBack(scenario, {})).toMatchObject({ code: 0 });
  expect(scenario.requests()).toEqual([expect.stringContaining("/rollback")]);
  expect(rolledBack(scenario)).toHaveLength(1);
  await scenario.close();
});

import { openScenario } from "../support/cli";

const composed = "Caf\u00e9";
const decomposed = "Cafe\u0301";
const manifest = (project: string, service: string): string =>
  `projects:\n  cafe:\n    name: "${project}"\n    services:\n      web: { name: "${service}", kind: web, configuration: { repository: "https://git.example.com/cafe" } }\n`;

describe("a name that differs from another only by how Unicode composes it", () => {
  it("is that name: it is taken over without a rename, drifts never, and is confirmed as it is live", async () => {
    const at = await openScenario();
    const { store } = at.emulator;
    const { id: projectId } = store.addProject({ name: decomposed });
    const configuration = { repository: "https://git.example.com/cafe" };
    const { id } = store.addService({ name: decomposed, projectId, live: true, configuration });
    at.write("rnv.yaml", manifest(composed, composed));
    const planned = await at.run("plan");
    expect(planned.stderr).toContain(`service.cafe.web exists and is not managed here (id ${id})`);
    await at.applies("-adopt");
    expect(at.sent.filter(({ method }) => method === "PATCH")).toEqual([]);
    await at.isQuiet();
    expect(await at.run("drift")).toMatchObject({ code: 0 });

    at.write("rnv.yaml", manifest(decomposed, decomposed));
    await at.isQuiet();

    await at.applied(`${manifest(composed, composed).split("    services")[0]}removed: [service.cafe.web]\n`);
    expect(store.services()).toEqual([]);
    const layout = (name: string) =>
      `${manifest("cafe", name)}    layout: { positions: { "${name}": { x: 1, y: 1 } } }\n`;
    await at.applied(layout(decomposed));
    at.write("rnv.yaml", layout(composed));
    await at.isQuiet();
  });
});

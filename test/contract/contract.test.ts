import { type ContractService, startContractService, startStrangeService } from "./contract-service";
import { listedRows, readme, titleOf } from "./row";
import { rowsByTopic } from "./rows";
import { endpoints, rules } from "./rules";
import { expectDone, newService, pathOf, projectDraft, removeThings } from "./things";

const rows = Object.values(rowsByTopic).flat();
const isElsewhere = (process.env.RNV_CONTRACT_BASE_URL ?? "") !== "";
let service: ContractService;

beforeAll(async () => {
  service = await startContractService(process.env);
});

afterAll(async () => {
  await removeThings(service);
  await service.close();
});

describe.each(Object.entries(rowsByTopic))("%s", (_, topicRows) => {
  for (const row of topicRows) {
    const test = isElsewhere && row.needsControl ? it.skip : it;
    test(titleOf(row), () => row.run(service));
  }
});

(isElsewhere ? describe.skip : describe)("a service that fills the open points otherwise", () => {
  let strange: ContractService;
  beforeAll(async () => {
    strange = await startStrangeService();
  });
  afterAll(async () => {
    await removeThings(strange);
    await strange.close();
  });

  for (const row of rows.filter(({ needsControl }) => !needsControl))
    it(titleOf(row), () => row.run(strange));

  it.each<readonly [string, () => Promise<void>]>([
    ["which 2xx a create has", async () => expect((await created()).status).toBe(200)],
    [
      "a field of an environment",
      async () => expect((await created()).body.project.environments).toMatchObject([{ name: "Production" }]),
    ],
    ["the path that reads one service", async () => expectDone(await readService())],
  ])("fails a row that asserts %s", async (_, asserted) => {
    await expect(asserted()).rejects.toThrow();
  });

  const created = () => strange.post(`${strange.workspace}/projects`, projectDraft(strange));
  const readService = async () => strange.get(pathOf(strange, (await newService(strange)).id));
});

describe("the suite itself", () => {
  it("has a row for every endpoint of the interface", () => {
    const covered = new Set(rows.flatMap((row) => row.endpoints));
    expect(endpoints.filter((endpoint) => !covered.has(endpoint))).toEqual([]);
    const gaps = [...covered].filter((endpoint) => !endpoints.includes(endpoint));
    expect(
      gaps.every((endpoint) =>
        rows.some((row) => row.rule.startsWith("Gap") && row.endpoints.includes(endpoint)),
      ),
    ).toBe(true);
  });

  it("has a row for every numbered rule, limit, error status and code, header, move and keyed endpoint", () => {
    const covered = new Set(rows.map((row) => row.rule));
    expect(rules.filter((rule) => !covered.has(rule))).toEqual([]);
  });

  it("names no rule of a table that the interface does not have", () => {
    const tables =
      /^(General behaviour|Deployments rule|Canvas rule|Idempotency rule|Authentication rule|Errors|Limits|Header and parameter|States|Keyed replay) /;
    const named = rows.map((row) => row.rule).filter((rule) => tables.test(rule));
    expect(named.filter((rule) => !rules.includes(rule))).toEqual([]);
  });

  it("runs no row of a gap against a service that may fill it otherwise", () => {
    const gaps = rows.filter(({ rule }) => rule.startsWith("Gap"));
    expect(gaps.length).toBeGreaterThan(0);
    expect(gaps.filter(({ needsControl }) => !needsControl).map(titleOf)).toEqual([]);
  });

  it("has each row of README.md, in its order, which says what the interface says and where the row runs", () => {
    const played = Object.entries(rowsByTopic).flatMap(([topic, ofTopic]) =>
      ofTopic.map(({ name, quote, needsControl }) => ({
        ...{ topic, name, quote, runsIn: needsControl ? "emulator" : "any" },
      })),
    );
    expect(played).toEqual(listedRows);
    expect(listedRows.filter(({ quote }) => quote === "")).toEqual([]);
    const anywhere = rows.filter(({ needsControl }) => !needsControl).length;
    expect(readme).toContain(`${rows.length} rows`);
    expect(readme).toContain(`${anywhere} (**any**)`);
    expect(readme).toContain(`The other ${rows.length - anywhere} (**emulator**)`);
  });

  it("has no two rows of one name", () => {
    const names = rows.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});

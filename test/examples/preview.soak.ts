import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { approve, eachScenario } from "../support/cli";
import { fc } from "../support/fixed-seed";

const example = join(__dirname, "..", "..", "examples", "preview");

/** The first `npx rnv …` of a workflow, as it is written. */
const commandOf = (workflow: string): readonly string[] =>
  (
    /npx rnv ([^\n|;]+)/.exec(readFileSync(join(example, ".github/workflows", workflow), "utf8"))?.[1] ?? ""
  ).split(" ");

/** What a pull request does: each push names a commit of its own. */
type Event = { readonly pull: number; readonly does: "push" | "close" };

const commitOf = (pull: number, push: number): string => `${pull}f${push}`.padStart(40, "0");

/** Twenty pull requests, each opened and pushed to one to three times; most are closed; in any order. */
const histories = fc
  .tuple(
    fc.array(fc.record({ pushes: fc.integer({ min: 1, max: 3 }), closes: fc.integer({ min: 0, max: 2 }) }), {
      minLength: 20,
      maxLength: 20,
    }),
    fc.infiniteStream(fc.nat()),
  )
  .map(([pulls, random]): readonly Event[] => {
    const queues = pulls.map(({ pushes, closes }, i): Event[] => [
      ...Array.from({ length: pushes }, () => ({ pull: i + 1, does: "push" as const })),
      ...(closes > 0 ? [{ pull: i + 1, does: "close" as const }] : []),
    ]);
    const order: Event[] = [];
    for (const n of random) {
      const left = queues.filter((queue) => queue.length > 0);
      if (left.length === 0) break;
      order.push((left[n % left.length] as Event[]).shift() as Event);
    }
    return order;
  });

describe("examples/preview", () => {
  const scenario = eachScenario();
  beforeEach(async () => {
    cpSync(example, scenario.folder, { recursive: true });
  });

  const preview = (pull: number, commit: string) =>
    scenario.runWith(
      { env: { RNV_STAGE: `preview/${pull}`, PREVIEW_COMMIT: commit } },
      ...commandOf("preview.yml"),
    );
  const sweep = (open: Iterable<number>) => {
    scenario.write("open.txt", [...open].join("\n"));
    return commandOf("sweep.yml");
  };

  it("keeps exactly the previews of open pull requests, whatever is opened, pushed to, closed and killed", async () => {
    const { store } = scenario.emulator;
    expect(await scenario.run("apply", "--stage", "production", ...approve)).toMatchObject({ code: 8 });
    for (const { id } of store.services()) store.completeCheckout(id);
    await scenario.applies("--stage", "production");
    const foreign = () =>
      JSON.stringify([
        store.projects().filter(({ name }) => !name.startsWith("shop-pr-")),
        store.services().filter(({ name }) => name === "worker"),
        scenario.read(".rnv/production/state.json"),
      ]);
    const before = foreign();

    const events = fc.sample(histories, { numRuns: 1, seed: Number(process.env.RNV_SEED ?? 1) })[0] ?? [];
    const pushes = new Map<number, number>();
    const open = new Set<number>();
    let kills = 0;
    for (const [at, { pull, does }] of events.entries()) {
      if (does === "close") open.delete(pull);
      else {
        open.add(pull);
        pushes.set(pull, (pushes.get(pull) ?? 0) + 1);
        expect(await preview(pull, commitOf(pull, pushes.get(pull) as number))).toMatchObject({ code: 0 });
      }
      const closed = [...pushes.keys()].filter((one) => !open.has(one)).length;
      if (kills === 0 && closed >= 4) {
        kills += 1;
        // In the middle: after some deletions were accepted, and before their ends were seen.
        const started = scenario.start({}, ...sweep(open));
        let deletions = 0;
        scenario.fail(({ method }) => {
          if (method === "DELETE") deletions += 1;
          if (deletions === 3) started.process.kill("SIGKILL");
          return undefined;
        });
        expect((await started.ended).code).toBe(-1);
        scenario.fail();
      } else if (at % 13 === 12) expect(await scenario.run(...sweep(open))).toMatchObject({ code: 0 });
    }
    expect(kills).toBe(1);
    expect(await scenario.run(...sweep(open))).toMatchObject({ code: 0 });

    const wanted = [...open].sort((a, b) => a - b);
    expect(wanted.length).toBeGreaterThan(2);
    const previews = store.projects().filter(({ name }) => name.startsWith("shop-pr-"));
    expect(previews.map(({ name }) => Number(name.slice(8))).sort((a, b) => a - b)).toEqual(wanted);
    for (const { id, name } of previews) {
      const pull = Number(name.slice(8));
      const services = store.services().filter(({ projectId }) => projectId === id);
      expect({ pull, services: services.map((service) => service.name) }).toEqual({
        pull,
        services: ["api"],
      });
      expect(await preview(pull, commitOf(pull, pushes.get(pull) as number))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("No changes."),
      });
    }
    const listed = JSON.parse((await scenario.run("stage", "list", "--stage", "preview", "-json")).stdout);
    expect(listed.stages.map(({ stage }: { stage: string }) => stage)).toEqual(
      wanted.map((pull) => `preview/${pull}`),
    );
    // What is gone has left no state behind, the sweep that was killed included.
    const previewFolder = join(scenario.folder, ".rnv", "preview");
    const folders = readdirSync(previewFolder).filter((id) =>
      existsSync(join(previewFolder, id, "state.json")),
    );
    expect(folders.map(Number).sort((a, b) => a - b)).toEqual(wanted);
    expect(foreign()).toBe(before);
    // Nothing is left to do, and a sweep that finds nothing writes nothing.
    scenario.forget();
    expect(await scenario.run(...sweep(open))).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
  });
});

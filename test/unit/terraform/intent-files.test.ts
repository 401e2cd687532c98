import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LiveResource } from "../../../src/model/live";
import {
  IntentFiles,
  intentFolder,
  stateScope,
  type WriteIntent,
} from "../../../src/terraform/apply/intent-files";
import { isMadeBy, judgeTwins } from "../../../src/terraform/apply/twins";

const at = "2026-01-01T12:00:00.000Z";
const asked = { nonce: "n", since: at, at, settings: "s", request: "r", knownIds: ["before"] };
const subject = { verb: "make", type: "service", name: "api" } as const;

describe("what a working directory is about to make or delete", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "rnv-intents-"));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));
  const open = (run: string, environment: Record<string, string> = {}, workspaceId = "w") =>
    new IntentFiles({
      folder: intentFolder(cwd, environment),
      scope: stateScope(cwd, environment),
      ...{ workspaceId, run },
    });
  const names = () => readdirSync(join(cwd, ".terraform", ".rnv")).filter((name) => name.endsWith(".json"));

  it("is written whole or not: what a process left that died meanwhile is swept, and nothing that is under way", async () => {
    const folder = join(cwd, ".terraform", ".rnv");
    mkdirSync(folder, { recursive: true });
    for (const name of ["old.json.one.tmp", "young.json.two.tmp"]) writeFileSync(join(folder, name), "{");
    const before = new Date(Date.now() - 120_000);
    utimesSync(join(folder, "old.json.one.tmp"), before, before);
    expect(open("three").isLeaving("service", "id-1")).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["young.json.two.tmp"]);
  });

  it("is left by a run that dies, and taken out by the end of one that told of it", async () => {
    const first = open("one");
    await first.open({ ...subject, ...asked });
    await first.open({ ...subject, ...asked, name: "other" });
    await first.answer(subject, "id-1");
    first.record("make", "service", "id-1");
    // Killed here, both would stay; the answer of one alone reached Terraform.
    expect(await open("two").find(subject)).toMatchObject({ id: "id-1", nonce: "n" });
    first.end();
    expect(names()).toHaveLength(1);
    expect(await open("two").find(subject)).toBeUndefined();
    expect(await open("two").find({ ...subject, name: "other" })).toMatchObject({ run: "one" });
  });

  it("is taken out once the state has it", async () => {
    const first = open("one");
    await first.open({ ...subject, ...asked });
    await first.answer(subject, "id-1");
    const second = open("two");
    await second.noteInState("service", "id-2");
    expect(names()).toHaveLength(1);
    await second.noteInState("service", "id-1");
    expect(names()).toEqual([]);
  });

  it("is that of one state: another workspace or backend of the directory, or of the service, does not see it", async () => {
    await open("one").open({ ...subject, ...asked });
    expect(await open("two", { TF_WORKSPACE: "staging" }).find(subject)).toBeUndefined();
    expect(await open("two", {}, "other").find(subject)).toBeUndefined();
    const backend = (key: string, secret: string) =>
      writeFileSync(
        join(cwd, ".terraform", "terraform.tfstate"),
        JSON.stringify({ backend: { type: "s3", config: { bucket: "b", key, secret_key: secret } } }),
      );
    backend("prod", "one");
    expect(await open("two").find(subject)).toBeUndefined();
    await open("two").open({ ...subject, ...asked });
    backend("prod", "rotated");
    expect(await open("three").find(subject)).toBeDefined();
    backend("other", "rotated");
    expect(await open("three").find(subject)).toBeUndefined();
  });

  it("says of a second provider of the same run that it is under way, and of a deletion that it was asked for", async () => {
    const first = open("one");
    await first.open({ ...subject, ...asked });
    const beside = open("one");
    expect(beside.isUnderWay(subject, await beside.find(subject))).toBe(true);
    const later = open("two");
    expect(later.isUnderWay(subject, await later.find(subject))).toBe(false);
    await first.open({ ...subject, ...asked, verb: "delete", name: "id-9" });
    expect(open("two").isLeaving("service", "id-9")).toBeDefined();
    expect(open("two").isLeaving("project", "id-9")).toBeUndefined();
  });

  it("is an error before anything is sent where it cannot be written; what cannot be read says nothing", async () => {
    writeFileSync(join(cwd, "file"), "");
    await expect(open("one", { TF_DATA_DIR: "file" }).open({ ...subject, ...asked })).rejects.toMatchObject({
      diagnostics: [{ code: "state.write_failed" }],
    });
    await open("one").open({ ...subject, ...asked });
    mkdirSync(join(cwd, ".terraform", ".rnv"), { recursive: true });
    writeFileSync(join(cwd, ".terraform", ".rnv", names()[0] ?? ""), "{ torn");
    expect(await open("two").find(subject)).toBeUndefined();
  });
});

describe("what bears the name of a create", () => {
  const intent: WriteIntent = { ...subject, ...asked, version: 1, workspaceId: "w", run: "one" };
  const live = (id: string, createdAt?: string): LiveResource => ({
    ...{ type: "service", id, name: "api", parentId: null, attributes: new Map() },
    computed: new Map(createdAt === undefined ? [] : [["createdAt", createdAt]]),
  });

  it("is ours by its id, else by its time and what was there before; never by what is in it, nor by its age", () => {
    expect(isMadeBy(intent, live("a", "2026-01-01T12:00:01.000Z"))).toBe(true);
    expect(isMadeBy(intent, live("before", "2026-01-01T12:00:01.000Z"))).toBe(false);
    expect(isMadeBy(intent, live("a", "2026-01-01T13:00:00.000Z"))).toBe(false);
    expect(isMadeBy(intent, live("a"))).toBe(false);
    expect(isMadeBy({ ...intent, id: "a" }, live("b", at))).toBe(false);
    expect(isMadeBy({ ...intent, id: "a" }, live("a"))).toBe(true);
  });

  it("is a conflict without an intent, unless one alone is to be adopted", () => {
    const kind = (...[twins, left, adopts]: Parameters<typeof judgeTwins>) =>
      judgeTwins(twins, left, adopts).kind;
    expect(kind([], undefined, true)).toBe("free");
    expect(kind([live("a", at)], undefined, false)).toBe("taken-by-others");
    expect(kind([live("a", at)], intent, false)).toBe("ours");
    expect(kind([live("a", at), live("b", at)], intent, false)).toBe("taken-by-others");
    expect(kind([live("a")], undefined, true)).toBe("ours");
    expect(kind([live("a"), live("b")], undefined, true)).toBe("taken-by-others");
  });
});

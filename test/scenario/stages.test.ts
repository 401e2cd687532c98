import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { embeddedWorkspaceId } from "../../src/emulator/emulator";
import { approve, eachScenario, failing, printing, refusing } from "../support/cli";
import { textIn } from "../support/rows";

const manifest = textIn(join(__dirname, "stages.yaml"), { embeddedWorkspaceId });
const production = "projects: { shop: { services: { api: { configuration: { branch: release } } } } }\n";
const staging = "projects: { shop: { services: { api: { configuration: { branch: develop } } } } }\n";

describe("stages of a manifest", () => {
  const scenario = eachScenario();
  const recorded = (stage: string) => JSON.parse(scenario.read(`.rnv/${stage}/state.json`));
  const names = () => scenario.emulator.store.projects().map(({ name }) => name);
  beforeEach(async () => {
    scenario.write("rnv.yaml", manifest);
    scenario.write("stages/production.yaml", production);
    scenario.write("stages/staging.yaml", staging);
  });

  it("have an overlay and a state each, which names its stage, and addresses are the same", async () => {
    await scenario.applies("--stage", "staging");
    const env = { RNV_STAGE: "production" };
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    expect(names()).toEqual(["Shop staging", "Shop production"]);
    expect(scenario.emulator.store.services().map(({ configuration }) => configuration.branch)).toEqual([
      "develop",
      "release",
    ]);
    for (const stage of ["staging", "production"]) {
      expect([stage, recorded(stage).stage]).toEqual([stage, stage]);
      expect(Object.keys(recorded(stage).resources)).toContain("service.shop.api");
      await scenario.isQuiet("--stage", stage);
      const { stdout } = await scenario.run("output", "-raw", "stage", "--stage", stage);
      expect(stdout).toBe(stage);
    }
    const planned = async (...format: string[]) =>
      (await scenario.run("plan", "--stage", "staging", ...format)).stdout;
    expect(await planned()).toMatch(/^Stage: staging\n[\s\S]*No changes/);
    expect(await planned("--format", "markdown")).toMatch(/^### rnv plan of `staging`\n/);
    expect(JSON.parse(await planned("-json"))).toMatchObject({ stage: "staging" });
    await scenario.run("plan", "--stage", "staging", "-out", "staging.plan");
    expect((await scenario.run("show", "staging.plan")).stdout).toMatch(/^Stage: staging\n/);
    expect((await scenario.run("destroy", "--stage", "staging", ...approve)).stdout).toMatch(
      /^Stage: staging\n/,
    );
    expect(existsSync(join(scenario.folder, ".rnv/state.json"))).toBe(false);
  });

  it("validate checks each stage and any instance, wherever their states are, and says what is only in one", async () => {
    const fork = { env: { RNV_UNTRUSTED: "1", RNV_WORKSPACE_ID: embeddedWorkspaceId.replace(/^./, "f") } };
    const declared = manifest
      .replace(
        "each: true",
        'each: true, state: "s3://b/${stage.id}.json", overlay: "stages/${env.NOT_HERE}.yaml"',
      )
      .replace(
        "protect: true",
        `protect: true, workspace: ${embeddedWorkspaceId}, state: "s3://b/production.json"`,
      )
      .replace('STAGE: "${stage.name}"', 'STAGE: "${env.NOT_HERE}"');
    scenario.write(
      "rnv.yaml",
      declared.replace("name: Shop", 'name: "Shop-${stage.id}"').replace(" ${stage.name}", ""),
    );
    const told = async (...words: string[]) =>
      JSON.parse((await scenario.runWith(fork, "validate", "-json", ...words)).stdout).diagnostics;
    expect(await told()).toMatchObject([
      { stage: "production", code: "manifest.reference_syntax" },
      { stage: "staging", code: "manifest.reference_syntax" },
    ]);
    scenario.write("rnv.yaml", declared);
    expect(await told()).toMatchObject([{ stage: "preview", code: "guard.stage", address: "project.shop" }]);
    expect(await told("--stage", "production")).toEqual([]);
    scenario.write("rnv.yaml", declared.replace("kind: web", "kind: web\n        nope: 1"));
    const [own, shared, ...more] = await told();
    expect([shared.code, shared.stage, own.stage, more]).toEqual([
      "manifest.unknown_key",
      undefined,
      "preview",
      [],
    ]);
    const { code, stderr } = await scenario.runWith(fork, "validate");
    expect([code, stderr.match(/^error.*/gm)]).toEqual([
      1,
      [
        expect.stringContaining("stage preview: project.shop: the name"),
        expect.stringMatching(/]: service\.shop\.api /),
      ],
    ]);
    scenario.write("rnv.yaml", declared.replace("name: Shop", "name: Shop ${env.PR}"));
    expect((await scenario.runWith(fork, "validate")).stdout).toBe(
      "Success! The manifest is valid in each stage: production, staging, preview.\n",
    );
  });

  it("a verb that reads the manifest without a stage is an error that lists them", async () => {
    const verbs = [
      ["validate", "--print"],
      ["plan"],
      ["apply", ...approve],
      ["destroy", ...approve],
      ["drift"],
      ["graph"],
    ];
    for (const words of [
      ...verbs,
      ["import", "service.shop.api", embeddedWorkspaceId],
      ["state", "list"],
      ["output"],
    ]) {
      const [verb = "", ...rest] = words;
      expect({ verb, ...(await scenario.run(verb, ...rest)) }).toMatchObject(
        failing(1, "production, staging, preview/ID"),
      );
    }
    expect(scenario.requests("all")).toEqual([]);
  });

  it("a state of another stage changes nothing, with exit 4", async () => {
    await scenario.run("apply", "--stage", "staging", ...approve);
    const before = scenario.files();
    scenario.forget();
    const other = ["--stage", "production", "--state", ".rnv/staging/state.json"];
    const id = recorded("staging").resources["service.shop.api"].id;
    scenario.write("other.json", JSON.stringify({ ...recorded("staging"), stage: "production" }));
    const writing = [
      ["apply", ...approve],
      ["apply", "-refresh-only", ...approve],
      ["destroy", ...approve],
      ["import", "service.shop.api", id],
      ["state", "mv", "service.shop.api", "service.shop.web"],
      ["state", "rm", "service.shop.api"],
      ["state", "push", "other.json"],
      ["state", "restore", "1"],
      ...["deploy", "restart", "suspend", "resume", "rollback", "cancel"].map((verb) => [
        verb,
        "service.shop.api",
      ]),
      ...["plan", "drift", "status", "output", "show"].map((verb) => [verb]),
    ];
    for (const [verb = "", ...words] of writing)
      expect({ verb, words, ...(await scenario.run(verb, ...words, ...other)) }).toMatchObject(
        failing(4, "is the state of the stage staging, not of production"),
      );
    expect(scenario.requests()).toEqual([]);
    expect(scenario.files().filter(({ path }) => !path.endsWith("other.json"))).toEqual(before);
  });

  it("nothing of a protected stage is deleted, also what its state does not say so of; a disposable stage asks for no name", async () => {
    const services = (stage: string, text: string) =>
      scenario.write(
        "rnv.yaml",
        manifest.replace("services:\n", `services:\n      ${text}\n`).replace("PLACE", stage),
      );
    services("", "extra: { kind: worker, configuration: { repository: https://git.example.com/x } }");
    const unprotected = scenario.read("rnv.yaml").replace("protect: true", "protect: false");
    scenario.write("rnv.yaml", unprotected);
    scenario.write("stages/preview.yaml", "projects: { shop: { name: 'pr-${stage.id}' } }\n");
    const withPreview = (text: string) =>
      text.replace("each: true,", "each: true, overlay: stages/preview.yaml,");
    await scenario.applies("--stage", "production");
    scenario.write("rnv.yaml", withPreview(scenario.read("rnv.yaml")));
    await scenario.applies("--stage", "preview/7");
    // The service goes, and the protection comes, in one change.
    scenario.write("rnv.yaml", withPreview(manifest));
    scenario.forget();
    for (const how of [
      ["apply", "--confirm-delete", "service.shop.extra"],
      ["destroy"],
      ["apply", "-destroy"],
    ]) {
      const [verb = "", ...flags] = how;
      expect(await scenario.run(verb, ...flags, "--stage", "production", ...approve)).toMatchObject(
        failing(4, "is protected: stage production"),
      );
    }
    expect(scenario.requests()).toEqual([]);
    await scenario.applies("--stage", "preview/7");
    expect(scenario.requests().filter((request) => request.startsWith("DELETE"))).toHaveLength(1);
  });

  it("a saved plan is applied in its stage, and in no other", async () => {
    expect(await scenario.run("plan", "--stage", "staging", "-out", "a.plan")).toMatchObject({ code: 0 });
    expect(await scenario.run("apply", "--stage", "production", "a.plan", ...approve)).toMatchObject(
      failing(4, "a.plan was planned for the stage staging, not for production"),
    );
    expect(scenario.requests()).toEqual([]);
    expect(await scenario.run("apply", "a.plan")).toMatchObject({ code: 0 });
    expect(recorded("staging").stage).toBe("staging");
  });

  it("a workspace that is not that of the stage is refused with exit 4, for each verb", async () => {
    const env = { RNV_STAGE: "staging", RNV_STAGING_WORKSPACE: "6f1c0000-0000-4000-8000-000000000000" };
    const verbs = [
      ...[["plan"], ["apply", ...approve], ["destroy", ...approve], ["drift"], ["export"]],
      ...[["import", "service.shop.api", embeddedWorkspaceId], ["deploy", "service.shop.api"], ["status"]],
      ...[["state", "rm", "service.shop.api"], ["state", "list"], ["output"], ["force-unlock", "x"]],
    ];
    for (const [verb = "", ...words] of verbs)
      expect({ verb, ...(await scenario.runWith({ env }, verb, ...words)) }).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/guard\.workspace[\s\S]*stage staging belongs to workspace 6f1c0000/),
      });
    expect(scenario.requests("all")).toEqual([]);
  });

  it("a state from before there were stages becomes that of the stage it is used for, unless that is disposable", async () => {
    const plain = manifest.replace(/^stages:\n(?: .*\n)+/, "").replaceAll("${stage.name}", "production");
    await scenario.applied(plain);
    scenario.write(
      "rnv.yaml",
      manifest.replace("name: Shop ${stage.name}", "name: 'Shop ${stage.name} ${stage.id}'"),
    );
    const state = ["--state", ".rnv/state.json"];
    expect(await scenario.run("plan", "--stage", "preview/1", ...state)).toMatchObject(
      failing(4, "names no stage, and preview/1 is disposable"),
    );
    scenario.write("rnv.yaml", manifest);
    await scenario.applies("--stage", "production", ...state);
    expect(JSON.parse(scenario.read(".rnv/state.json")).stage).toBe("production");
    scenario.write("rnv.yaml", plain);
    for (const verb of [["plan"], ["apply", ...approve], ["destroy", ...approve]])
      expect(await scenario.run(...verb)).toMatchObject(
        failing(4, "is the state of the stage production, and this run is about none"),
      );
  });

  it("an app of constructs knows its stage, and its state names it", async () => {
    scenario.write("app.cjs", textIn(join(__dirname, "stages-app.cjs")));
    const app = ["--app", "node app.cjs"];
    await scenario.applies(...app, "--stage", "pr/5");
    expect(names()).toEqual(["Shop pr/5"]);
    expect(recorded("pr/5/shop")).toMatchObject({ stage: "pr/5", stack: "shop" });
    await scenario.isQuiet(...app, "--stage", "pr/5");
    scenario.forget();
    for (const stage of [["--stage", "pr/6"], []])
      expect(
        await scenario.run("destroy", ...app, ...stage, "--state", ".rnv/pr/5/shop/state.json", ...approve),
      ).toMatchObject(failing(4, "is the state of the stage pr/5"));
    expect(scenario.requests()).toEqual([]);
  });

  it("a sweep goes on after an instance that fails, with exit 3, and ends it the next time", async () => {
    scenario.write(
      "rnv.yaml",
      manifest.replace("name: Shop ${stage.name}", "name: 'pr-${stage.id}'").replace("72h", "1h"),
    );
    for (const id of ["1", "2", "3"]) await scenario.applies("--stage", `preview/${id}`);
    const asked = ["stage", "sweep", "--stage", "preview"];
    const sweep = (...words: string[]) => scenario.run(...asked, ...words, ...approve);
    for (const [words, code] of [
      [["--keep", ""], 1],
      [["--keep", "../x"], 1],
      [["--keep-from", "no.txt"], 1],
    ] as const)
      expect(await sweep(...words)).toMatchObject({ code });
    expect(await scenario.run("stage", "sweep", "--stage", "production", "--keep", "1")).toMatchObject(
      failing(4, "is not disposable"),
    );
    expect(await sweep()).toMatchObject({
      code: 0,
      stdout: "Nothing to sweep: 3 instances of preview kept.\n",
    });
    expect((await scenario.run(...asked, "--keep", "2", "--dry-run")).stdout).toBe(
      "Would destroy:\n  preview/1\n  preview/3\n",
    );
    expect((await scenario.run(...asked, "--allow-empty", "--dry-run")).stdout).toBe(
      "Would destroy:\n  preview/1\n  preview/2\n  preview/3\n",
    );
    // As destroy: what cannot ask destroys nothing.
    scenario.forget();
    for (const words of [[], ["-input=false"], ["-json"]])
      expect(await scenario.run(...asked, "--keep", "2", ...words)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /stage sweep needs approval, but this is not a terminal\n.*Run it in a terminal, or add --auto-approve\./s,
        ),
      });
    expect(scenario.requests()).toEqual([]);
    const elsewhere = manifest.replace(
      "each: true,",
      "each: true, workspace: 6f1c0000-0000-4000-8000-000000000000,",
    );
    scenario.write("other.yaml", elsewhere);
    expect(await sweep("--keep", "2", "-f", "other.yaml")).toMatchObject(failing(4, "guard.workspace"));
    const before = scenario.requests();
    const first = recorded("preview/1").resources["project.shop"].id;
    scenario.fail(refusing("DELETE", new RegExp(first)));
    const failed = await sweep("--keep", "2");
    scenario.fail();
    expect(failed).toMatchObject(printing(3, "preview/3: destroyed"));
    expect(before.filter((request) => request.startsWith("DELETE"))).toEqual([]);
    expect(names()).toEqual(["pr-1", "pr-2"]);
    expect(await sweep("--keep", "2", "-json")).toMatchObject({ code: 0 });
    expect(names()).toEqual(["pr-2"]);
    const previews = join(scenario.folder, ".rnv", "preview");
    const states = () => readdirSync(previews).filter((id) => existsSync(join(previews, id, "state.json")));
    expect(states()).toEqual(["2"]);
    // Destroyed by hand its state is still there; the next sweep removes it, unless it is to be kept.
    await scenario.run("apply", "--stage", "preview/4", ...approve);
    await scenario.run("destroy", "--stage", "preview/4", ...approve);
    await sweep("--keep", "2,4");
    expect(states()).toEqual(["2", "4"]);
    await sweep("--keep", "2", "--dry-run");
    expect(states()).toEqual(["2", "4"]);
    expect(await sweep("--keep", "2")).toMatchObject({ code: 0 });
    expect(states()).toEqual(["2"]);
    expect(JSON.parse((await scenario.run("stage", "list", "-json")).stdout).stages).toMatchObject([
      { stage: "production", protect: true, resources: 0 },
      { stage: "staging" },
      { stage: "preview/2", resources: 4, disposable: true, last_run_at: expect.any(String) },
    ]);
  });
});

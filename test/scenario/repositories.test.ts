import { join } from "node:path";
import { approve, failing, openScenario, type Scenario } from "../support/cli";
import { closing } from "../support/closing";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";
import type { StateServer } from "../support/http-state-server";
import { s3Environment, serveS3 } from "../support/s3-server";
import { shareOf } from "../support/soak";

const open = "$" + "{";
const manifest = (name: string): string => `stages:
  preview: { each: true, disposable: true, state: "s3://states/preview-${open}stage.id}.json" }
projects:
  ${name}: { name: "${name}-${open}stage.id}" }
`;

/** Two repositories took their stages from one template: their previews have the same states (DESIGN section 11). */
describe.each(shareOf(["github", "gitlab"] as const, 2))(
  "states that two repositories on %s share",
  (platform) => {
    let scenario: Scenario;
    let host: CodeHostServer;
    let states: StateServer;
    beforeAll(async () => {
      [scenario, host, states] = await Promise.all([openScenario(), serveCodeHost(platform), serveS3()]);
      closing(states);
      const closed = { branch: "b", commit: "a".repeat(40), isOpen: false, commits: [] };
      host.pulls.push({ ...closed, number: 12 }, { ...closed, number: 13 });
    });
    const projects = () => scenario.emulator.store.projects().map(({ name }) => name);
    const storage = () => ({ ...s3Environment, AWS_ENDPOINT_URL_S3: states.url });
    const inJobOf = (repository: string, ...words: string[]) =>
      scenario.runWith(
        {
          env: {
            ...host.environment,
            ...storage(),
            ...(platform === "github" && { GITHUB_REPOSITORY: repository }),
            ...(platform === "gitlab" && { CI_PROJECT_URL: `https://${place}/${repository}` }),
          },
        },
        ...words,
      );
    const server = platform === "github" ? "github.example.com" : "gitlab.example.com";
    // GitLab under a path of its host.
    const place = platform === "github" ? server : `${server}/gitlab`;

    it("stay those of the repository that made them, whatever the other does", async () => {
      scenario.write("rnv.yaml", manifest("shop"));
      for (const id of ["12", "13"])
        expect(await inJobOf("Acme/Shop", "apply", "--stage", `preview/${id}`, ...approve)).toMatchObject({
          code: 0,
        });
      scenario.write("rnv.yaml", manifest("docs"));
      scenario.forget();
      const refused = failing(4, `is the state of the repository ${place}/acme/shop`);
      const stage = ["--stage", "preview/12"];
      for (const words of [
        ["apply", ...stage, ...approve],
        ["destroy", ...stage, ...approve],
        ["import", ...stage, "project.docs", "6f1c0000-0000-4000-8000-000000000001"],
        ["state", "rm", ...stage, "project.shop"],
      ])
        expect(await inJobOf("o/r", ...words)).toMatchObject(refused);
      const sweeps = [
        ["stage", "sweep", "--stage", "preview", "--keep", "99", ...approve],
        ["ci", "sweep", "--stage", "preview"],
      ];
      for (const words of sweeps) {
        expect(await inJobOf("o/r", ...words)).toMatchObject({ code: 3, stderr: refused.stderr });
        const dry = await inJobOf("o/r", ...words, "--dry-run");
        const stdout = "Would be refused:\n  preview/12\n  preview/13\n";
        expect(dry).toMatchObject({ code: 3, stdout, stderr: refused.stderr });
      }
      expect([scenario.requests(), projects()]).toEqual([[], ["shop-12", "shop-13"]]);
      // In its own repository, and with another spelling of its name.
      scenario.write("rnv.yaml", manifest("shop"));
      const own = ["stage", "sweep", "--stage", "preview", "--keep", "99", ...approve];
      expect(await inJobOf("acme/shop", ...own)).toMatchObject({ code: 0 });
      expect(projects()).toEqual([]);
    });

    it("are written by a clone of that repository, and not by a job that names none", async () => {
      scenario.write("rnv.yaml", manifest("shop"));
      const apply = ["apply", "--stage", "preview/20", ...approve];
      const local = (
        origin: string,
        words: readonly string[],
        env: Readonly<Record<string, string>> = {},
      ) => {
        const remote = origin === "" ? "" : `[remote "origin"]\n\turl = ${origin}\n`;
        scenario.write(
          ".git/config",
          `[core]\n\tbare = false\n${remote}[branch "main"]\n\tremote = origin\n`,
        );
        return scenario.runWith({ env: { ...storage(), ...env } }, ...words);
      };
      expect(await local("", apply)).toMatchObject({ code: 0 });
      // The state takes the name with the next write.
      scenario.write("rnv.yaml", manifest("shop").replace("shop-", "Shop-"));
      expect(await local(`git@${server}:Acme/shop.git`, apply)).toMatchObject({ code: 0 });
      for (const origin of [
        `https://user:word@${server}:8443/acme/shop`,
        `ssh://git@ssh.${server}:443/acme/shop.git`,
        `${server}:acme/shop/`,
        "",
        "/srv/git/docs.git",
      ])
        expect([origin, await local(origin, apply)]).toMatchObject([origin, { code: 0 }]);
      for (const [origin, env] of [
        [`git@${server}:acme/docs.git`, {}],
        ["https://git.example.com/acme/shop.git", {}],
        ["", { CI: "true" }],
      ] as const) {
        const ended = await local(origin, apply, env);
        expect([origin, ended]).toMatchObject([origin, failing(4, "error[guard.repository]")]);
        expect(ended.stderr).toContain("rnv state claim");
      }
      const renamed = `git@${server}:acme/store.git`;
      const claim = ["state", "claim", "--stage", "preview/20"];
      expect(await local(renamed, claim)).toMatchObject(failing(1, "-auto-approve"));
      expect(await local("", [...claim, "-auto-approve"])).toMatchObject({ code: 1 });
      expect(await local(renamed, [...claim, "-auto-approve"])).toMatchObject({
        code: 0,
        stdout: `The state belongs to the repository ${server}/acme/store.\n`,
      });
      expect(await local(renamed, apply)).toMatchObject({ code: 0 });
      expect(await local(`git@${server}:acme/shop.git`, apply)).toMatchObject({ code: 4 });
    });

    it("are not emptied by a manifest that declares nothing of them, unless it says so", async () => {
      scenario.write("rnv.yaml", manifest("shop"));
      const stage = ["--stage", "preview/30"];
      expect(await inJobOf("o/r", "apply", ...stage, ...approve)).toMatchObject({ code: 0 });
      scenario.write("rnv.yaml", manifest("docs"));
      scenario.forget();
      const blocked = failing(4, "the manifest declares none of what the state records (1 resource)");
      expect(await inJobOf("o/r", "apply", ...stage, ...approve)).toMatchObject(blocked);
      expect(await inJobOf("o/r", "ci", "apply", ...stage)).toMatchObject(blocked);
      expect([scenario.requests(), projects()]).toEqual([[], ["Shop-20", "shop-30"]]);
      const named = [...approve, "--confirm-delete", "project.shop"];
      expect(await inJobOf("o/r", "apply", ...stage, ...named)).toMatchObject({ code: 0 });
      scenario.write("rnv.yaml", manifest("blog"));
      expect(await inJobOf("o/r", "apply", ...stage, ...approve, "--allow-empty")).toMatchObject({ code: 0 });
      scenario.write("rnv.yaml", manifest("news"));
      expect(await inJobOf("o/r", "destroy", ...stage, ...approve)).toMatchObject({ code: 0 });
      expect(projects()).toEqual(["Shop-20"]);
    });

    it("take the repository of the folder that records are handed over to", async () => {
      const origin = (folder: string, name: string) => {
        scenario.write(
          join(folder, ".git/config"),
          `[remote "origin"]\n  url = git@${server}:acme/${name}.git\n`,
        );
      };
      origin(".", "shop");
      origin("other", "docs");
      await scenario.applied("projects: { moved: {}, kept: {} }\n");
      const to = "other/.rnv/state.json";
      expect(await scenario.run("state", "mv", "--to", to, "project.moved")).toMatchObject({ code: 0 });
      expect(JSON.parse(scenario.read(".rnv/state.json")).repository).toBe(`${server}/acme/shop`);
      expect(JSON.parse(scenario.read(to)).repository).toBe(`${server}/acme/docs`);
    });
  },
);

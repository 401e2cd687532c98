import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describeWith, paths } from "./programs";

const root = resolve(__dirname, "../..");

describeWith(["terraform-1.15"], () => {
  it.each([
    ["the suites of Terraform in full, with queries and actions", "*.test.ts"],
    ["the examples of all pages, actions too", "pages.soak.ts"],
  ])(
    "plays %s",
    (_, files) => {
      const jest = [
        resolve(root, "node_modules/jest/bin/jest.js"),
        "--config",
        "test/jest.config.cjs",
        "--ci",
      ];
      const { status, stderr } = spawnSync(
        process.execPath,
        [...jest, "--testMatch", `**/test/terraform/${files}`],
        {
          cwd: root,
          encoding: "utf8",
          env: { ...process.env, RNV_SOAK: "1", RNV_TEST_TERRAFORM: paths["terraform-1.15"] },
        },
      );
      expect([status, stderr]).toEqual([0, expect.not.stringMatching(/^FAIL /m)]);
      expect(stderr).toContain("PASS test/terraform/");
    },
    1_800_000,
  );
});

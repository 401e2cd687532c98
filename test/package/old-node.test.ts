import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { builtCli } from "../support/built-cli";
import { builtProvider } from "../support/built-provider";

const provider = (): string => join(builtProvider(), "terraform-provider-rnv");

function runWith(version: string, program: string, ...words: readonly string[]) {
  const preload = `data:text/javascript,Object.defineProperty(process,"version",{value:"${version}"})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", preload, program, ...words], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("a Node that is too old", () => {
  it.each(["v18.20.8", "v20.18.3"])("%s is told to the user in the only line that rnv prints", (version) => {
    const stderr = `rnv needs Node 20.19 or later; this is ${version.slice(1)}\n`;
    for (const verb of ["version", "plan", "apply"])
      expect(runWith(version, builtCli(), verb)).toEqual({ status: 1, stdout: "", stderr });
  });

  it("is told to Terraform in the first line of the provider", () => {
    const { status, stdout } = runWith("v18.20.8", provider());
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringMatching(
        /^terraform-provider-rnv needs Node 20\.19 or later .*; this is 18\.20\.8;/,
      ),
    });
  });

  it.each(["v20.19.0", "v22.0.0"])("is not %s", (version) => {
    expect(runWith(version, builtCli(), "version")).toMatchObject({ status: 0, stderr: "" });
  });
});

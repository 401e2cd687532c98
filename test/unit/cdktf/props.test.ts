import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceConfig } from "../../../src/cdktf/cdktf";
import { resourceTypes } from "../../../src/resources";
import { constructProps } from "../../../tools/construct-props";

const root = join(__dirname, "..", "..", "..");
const written = readFileSync(join(root, "src", "cdktf", "props.ts"), "utf8");

describe("the props of the constructs", () => {
  it("are what the resource types say (npm run props)", () => {
    const biome = join(root, "node_modules", ".bin", "biome");
    const formatted = execFileSync(biome, ["check", "--write", "--stdin-file-path", "src/cdktf/props.ts"], {
      cwd: root,
      input: constructProps(),
      encoding: "utf8",
    });
    expect(written).toBe(formatted);
  });

  it("say of each field and attribute what it is, its default and what a change does", () => {
    const members = [...written.matchAll(/^ {2}readonly (\w+)\??: /gm)].length;
    const documented = [...written.matchAll(/^ {2}\/\*\* [\s\S]+? \*\/\n {2}readonly /gm)].length;
    expect(documented).toBe(members);
    const fields = resourceTypes.flatMap(({ schema, computed }) => [
      ...Object.keys(schema.shape),
      ...Object.keys(computed),
    ]);
    // All but the latest deployment, which no data source of a deployment shows.
    expect(members).toBe(fields.length + 48 - 1);
    expect(written).toContain(
      "Port that the application listens on. Default: `8000`. A change deploys the service.",
    );
    expect(written).not.toContain("zod");
  });

  it("can be extended by a team's own", () => {
    interface NodeService extends ServiceConfig {
      readonly team: string;
    }
    const given: NodeService = { kind: "web", team: "shop", configuration: { replicas: 2 } };
    expect(given.configuration?.replicas).toBe(2);
  });
});

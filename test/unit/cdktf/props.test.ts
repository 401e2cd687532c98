import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceConfig } from "../../../src/cdktf/cdktf";
import { constructProps, constructsOnCdktn } from "../../../tools/construct-props";

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

  it("say of each field and attribute what it is, its limits, its default and what a change does", () => {
    for (const text of [
      "Port that the application listens on. Default: `8000`. A change deploys the service.",
      "A change deploys the service and may change the price.",
      "A change takes effect at once, without a deployment.",
      "A change replaces it.",
      "Days that backups are kept.",
    ])
      expect(written).toContain(text);
    expect(written).not.toContain("zod");
  });

  it("offer the values that the interface shows, and take any text", () => {
    const given: ServiceConfig = { kind: "worker", configuration: { plan: "huge", runtime: "python" } };
    expect(given.kind).toBe("worker");
    expect(written).toContain('readonly kind: "web" | "static" | (string & {});');
  });

  it("are typed for cdktn as for cdktf (npm run props)", () => {
    const [onCdktf, onCdktn] = ["cdktf", "cdktn"].map((name) =>
      readFileSync(join(root, "src", "cdktf", `${name}.ts`), "utf8"),
    );
    expect(onCdktn).toBe(constructsOnCdktn(onCdktf ?? ""));
  });

  it("can be extended by a team's own", () => {
    interface NodeService extends ServiceConfig {
      readonly team: string;
    }
    const given: NodeService = { kind: "web", team: "shop", configuration: { replicas: 2 } };
    expect(given.configuration?.replicas).toBe(2);
  });
});

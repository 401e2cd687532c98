import { validate } from "../../../src/commands/validate";
import { createWorkbench } from "../../support/workbench";

describe("load", () => {
  it("hands over the texts of a manifest with errors, for the code frames", async () => {
    const bench = createWorkbench();
    bench.write("rnv.yaml", "services:\n  docs: { kimd: static }\n");
    const { diagnostics, sources, desired, exitCode } = await validate(bench.context, { files: [] });
    bench.remove();
    expect(exitCode).toBe(1);
    expect(desired).toBeUndefined();
    const {
      file = "",
      start,
      end,
    } = diagnostics.find(({ code }) => code === "manifest.unknown_key")?.range ?? {};
    expect(sources.get(file)?.slice(start, end)).toBe("kimd");
  });
});

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withSection } from "../support/figures-page";

const root = resolve(__dirname, "../..");
const page = (name: string): string => readFileSync(join(root, "docs/explain", name), "utf8");

describe("the pages of figures", () => {
  it.each([
    ["tested.md", "faults"],
    ["tested.md", "kills"],
    ["tested.md", "kills-terraform"],
    ["tested.md", "hostile"],
    ["tested.md", "nodes"],
    ["tested.md", "readings"],
    ["performance.md", "bench"],
    ["performance.md", "production"],
    ["performance.md", "node-22"],
    ["performance.md", "node-24"],
    ["performance.md", "terraform-1000"],
    ["performance.md", "terraform-variables"],
  ])("%s has a section %s with a date and the commit that was measured", (name, section) => {
    const text = page(name);
    expect(text).toMatch(
      new RegExp(`<!-- section: ${section} -->\nMeasured on \\d{4}-\\d\\d-\\d\\d at commit [0-9a-f]{8}`),
    );
    const written = withSection(text, section, "new");
    expect(written).toContain(`<!-- section: ${section} -->\nnew\n<!-- end -->`);
    // The other sections stay.
    expect(written.split("<!-- end -->")).toHaveLength(text.split("<!-- end -->").length);
  });
});

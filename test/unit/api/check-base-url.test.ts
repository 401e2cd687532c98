import { join } from "node:path";
import { checkBaseUrl } from "../../../src/api/http-transport";
import { casesIn, rowsIn } from "../../support/rows";

describe("checkBaseUrl", () => {
  it.each(rowsIn(join(__dirname, "base-urls.tsv")))("accepts %s", (text) =>
    expect(checkBaseUrl(text)).toBeUndefined(),
  );

  it.each(rowsIn(join(__dirname, "refused-base-urls.tsv")))("refuses %s with %s", (text, code) =>
    expect(checkBaseUrl(text)).toMatchObject({ severity: "error", code }),
  );

  it.each(casesIn<[string, string]>(join(__dirname, "keys-in-base-urls.json")))(
    "refuses %s, and says where the key would go",
    (_what, text) =>
      expect(checkBaseUrl(text)).toMatchObject({
        severity: "error",
        code: "config.insecure",
        summary: `the base URL is read as ${new URL(text).href}, which is not how it is written`,
      }),
  );

  it.each([
    "https://user:hunter2@api.example.com/api/v1",
    "https:/\\user:hunter2@api.example.com/api/v1",
    "https:user:hunter2@api.example.com/api/v1",
    "https://api.example.com\\user:hunter2@evil.example/api/v1",
  ])("refuses credentials however they are written, and does not repeat them: %#", (text) => {
    const found = checkBaseUrl(text);
    expect(found).toMatchObject({ code: "config.insecure" });
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });
});

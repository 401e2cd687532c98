import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { providerSettings } from "../../../src/terraform/configure-provider";
import { newFolder } from "../../support/temp-folder";

describe("the settings of the provider", () => {
  const folder = newFolder("settings");
  const settingsWith = (file: string) =>
    providerSettings(
      {},
      {
        RNV_BASE_URL: "https://service.example/api/v1",
        RNV_WORKSPACE_ID: "00000000-0000-4000-8000-0000000000e1",
        RNV_API_KEY_FILE: file,
      },
      folder,
    );
  const summaries = async (file: string) =>
    (await settingsWith(file)).diagnostics.map(({ summary }) => summary);

  it("take the key from a file, whose path counts from the working folder", async () => {
    writeFileSync(join(folder, "key"), "rnv_from-a-file\n");
    const { apiKey, diagnostics } = await settingsWith("key");
    expect(diagnostics).toEqual([]);
    expect(apiKey).toBeDefined();
  });

  it("read no key file without end, and none that is large", async () => {
    writeFileSync(join(folder, "large"), `rnv_${"k".repeat(5000)}`);
    expect(await summaries("large")).toEqual([
      "RNV_API_KEY_FILE: cannot read large: it holds more than 4096 bytes",
    ]);
    expect(await summaries("/dev/zero")).toEqual([
      "RNV_API_KEY_FILE: cannot read /dev/zero: it is not a regular file",
    ]);
    expect(await summaries("nothing")).toEqual(["RNV_API_KEY_FILE: cannot read nothing: it does not exist"]);
  });

  it("say that no profile is read where one is named", () => {
    const { diagnostics } = providerSettings({}, { RNV_PROFILE: "shop" }, folder);
    const hints = diagnostics.map(({ hint }) => hint);
    expect(hints[0]).toContain("the provider does not read the profile of RNV_PROFILE");
  });

  it("name one workspace in any case of letters", async () => {
    const id = "ABCDEF00-0000-4000-8000-0000000000E1";
    const { workspaceId, diagnostics } = await providerSettings(
      { base_url: "https://service.example/api/v1", workspace_id: id, api_key: "rnv_x" },
      {},
      folder,
    );
    expect([workspaceId, diagnostics]).toEqual([id.toLowerCase(), []]);
  });

  it("show nothing of a file that holds no key", async () => {
    writeFileSync(join(folder, "other"), "another-secret");
    expect(JSON.stringify(await settingsWith("other"))).not.toContain("another-secret");
    expect(await summaries("other")).toEqual(["the file of RNV_API_KEY_FILE does not hold an API key"]);
  });
});

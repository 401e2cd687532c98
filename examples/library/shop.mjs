// A workspace in this process, for tests: `openShop()` has the embedded platform, a folder and a context.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openContext } from "terraform-provider-rnv";
import { createEmulator, embeddedApiKey, embeddedWorkspaceId } from "terraform-provider-rnv/testing";

export const manifest = {
  projects: {
    shop: {
      services: {
        api: {
          kind: "web",
          configuration: { repository: "https://git.example.com/shop/api", branch: "main" },
        },
      },
    },
  },
};

export function openShop() {
  const emulator = createEmulator({ deploySeconds: 0, operationSeconds: 0 });
  const cwd = mkdtempSync(join(tmpdir(), "shop-"));
  const context = openContext({
    cwd,
    baseUrl: "embedded",
    workspaceId: embeddedWorkspaceId,
    apiKey: embeddedApiKey,
    state: "state.json",
    transport: emulator.transport(),
  });
  const close = async () => {
    await context.close();
    rmSync(cwd, { recursive: true });
  };
  return { emulator, context, close };
}

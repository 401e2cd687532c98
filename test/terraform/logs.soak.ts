import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("the provider's log through Terraform", () => {
  const world = new TerraformFolder();
  const secret = "very-secret-value";

  beforeAll(() => world.open());

  it("names subsystems and the ids of requests, and no secret of any kind", async () => {
    world.write(textIn(join(__dirname, "logs.tf"), { secret }));
    world.environment = { TF_LOG_PROVIDER: "trace" };
    const output = await world.apply();
    const lines = output.split("\n").filter((line) => line.includes("@module=rnv."));
    // Terraform puts the fields in any order.
    const said = (...parts: readonly RegExp[]): boolean =>
      lines.some((line) => parts.every((part) => part.test(line)));
    const answered = [/\[DEBUG\].*a request was answered/, /@module=rnv\.http/, /status=20\d/];
    expect(said(...answered, /request_id=rnv-[0-9a-f]{32}-\d+\b/)).toBe(true);
    const ended = [/\[DEBUG\].*a call ended/, /@module=rnv\.rpc/, /rpc=ApplyResourceChange/];
    expect(said(...ended, /resource_type=rnv_variable/)).toBe(true);
    for (const hidden of [secret, embeddedApiKey, Buffer.from(secret).toString("base64")])
      expect(lines.join("\n")).not.toContain(hidden);
    for (const { requestId } of world.emulator.log) expect(lines.join("\n")).toContain(requestId);
    world.environment = {};
    expect(await world.expectNoChanges()).not.toContain("rnv.http");
  }, 30_000);
});

import { everything } from "../support/crash-folder";
import { describeTerraform, TerraformFolder } from "../support/terraform";

/** `npx tsx test/faults/run-terraform-kills.ts` kills at each write of a create, an update, a replacement and a destroy. */
describeTerraform("an apply that was cut short", () => {
  it("Ctrl-C ends the wait for a deployment, keeps what is done, and the next apply continues with it", async () => {
    const slow = new TerraformFolder({ deploySeconds: 600 });
    await slow.open();
    slow.write(everything("1"));
    const running = slow.start("apply", "-auto-approve");
    const { child } = running;
    while (slow.writes().every((write) => !write.endsWith("/deploys")))
      await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(-(child.pid ?? 0), "SIGINT");
    const { code, output } = await running;
    expect(code).toBe(1);
    expect(output).toContain("deployment started; apply again to follow it");
    const kept = slow
      .state()
      .resources.map(({ type }) => type)
      .sort();
    expect(kept).toEqual(["rnv_canvas_layout", "rnv_project", "rnv_service", "rnv_variables"]);
    slow.emulator.store.settle();
    await slow.apply();
    expect(slow.emulator.store.deployments(slow.emulator.store.services()[0]?.id ?? "")).toHaveLength(1);
  }, 120_000);
});

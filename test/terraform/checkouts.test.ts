import { join } from "node:path";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const api = (plan: string) => textIn(join(__dirname, "checkouts.tf"), { plan });

// Interface, "General behaviours", 3: checkout is completed in the dashboard before deploying. What becomes of the deployment
// that waited is not shown.
describeTerraform("a deployment that waits for its checkout", () => {
  it.each(["starts", "superseded"] as const)(
    "is a warning with state, and is not made a second time: once paid, it %s",
    async (reading) => {
      const world = await new TerraformFolder({ readings: { paid: reading } }).openAttached("fast-clock");
      const { store } = world.emulator;
      const id = () => store.services()[0]?.id ?? "";
      const statuses = () => store.deployments(id()).map(({ status }) => status);
      for (const plan of reading === "starts" ? ["starter", "standard"] : ["starter"]) {
        const before = statuses();
        world.write(api(plan));
        for (const _ of ["once", "again, before it is paid"]) {
          const output = await world.apply();
          expect(output).toContain(
            "Warning: The deployment: saved; live after the checkout in the dashboard",
          );
          expect(output).not.toContain("Error");
          expect(world.attributes("rnv_deployment", "api")).toMatchObject({ up_to_date: false });
        }
        expect(statuses()).toEqual([...before, "queued"]);
        store.completeCheckout(id());
        // A payment may move the time of its service.
        store.editService(id(), () => ({}));
        store.settle();
        const made = reading === "starts" ? ["live"] : ["superseded", "live"];
        expect(statuses()).toEqual([...before, ...made]);
        await world.expectNoChanges();
      }
    },
    120_000,
  );
});

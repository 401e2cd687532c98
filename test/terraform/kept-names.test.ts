import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

const long = "a service with a name of more than forty letters";
const kept = long.slice(0, 40);
const shop = (name: string) => textIn(join(__dirname, "kept-names.tf"), { name });

/** DESIGN section 5: "an answer to our own key with a new id is ours: it is recorded, and a name other than the one sent is reported with the edit". */
describeTerraform("a name that the platform cuts", () => {
  const terraform = attachedFolder({ readings: { name: "cut" } });
  const names = () =>
    [...terraform.emulator.store.projects(), ...terraform.emulator.store.services()].map(({ name }) => name);
  const edit = "he platform accepted the change, but name did not take";

  it("is in the state, and the edit of its warning leaves an empty plan", async () => {
    terraform.write(shop(long));
    const made = await terraform.told("apply -auto-approve -input=false");
    expect(made).toContain(`Warning: T${edit}`);
    expect(made).toContain("(and one more similar warning elsewhere)");
    expect(made).toContain(`name = "${kept}"`);
    const plan = await terraform.told("plan -input=false");
    expect(plan).toContain("Plan: 0 to add, 2 to change, 0 to destroy.");
    const again = await terraform.told("apply -auto-approve -input=false", 1);
    expect(again).toContain(`Error: T${edit}`);
    expect(again).toContain(`name = "${kept}"`);
    terraform.write(shop(kept));
    await terraform.expectNoChanges();
    expect(names()).toEqual([kept, kept]);
  }, 60_000);
});

/** Interface, "Service": a name is "string"; whether spaces around it are kept is not shown. */
describeTerraform("a name that the platform trims", () => {
  const terraform = attachedFolder({ readings: { name: "trimmed", ids: "upper" } });
  it("is no change", async () => {
    terraform.write(shop(" shop "));
    expect(await terraform.apply()).not.toContain("did not take");
    await terraform.expectNoChanges();
  }, 60_000);
});

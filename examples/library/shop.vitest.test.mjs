// `vitest run`
import assert from "node:assert/strict";
import { apply, drift } from "terraform-provider-rnv";
import { test } from "vitest";
import { manifest, openShop } from "./shop.mjs";

test("the shop is made, watched and destroyed", async () => {
  const { emulator, context, close } = openShop();
  try {
    const made = await apply(context, { manifest });
    assert.deepEqual(made.counts?.added, 3);
    const [service] = emulator.store.services();
    emulator.store.editConfiguration(service.id, { branch: "elsewhere" });
    const { exitCode, report } = await drift(context, { manifest });
    assert.equal(exitCode, 2);
    assert.equal(report.drifted[0].address, "service.shop.api");
    assert.equal((await apply(context, { manifest, mode: "destroy" })).exitCode, 0);
    assert.deepEqual([...emulator.store.services(), ...emulator.store.projects()], []);
  } finally {
    await close();
  }
});

import { keyIdOf, loadStateKey } from "../../../src/state/key";
import { createWorkbench, type Workbench } from "../../support/workbench";

const keys = { old: "0a".repeat(32), new: "0b".repeat(32) };
const shop = (level: string) => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", runtime: node }
        variables: { LOG_LEVEL: ${level}, MOTTO: s3cret, HOST: "\${service.shop.api.internalHost}" }
`;

describe("a change of the state key", () => {
  let bench: Workbench;
  let environment: Record<string, string>;
  const only = (key: string) => ({ RNV_STATE_KEY: key });
  const rotating = { RNV_STATE_KEY: keys.new, RNV_STATE_KEY_PREVIOUS: keys.old };

  beforeEach(async () => {
    environment = only(keys.old);
    bench = createWorkbench({
      stateKey: (create) =>
        loadStateKey({ environment, path: "/none", create, randomBytes: (size) => new Uint8Array(size) }),
    });
    bench.write("rnv.yaml", shop("info"));
    expect((await bench.apply()).diagnostics).toEqual([]);
    bench.emulator.resetLog();
  });

  it("writes nothing to the service where the previous key is there, and takes every fingerprint over", async () => {
    environment = rotating;
    expect(await bench.acting()).toEqual([]);
    expect((await bench.apply()).exitCode).toBe(0);
    expect(bench.writes()).toEqual([]);
    environment = only(keys.new);
    expect(await bench.acting()).toEqual([]);
    const state = await bench.state();
    expect(state?.keyId).toBe(keyIdOf(Buffer.from(keys.new, "hex")));
    environment = only(keys.old);
    expect((await bench.plan()).diagnostics.map(({ code }) => code)).toEqual(["state.key_mismatch"]);
  });

  it("still sees what was edited at the same time, and only that", async () => {
    environment = rotating;
    bench.write("rnv.yaml", shop("debug"));
    expect(await bench.acting()).toEqual([
      "update deployment.shop.api",
      "update variable.shop.api.LOG_LEVEL",
    ]);
  });
});

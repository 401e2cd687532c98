import { join } from "node:path";
import type { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { httpStateSettings } from "../../../src/state/stores/http-store";

import { casesIn, rowsIn } from "../../support/rows";

const url = "https://state.test/shop";
const settingsOf = (environment: Readonly<Record<string, string>>) => httpStateSettings(url, environment);
/** What is said of settings that are refused. */
const refusalOf = (environment: Readonly<Record<string, string>>) => {
  try {
    httpStateSettings(url, environment);
    return [];
  } catch (cause) {
    return (cause as DiagnosticsError).diagnostics;
  }
};

describe("the settings of a state over HTTP, one by one", () => {
  it("are these where nothing is set", () => {
    expect(httpStateSettings(url, {})).toEqual({
      url,
      updateMethod: "POST",
      lockUrl: url,
      lockMethod: "LOCK",
      unlockUrl: url,
      unlockMethod: "UNLOCK",
      authorization: undefined,
      tls: {},
      timeoutMs: 60_000,
      retries: 4,
    });
  });

  it.each(casesIn<[string, string, object]>(join(__dirname, "http-settings.json")))(
    "%s is %s under Terraform's name and under ours, which wins",
    (name, value, expected) => {
      for (const environment of [
        { [`TF_HTTP_${name}`]: value },
        { [`RNV_STATE_HTTP_${name}`]: value },
        { [`RNV_STATE_HTTP_${name}`]: value, [`TF_HTTP_${name}`]: "other" },
        { [`RNV_STATE_HTTP_${name}`]: value, TF_HTTP_ADDRESS: "https://state.test/other" },
      ])
        expect(settingsOf(environment)).toMatchObject(expected);
    },
  );

  it("are another state's for the lock where Terraform's address is another", () => {
    const lock = {
      TF_HTTP_LOCK_METHOD: "PUT",
      TF_HTTP_UNLOCK_METHOD: "DELETE",
      TF_HTTP_UNLOCK_ADDRESS: `${url}/unlock`,
    };
    const taken = { lockMethod: "PUT", unlockMethod: "DELETE", unlockUrl: `${url}/unlock` };
    const left = { lockMethod: "LOCK", unlockMethod: "UNLOCK", unlockUrl: url };
    expect(settingsOf({ ...lock, TF_HTTP_ADDRESS: url })).toMatchObject(taken);
    expect(settingsOf({ ...lock, TF_HTTP_ADDRESS: `${url}-other` })).toMatchObject(left);
  });

  it("take a client certificate with its key, and neither without the other", () => {
    const [cert, key] = ["CLIENT_CERTIFICATE_PEM", "CLIENT_PRIVATE_KEY_PEM"];
    const { tls } = settingsOf({ [`TF_HTTP_${cert}`]: "c", [`RNV_STATE_HTTP_${key}`]: "k" });
    expect(tls).toEqual({ certificate: { cert: "c", key: "k" } });
    for (const name of [cert, key])
      expect(refusalOf({ [`TF_HTTP_${name}`]: "x" })).toMatchObject([
        { code: "config.invalid", detail: `Of the two only TF_HTTP_${name} is set.` },
      ]);
  });

  it.each(rowsIn(join(__dirname, "refused-http-settings.tsv")))(
    "%s is refused as %s",
    (name, code, value) => {
      expect(refusalOf({ [name]: value })).toMatchObject([{ code }]);
    },
  );

  it.each(rowsIn(join(__dirname, "forges.tsv")))(
    "keep the lock beside the state of a forge: %s (%s)",
    (address = "", whose = "") => {
      const { lockUrl, lockMethod, unlockMethod } = httpStateSettings(address, {});
      expect({ lockUrl, lockMethod, unlockMethod }).toEqual(
        whose === "a forge"
          ? { lockUrl: `${address}/lock`, lockMethod: "POST", unlockMethod: "DELETE" }
          : { lockUrl: address, lockMethod: "LOCK", unlockMethod: "UNLOCK" },
      );
    },
  );

  it.each(["TF_HTTP", "RNV_STATE_HTTP"])("names the variable that is set: %s_…", (prefix) => {
    const [pair] = refusalOf({ [`${prefix}_CLIENT_PRIVATE_KEY_PEM`]: "key" });
    expect(pair?.detail).toBe(`Of the two only ${prefix}_CLIENT_PRIVATE_KEY_PEM is set.`);
  });
});

import { join, resolve } from "node:path";
import { createHttpTransport, type HttpTransportOptions } from "../api/http-transport";
import type { Transport } from "../api/transport";
import type * as embedded from "../emulator/emulator";
import { makeIgnoredFolder } from "../state/ignored-folder";

/** The way to the service: over the network, or into the emulator, which is loaded only then. */
export function openTransport(
  baseUrl: string,
  cwd: string,
  options: Pick<HttpTransportOptions, "environment" | "exchangeTimeoutMs"> = {},
): Transport {
  if (baseUrl === "embedded") {
    const { createEmulator } = require("../emulator/emulator") as typeof embedded;
    const folder = resolve(cwd, join(".rnv", "emulator"));
    makeIgnoredFolder(folder);
    return createEmulator({ folder }).transport();
  }
  return createHttpTransport(options);
}

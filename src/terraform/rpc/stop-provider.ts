import type { Provider } from "../provider";

/** StopProvider: the first Ctrl-C. Writes in flight end, waits do not go on. */
export async function stopProvider(provider: Provider): Promise<object> {
  provider.stop();
  return {};
}

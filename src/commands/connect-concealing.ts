import type { Connection, Context } from "./context";
import { declaredSecrets } from "./declared-secrets";
import { load } from "./load";

/**
 * A connection for a verb that reads no manifest: it masks the values that the manifest of the folder gives all the
 * same, as far as there is one and they are at hand.
 */
export async function connectConcealing(context: Context): Promise<Connection> {
  const connection = await context.connect();
  const { desired } = await load(context, [], "skip");
  if (desired !== undefined) connection.conceal(declaredSecrets(desired));
  return connection;
}

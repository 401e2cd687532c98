import { resolve } from "node:path";
import { type KnownNames, listKnownNames } from "../../commands/list-addresses";
import { inertText } from "../../render/inert";
import { complete, completionText, readTyped, type TypedOptions } from "../complete";
import type { Shell } from "../completion";
import { openContext } from "../context";
import type { Handler, Invocation } from "../invocation";
import { readSettings } from "../settings";

/** `rnv complete SHELL -- WORDS`: what may stand at the cursor. Offline, and never an error: a shell shows its own. */
export const completeHandler: Handler = async (invocation) => {
  const [shell, words = []] = invocation.positional as readonly [Shell, readonly string[] | undefined];
  const typed = readTyped(invocation.program, words);
  let names: Promise<KnownNames> | undefined;
  const known = (): Promise<KnownNames> => {
    names ??= namesHere(invocation, typed.options);
    return names;
  };
  const completion = await complete(typed, {
    addresses: async () => (await known()).addresses.map(inertText),
    outputs: async () => (await known()).outputs.map(inertText),
  }).catch(() => ({ kind: "words", words: [] }) as const);
  invocation.terminal.out(completionText(completion, shell));
  return 0;
};

/** Of the manifest and the state that the line names, or of those that are the default. A remote state is not asked. */
async function namesHere(invocation: Invocation, options: TypedOptions): Promise<KnownNames> {
  const cwd = resolve(invocation.cwd, options.chdir?.at(-1) ?? ".");
  const { environment } = invocation;
  const state = options.state?.at(-1);
  const isLocal = readSettings(environment, { state, cwd }).state.kind === "file";
  const context = openContext({ ...invocation, cwd, options: { ...invocation.options, state } });
  return listKnownNames(
    { cwd, environment },
    // Standard input is the terminal of whoever types.
    {
      files: (options.file ?? []).filter((file) => file !== "-"),
      ...(isLocal && { backend: context.backend }),
    },
  );
}

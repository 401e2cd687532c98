import type { RollbackSubject, RuntimeRequest } from "../../commands/requests";
import { runtimeAction } from "../../commands/runtime-action";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { elapsedText } from "../../render/elapsed-text";
import { inertJson, inertString, inertText } from "../../render/inert";
import { askHere } from "../ask-here";
import type { Handler, Invocation } from "../invocation";
import { outStyle, report } from "../report";
import { withContext } from "../with-context";

type Wanted = Pick<RuntimeRequest, "action"> & Partial<RuntimeRequest>;

async function runAction(invocation: Invocation, wanted: Wanted): Promise<number> {
  const { terminal, options, positional } = invocation;
  const [address = ""] = positional as readonly string[];
  const say = (text: string): void => {
    if (options.json !== true) terminal.out(`${text}\n`);
  };
  const outcome = await withContext(invocation, (context) =>
    runtimeAction(context, {
      address,
      wait: options.wait !== false,
      timeoutMs: options.timeout as number,
      lockTimeoutMs: options.lockTimeout as number,
      confirm: async () => undefined,
      onGoingOn: (since) =>
        say(`${address}: ${wanted.action} of ${inertText(since)} goes on; nothing is repeated.`),
      onWaiting: (seconds, status, note) =>
        say(
          `${address}: ${[status, note]
            .filter(Boolean)
            .map((text) => inertText(String(text)))
            .join(": ")} [${elapsedText(seconds)}]`,
        ),
      ...wanted,
    }),
  );
  const { accepted, result, diagnostics, sources, exitCode } = outcome;
  report(invocation, diagnostics, sources);
  if (options.json === true) {
    const { kind, id } = accepted ?? {};
    terminal.out(`${inertJson({ address, action: wanted.action, result, kind, id })}\n`);
  } else if (result === "done" || result === "accepted") {
    const { colors } = outStyle(invocation);
    const id = accepted === undefined ? "" : colors.dim(` [${accepted.kind}=${inertText(accepted.id)}]`);
    say(`${colors.green(`${address}: ${wanted.action} ${result}.`)}${id}`);
  } else if (result === "cancelled") {
    say(`\nNothing was done.`);
  }
  return exitCode;
}

/** `rnv deploy` */
export const deployHandler: Handler = async (invocation) => {
  const { commit, clearCache } = invocation.options;
  if (clearCache !== true) return runAction(invocation, { action: "deploy", commit: checkedCommit(commit) });
  if (commit !== undefined) {
    throw new DiagnosticsError([error("command.usage", "--commit and --clear-cache exclude each other")]);
  }
  return runAction(invocation, { action: "clear-cache" });
};

function checkedCommit(commit: unknown): string | undefined {
  if (commit === undefined || /^[0-9a-f]{40,64}$/.test(String(commit))) return commit as string | undefined;
  const summary = "--commit: not 40 to 64 lowercase hexadecimal digits";
  throw new DiagnosticsError([error("command.usage", summary, { hint: "git rev-parse HEAD prints one" })]);
}

/** `rnv restart`, `rnv suspend`, `rnv resume` */
export const actionHandler =
  (action: "restart" | "suspend" | "resume"): Handler =>
  (invocation) =>
    runAction(invocation, { action });

/** `rnv cancel` */
export const cancelHandler: Handler = (invocation) =>
  runAction(invocation, { action: "cancel", deploymentId: deploymentIdOf(invocation) });

/** `rnv rollback` */
export const rollbackHandler: Handler = (invocation) =>
  runAction(invocation, {
    action: "rollback",
    deploymentId: deploymentIdOf(invocation),
    confirm: (subject) => confirmRollback(invocation, subject),
  });

const deploymentIdOf = ({ positional }: Invocation): string | undefined =>
  positional[1] as string | undefined;

async function confirmRollback(
  invocation: Invocation,
  { address, name, deploymentId, commitSha }: RollbackSubject,
): Promise<string | undefined> {
  const { confirm } = invocation.options;
  if (typeof confirm === "string") return confirm;
  const ask = askHere(invocation);
  if (!ask) {
    const summary = `rolling ${address} back must be confirmed by the name of the service`;
    const hint = `run it in a terminal, or add --confirm ${inertString(name)}`;
    throw new DiagnosticsError([error("guard.delete_unconfirmed", summary, { address, hint })], 4);
  }
  const commit = commitSha ? ` (commit ${inertText(commitSha.slice(0, 12))})` : "";
  return ask(
    `${address} will go back to the release of deployment ${inertText(deploymentId)}${commit}.\n` +
      `  Type the name of the service, ${inertString(name)}, to confirm: `,
  );
}

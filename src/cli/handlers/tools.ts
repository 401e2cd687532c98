import { emulator } from "../../commands/emulator";
import { graph } from "../../commands/graph";
import { gapList, schema } from "../../commands/schema";
import type { SchemaName } from "../../commands/schema-names";
import type { Condition } from "../../emulator/behaviour";
import type { Lags } from "../../emulator/lag";
import { graphDot, graphMermaid } from "../../render/graph";
import type { Handler } from "../invocation";
import { report } from "../report";
import { readStandardInput } from "../standard-input";

/** `rnv graph` */
export const graphHandler: Handler = async (invocation) => {
  const { terminal, environment, cwd, options } = invocation;
  const files = Array.isArray(options.file) ? options.file : [];
  const standardInput = () => readStandardInput(terminal);
  const untrusted = options.untrusted === true;
  const outcome = await graph({ environment, cwd, standardInput, untrusted }, { files });
  report(invocation, outcome.diagnostics, outcome.sources);
  if (outcome.graph)
    terminal.out(options.mermaid === true ? graphMermaid(outcome.graph) : graphDot(outcome.graph));
  return outcome.exitCode;
};

/** `rnv schema [name]`, and the list of `rnv schema gaps` */
export const schemaHandler: Handler = async ({ terminal, positional }) => {
  const [name = "manifest"] = positional as readonly (SchemaName | "gaps" | undefined)[];
  const shown = name === "gaps" ? gapList() : schema(name);
  terminal.out(`${JSON.stringify(shown, undefined, 2)}\n`);
  return 0;
};

/** `rnv emulator` */
export const emulatorHandler: Handler = async ({ terminal, options, signal }) => {
  const served = await emulator({
    port: options.port as number,
    folder: options.folder as string | undefined,
    latencyMs: options.latency as number | undefined,
    conditions: options.with as Condition[] | undefined,
    lag: options.lag as Lags | undefined,
  });
  terminal.out(
    `export RNV_BASE_URL=${served.url}\n` +
      `export RNV_WORKSPACE_ID=${served.workspaceId}\n` +
      `export RNV_API_KEY=${served.apiKey}\n`,
  );
  terminal.err("The embedded service is running. Ctrl-C ends it.\n");
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await served.close();
  return 0;
};

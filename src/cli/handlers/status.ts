import { deployments } from "../../commands/deployments";
import { status } from "../../commands/status";
import { releasesText } from "../../render/releases-text";
import { releasesJson, statusJson } from "../../render/status-json";
import { oneStatusText, statusText } from "../../render/status-text";
import { systemClock } from "../clock";
import type { Handler } from "../invocation";
import { outStyle } from "../report";
import { withContext } from "../with-context";

/** `rnv status` */
export const statusHandler: Handler = async (invocation) => {
  const { terminal, options, positional } = invocation;
  const wanted = positional[0] as string | undefined;
  const services = await withContext(invocation, (context) => status(context, wanted));
  const [first] = services;
  if (options.json === true) terminal.out(statusJson(services));
  else if (first === undefined) terminal.err("No service is recorded yet.\n");
  else {
    const now = systemClock.now();
    const style = outStyle(invocation);
    terminal.out(wanted === undefined ? statusText(services, now, style) : oneStatusText(first, now, style));
  }
  return 0;
};

/** `rnv deployments` */
export const deploymentsHandler: Handler = async (invocation) => {
  const { terminal, options, positional } = invocation;
  const request = { address: positional[0] as string, limit: options.limit as number };
  const list = await withContext(invocation, (context) => deployments(context, request));
  terminal.out(
    options.json === true ? releasesJson(list) : releasesText(list, systemClock.now(), outStyle(invocation)),
  );
  return 0;
};

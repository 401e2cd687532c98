// Runs in a process of its own: imports the program that it is given, and writes its manifest to the parent.
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type JsonResult, manifestJson } from "./json";

/** The only message of the process: the manifest, why there is none, or the error that the program threw. */
export type ProgramMessage =
  | JsonResult
  | { readonly missing: string }
  | { readonly thrown: string; readonly stack: string; readonly code?: unknown };

type Load = (url: string, context: object, next: (url: string, context: object) => object) => object;

/** Functions of `node:module` in Node 22.15 and later. */
interface TypeStripping {
  readonly registerHooks: (hooks: { readonly load: Load }) => void;
  readonly stripTypeScriptTypes: (text: string, options: { readonly sourceUrl: string }) => string;
}

const canStripTypes = (module: object): module is TypeStripping => "registerHooks" in module;

/** Loads a file with `import` or `export` as a module without types, whatever the `type` of its package.json. */
const loadModule =
  (strip: TypeStripping["stripTypeScriptTypes"]): Load =>
  (url, context, next) => {
    const [, isCommon, language] = /^file:(?!.*\/node_modules\/).*\.(c?)m?([jt])s$/.exec(url) ?? [];
    if (language === undefined || isCommon !== "") return next(url, context);
    const text = readFileSync(fileURLToPath(url), "utf8");
    if (!/^\s*(import|export)\b/m.test(text)) return next(url, context);
    const source = language === "t" ? strip(text, { sourceUrl: url }) : text;
    return { format: "module", source, shortCircuit: true };
  };

/** Connections and timers of the program keep nothing waiting: its message is the end. */
const send = (message: ProgramMessage): unknown => process.send?.(message, () => process.exit());

function fail(thrown: unknown): void {
  const { stack = "", code, cause } = Object(thrown) as Partial<NodeJS.ErrnoException>;
  const text = thrown instanceof Error ? String(thrown) : messageOf(thrown);
  send({ thrown: cause === undefined ? text : `${text}: ${messageOf(cause)}`, stack: String(stack), code });
}

/** The error of several addresses that refuse a connection has a code alone. */
const messageOf = (value: unknown): string => String(Object(value).message || Object(value).code || value);

async function evaluate(file: string, stage: string): Promise<void> {
  const { default: given }: { readonly default?: unknown } = await import(pathToFileURL(file).href);
  // tsx wraps the exports of a CommonJS module.
  const wrapped = given as { readonly __esModule?: true; readonly default?: unknown } | null | undefined;
  const exported = wrapped?.__esModule ? wrapped.default : given;
  const input = { stage: stage === "" ? undefined : JSON.parse(stage), environment: { ...process.env } };
  const value: unknown = await (typeof exported === "function" ? exported(input) : exported);
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  const returned = typeof exported === "function" ? "a function that returns " : "";
  send(isMap ? manifestJson(value) : { missing: `exports ${returned}no manifest` });
}

process.on("uncaughtException", fail);
// The process ends with its parent. A referenced channel would keep it alive after the program.
process.on("disconnect", () => process.exit());
process.channel?.unref();
if (!process.execArgv.includes("--import") && canStripTypes(nodeModule))
  nodeModule.registerHooks({ load: loadModule(nodeModule.stripTypeScriptTypes) });
const [file = "", stage = ""] = process.argv.slice(2);
evaluate(file, stage).catch(fail);

import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import type { Report } from "../declaration/findings";
import type { LoadContext } from "../declaration/load-context";
import { isWithin } from "../declaration/project-files";
import { readPlain } from "../declaration/read-value";
import { type JudgedPart, judgeEach } from "../declaration/schema-issues";
import { addressHoldsSecret } from "../declaration/secret-texts";
import {
  entriesIn,
  isNull,
  type MapEntry,
  type MapNode,
  mapValues,
  quoteShort,
  type SourceNode,
} from "../declaration/tree";
import { freeKeys } from "../declaration/type-index";
import { type Diagnostic, error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { uuidPattern } from "../model/address";
import type { DesiredResource } from "../model/desired";
import { reasonOf } from "../model/file-error";
import {
  fillStage,
  isStageWord,
  mentionsStage,
  type StageName,
  stageText,
  stageWordRule,
} from "../model/stage";
import { durationPattern, parseDuration } from "../model/time";

/** A stage as a manifest declares it (DESIGN section 11). */
export interface StageDeclaration {
  readonly name: string;
  readonly each: boolean;
  readonly protect: boolean;
  readonly disposable: boolean;
  /** Milliseconds after the last run of an instance. */
  readonly expiresMs?: number;
  /** Its settings as written: in texts `${…}` is not filled in yet. */
  readonly written: MapNode["entries"];
  readonly range: SourceRange;
}

export type Stages = ReadonlyMap<string, StageDeclaration>;

/** Folders below `.rnv` that hold something else than the state of a stage. */
const reservedNames: readonly string[] = ["emulator", "backups"];

const stageName = z
  .string()
  .refine(isStageWord, `the name of a stage holds ${stageWordRule}`)
  .refine(
    (name) => !reservedNames.includes(name),
    "rnv keeps something else under .rnv/ by this name: choose another",
  )
  .meta({ pattern: `^(?!(${reservedNames.join("|")})$)([A-Za-z0-9][A-Za-z0-9_-]{0,63}|x-.*)$` });

const text = z.string().min(1, "expected text");

const stageSchema = z
  .strictObject({
    overlay: text.optional().describe("A manifest that is laid over this one, relative to this file."),
    workspace: text
      .meta({ pattern: `${uuidPattern.source}|\\$\\{` })
      .optional()
      .describe("UUID of its workspace: a run in another is refused."),
    state: text
      .optional()
      .describe("Where its state is: a path, https://… or s3://…; .rnv/STAGE/state.json unless said."),
    protect: z.boolean().optional().describe("Nothing in it is deleted."),
    each: z.boolean().optional().describe("It has many instances, each with an ID: ${stage.id}."),
    disposable: z
      .boolean()
      .optional()
      .describe("What its state owns is deleted without a confirmation; `rnv stage sweep` may destroy it."),
    expires: z
      .string()
      .refine((duration) => (parseDuration(duration) ?? 0) > 0, "expected a duration such as 72h")
      .meta({ pattern: durationPattern.source })
      .optional()
      .describe("How long an instance stands after its last run, for `rnv stage sweep`: 72h."),
  })
  .refine(({ protect, disposable }) => !(protect && disposable), {
    path: ["protect"],
    error: "what is disposable cannot be protected: keep one of the two",
  })
  .refine(({ expires, disposable }) => expires === undefined || disposable, {
    path: ["expires"],
    error: "nothing is swept without disposable: true",
  })
  .refine(({ each, state }) => !each || state === undefined || /\$\{ *stage\.id *\}/.test(state), {
    path: ["state"],
    error: "it is the same for each instance: let it hold ${stage.id}, or leave it out",
  })
  .meta({ patternProperties: freeKeys });

export const stagesSchema = z
  .record(stageName, stageSchema.nullable())
  .describe("The places where this manifest runs, by name: --stage NAME, or NAME/ID with each.");

const stagesSubject: JudgedPart = {
  nameOf: ([name, key]) =>
    name === undefined ? "stages" : `${key === undefined ? "" : `${key} of `}stage ${name}`,
  code: "manifest.stage",
  hintFor: (_issue, at) =>
    at.kind === "list" ? "stages: { production: { overlay: stages/production.yaml } }" : undefined,
};

export function readStages(root: MapNode, report: Report): Stages {
  const stages = new Map<string, StageDeclaration>();
  const node = root.entries.get("stages")?.value;
  if (node === undefined || isNull(node)) return stages;
  const declared = judgeEach(stagesSchema, node, report, stagesSubject);
  if (node.kind !== "map") return stages;
  for (const [name, settings] of Object.entries(declared)) {
    const entry = node.entries.get(name) as MapEntry;
    const { each = false, protect = false, disposable = false, expires } = settings ?? {};
    const expiresMs = expires === undefined ? undefined : parseDuration(expires);
    stages.set(name, {
      name,
      each,
      protect,
      disposable,
      written: entriesIn(entry.value),
      range: entry.keyRange,
      expiresMs,
    });
  }
  return stages;
}

/** Finds the declaration of a stage; returns the mistake in a name or an ID that the manifest does not have. */
export function findStage(
  stages: Stages,
  asked: StageName,
): { readonly stage: StageDeclaration } | { readonly stage?: undefined; readonly mistake: Diagnostic } {
  const { name, id } = asked;
  const wrong = (summary: string, hint: string) => ({
    mistake: error("manifest.stage_unknown", summary, { hint }),
  });
  const stage = stages.get(name);
  if (stage === undefined) {
    const hint =
      stages.size === 0
        ? "declare it under stages:, or leave --stage and RNV_STAGE out"
        : `there are: ${listStages(stages)}`;
    return wrong(`there is no stage ${quoteShort(name)}`, didYouMean(name, stages.keys()) ?? hint);
  }
  if (stage.each && id === undefined)
    return wrong(`stage ${name} has several instances`, `choose one: --stage ${name}/ID`);
  if (!stage.each && id !== undefined)
    return wrong(
      `stage ${name} has one instance, not ${quoteShort(id)}`,
      `--stage ${name}; with each: true it has instances`,
    );
  if (id !== undefined && !isStageWord(id))
    return wrong(
      `${quoteShort(id)} cannot be the id of an instance of ${name}`,
      `an id holds ${stageWordRule}`,
    );
  return { stage };
}

/** The stages as they are asked for: `production, preview/ID`. */
export const listStages = (stages: Stages): string =>
  [...stages.values()].map(({ name, each }) => (each ? `${name}/ID` : name)).join(", ");

export const stageMissing = (stages: Stages): Diagnostic =>
  error("manifest.stage_missing", "this manifest runs in stages, and none is named", {
    range: [...stages.values()][0]?.range,
    hint: `name one with --stage or RNV_STAGE: ${listStages(stages)}`,
  });

/** The settings of a stage for where it runs, with `${…}` filled in. */
export interface StageSettings {
  readonly workspace?: string;
  /** A path starts in the working folder. */
  readonly state?: string;
  readonly overlay?: string;
}

/** Fills in and checks the settings of a stage. `files` are those of the manifest, absolute. */
export function stageSettings(
  declared: StageDeclaration,
  asked: StageName,
  context: LoadContext,
  files: readonly string[],
): StageSettings {
  const nodeOf = (key: string): SourceNode | undefined => declared.written.get(key)?.value;
  const read = (key: string): string | undefined => {
    const node = nodeOf(key);
    if (node === undefined) return undefined;
    const attribute = `stages.${declared.name}.${key}`;
    const noReference = `${key} of a stage is read before anything else, and cannot hold a reference`;
    const value = readPlain(withStage(node, asked, context), { context, attribute, noReference });
    return typeof value === "string" ? value : undefined;
  };
  const [overlay, workspace, state] = [read("overlay"), read("workspace"), read("state")];
  const refuse = (key: string, problem: string, hint: string): void => {
    const summary = `${key} of stage ${stageText(asked)} ${problem}`;
    context.report(error("manifest.stage", summary, { range: nodeOf(key)?.range, hint }));
  };
  if (workspace !== undefined && !uuidPattern.test(workspace))
    refuse("workspace", "is not a UUID", "copy the id of the workspace: 8-4-4-4-12 hexadecimal digits");
  if (state !== undefined && addressHoldsSecret(state))
    refuse(
      "state",
      "holds a secret, and is read by everybody who reads this file",
      "leave it out: RNV_STATE_HTTP_USERNAME, RNV_STATE_HTTP_PASSWORD and AWS_… hold credentials",
    );
  if (state !== undefined && !context.checksOnly && !context.trust.mayKeepState(state)) {
    const summary = `stage ${stageText(asked)} names its state, and this manifest is not trusted (--untrusted)`;
    const detail = "The state, and our credentials for it, would go where the manifest says.";
    const hint = "list it in RNV_ALLOW_STATE: https://git.example.com/state/*";
    context.report(error("guard.untrusted", summary, { range: nodeOf("state")?.range, detail, hint }));
  }
  const path =
    overlay === undefined
      ? undefined
      : resolve(context.cwd, dirname(nodeOf("overlay")?.range.file ?? ""), overlay);
  const problem = path === undefined ? undefined : overlayProblem(path, context, files);
  if (problem !== undefined) refuse("overlay", ...problem);
  return { workspace: workspace?.toLowerCase(), state, overlay: problem === undefined ? path : undefined };
}

function overlayProblem(
  path: string,
  { project, trust }: LoadContext,
  files: readonly string[],
): readonly [problem: string, hint: string] | undefined {
  const elsewhere = "is not a file of the project folder";
  const hint = "its path starts at the folder of the file that names it";
  try {
    const real = realpathSync.native(path);
    if (!isWithin(real, [project])) return [elsewhere, hint];
    if (!files.some((file) => isWithin(realpathSync.native(file), [real]))) return undefined;
    const other = "name another file; outside of the folder rnv, whose files all belong to the manifest";
    return ["is a part of the manifest that it is laid over", other];
  } catch (cause) {
    // An untrusted manifest learns of no file elsewhere.
    return [trust.isUntrusted ? elsewhere : `cannot be read: ${reasonOf(cause)}`, hint];
  }
}

/** The tree with `${stage.name}` and `${stage.id}` filled in everywhere; an id that stands for any stays. */
export function withStage<Node extends SourceNode>(
  root: Node,
  { name, id }: StageName,
  { hasAnyId }: Pick<LoadContext, "hasAnyId"> = {},
): Node {
  const stage = hasAnyId ? { name } : { name, id };
  const fill = (node: SourceNode): SourceNode => {
    if (node.kind === "map") return mapValues(node, fill);
    if (node.kind === "list") return { ...node, items: node.items.map(fill) };
    if (typeof node.value !== "string" || !mentionsStage(node.value)) return node;
    return { ...node, value: fillStage(node.value, stage) };
  };
  return fill(root) as Node;
}

/**
 * Refuses names of an instance without `${stage.id}`: another instance would have the same. Resources in a project are
 * distinguished by the project.
 */
export function checkNames(
  resources: Iterable<DesiredResource>,
  { name, id = "" }: StageName,
  { index, report }: LoadContext,
): void {
  for (const { address, type, attributes, parent, range } of resources) {
    const attribute = index.byType.get(type)?.type.nameAttribute;
    const named = attribute === undefined ? undefined : attributes.get(attribute);
    if (attribute === undefined || typeof named?.value !== "string" || parent !== undefined) continue;
    if (holdsId(named.value, id, named.range)) continue;
    const summary = `${address}: the name ${quoteShort(named.value)} does not hold the id of ${name}/${id}`;
    const detail =
      "Each instance of a stage needs names of its own, or one would take over what another made.";
    const hint = "write ${stage.id} into it: name: shop-pr-${stage.id}";
    report(error("guard.stage", summary, { address, attribute, range: named.range ?? range, detail, hint }));
  }
}

/** A text that a program made holds the id by itself. Any other names `${stage.id}`: shop-v1 holds an id by chance. */
function holdsId(name: string, id: string, { source, start, end }: Partial<SourceRange> = {}): boolean {
  if (!source?.placeAt) return /\$\{ *stage\.id *\}/.test(source?.text?.slice(start, end) ?? "");
  const [before, after] = [id[0], id.at(-1)].map((letter = "") => (/\d/.test(letter) ? "\\d" : "[a-z]"));
  return new RegExp(`(?<!${before})${id}(?!${after})`, "i").test(name);
}

/** Refuses an import that stands in the manifest of several stages or instances: each would take over the same. */
export function checkImports(
  resources: Iterable<DesiredResource>,
  { name, each }: StageDeclaration,
  sharedFiles: readonly string[],
  report: Report,
): void {
  for (const { address, importId } of resources) {
    if (importId === undefined || !(each || sharedFiles.includes(importId.range.file))) continue;
    const who = each ? `each instance of ${name}` : "another stage, too,";
    const summary = `${address}: ${who} would import ${importId.id}`;
    const hint = `write ${each ? "import: null" : "the import"} into the overlay of ${name}`;
    report(error("guard.stage", summary, { address, range: importId.range, hint }));
  }
}

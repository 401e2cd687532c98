import { statSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import * as z from "zod";
import { collectFindings, type Report } from "../../declaration/findings";
import { repositoryAround } from "../../declaration/git";
import { filesBelow, isWithin, realPath, shownPath } from "../../declaration/project-files";
import type { MapEntry, MapNode, SourceNode } from "../../declaration/tree";
import { error, hasErrors, positionAt, sortDiagnostics } from "../../diagnostics/diagnostic";
import { parseAddress } from "../../model/address";
import { compareTexts } from "../../model/collections";
import { reasonOf } from "../../model/file-error";
import { isObject } from "../../model/value";
import { defaultManifest } from "../find-files";
import { readDocument } from "../text/yaml";

const isTestFile = (path: string): boolean => /\.rnvtest\.ya?ml$/.test(path);

const word = z.string().min(1, "expected text");
const words = z.array(word);
const paths = z.union([word, z.array(word).min(1)]);
/** Files of a manifest, or a manifest in the test itself. */
const writtenOrFiles = z.union([paths, z.record(z.string(), z.unknown())]);
const environment = z.record(z.string(), z.string());
export const isPattern = (key: string): boolean => key.includes("*");

const addressOrPattern = word.refine(
  (key) => isPattern(key) || parseAddress(key) !== undefined,
  "expected an address such as service.shop.api, or a pattern such as service.shop.*",
);
const actions = ["create", "update", "replace", "delete", "adopt", "forget", "no-op"] as const;
const results = ["passed", "failed", "overridden", "error"] as const;

const diagnosticSchema = z.strictObject({
  code: word.describe("`guard.delete_unconfirmed`"),
  severity: z.enum(["error", "warning"]).optional(),
  address: word.optional(),
  contains: word.optional().describe("A part of its text."),
});

const expectationSchema = z.strictObject({
  exitCode: z
    .int()
    .min(0)
    .max(8)
    .optional()
    .describe("That of `rnv plan -detailed-exitcode`, or of `rnv apply` where the test applies."),
  actions: z
    .record(addressOrPattern, z.enum([...actions, "any"]))
    .optional()
    .describe(
      "What the plan does, by address or pattern (`service.shop.*`): this and nothing else. `any` leaves an address open.",
    ),
  values: z
    .record(addressOrPattern, z.record(word, z.json()))
    .optional()
    .describe("Fields as they are once the plan is applied, by address and path: `configuration.replicas`."),
  outputs: z
    .record(word, z.json())
    .optional()
    .describe("Outputs, as the plan knows them or the apply left them."),
  policies: z
    .record(word, z.enum(results))
    .optional()
    .describe("How policies are judged, by name. One that fails and does not stand here fails the test."),
  diagnostics: z
    .array(diagnosticSchema)
    .optional()
    .describe("Findings that there must be. An error that does not stand here fails the test."),
});

const testShape = z.strictObject({
  stage: word.optional().describe("The stage to read: `staging`, `preview/12`."),
  overlay: writtenOrFiles
    .optional()
    .describe("Laid over the manifest: what is written here, or files. As a second `-f`, null takes away."),
  environment: environment.optional().describe("Over that of the file."),
  applied: z
    .union([z.literal(true), ...writtenOrFiles.options])
    .optional()
    .describe(
      "What rnv has applied before: `true` for the manifest without `overlay`, else another manifest.",
    ),
  live: writtenOrFiles
    .optional()
    .describe("Resources that others created: a manifest of what is live and not recorded."),
  drift: writtenOrFiles.optional().describe("Changes made outside rnv since `applied`, merged over it."),
  destroy: z.boolean().optional(),
  targets: words.optional(),
  confirm: words.optional().describe("Deletions that are confirmed, by address: --confirm-delete."),
  adopt: z.boolean().optional(),
  overridePolicies: words.optional(),
  apply: z
    .boolean()
    .optional()
    .describe("Applies the plan to the embedded platform; the plan after it must be empty."),
  expect: expectationSchema.optional(),
});

const testSchema = testShape.refine(
  ({ applied, drift }) =>
    drift === undefined || (applied !== undefined && !(isObject(applied) && isObject(drift))),
  {
    path: ["drift"],
    error: "it is laid over what is `applied`: say `applied: true`, or let one of the two name a file",
  },
);

export const testFileSchema = z.strictObject({
  version: z.literal(1).optional(),
  manifest: paths
    .optional()
    .describe("Files of the manifest, from the folder of this one: as `-f`. Else the manifest beside it."),
  environment: environment
    .optional()
    .describe("All that manifests may read of the environment: variables of yours are not read."),
  policies: paths.optional().describe("Files and folders of policies, besides that beside the manifest."),
  tests: z.record(word, testSchema).describe("Tests by name."),
});

export type ManifestExpectation = z.infer<typeof expectationSchema>;

/** A manifest of a test: values of `-f`. A manifest in the test itself is the text that `-f -` reads. */
export interface TestSource {
  readonly files: readonly string[];
  /** The text of the test file with all else blanked: its offsets are those of the file. */
  readonly text?: string | undefined;
}

export interface ManifestTest
  extends Pick<z.infer<typeof testShape>, "stage" | "destroy" | "targets" | "confirm" | "adopt" | "apply"> {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** The folder of its manifest, absolute: the working folder of the test. All paths start there. */
  readonly folder: string;
  readonly shownFolder: string;
  readonly files: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  readonly overridePolicies: readonly string[];
  readonly overlay: TestSource | undefined;
  readonly applied: TestSource | true | undefined;
  readonly live: TestSource | undefined;
  readonly drift: TestSource | undefined;
  readonly expect: ManifestExpectation;
}

/** Reads the tests of files and of folders with all below them. Of a file with mistakes none is returned. */
export function readTests(cwd: string, named: readonly string[]) {
  const { report, all } = collectFindings();
  const found = (named.length === 0 ? ["."] : named).flatMap((path) => filesAt(cwd, path, report));
  const tests = [...new Set(found)].sort(compareTexts).flatMap((file) => {
    const own = collectFindings();
    const declared = testsIn(file, cwd, own.report);
    own.all().forEach(report);
    return hasErrors(own.all()) ? [] : declared;
  });
  return { tests, diagnostics: sortDiagnostics(all()) };
}

function filesAt(cwd: string, named: string, report: Report): string[] {
  const path = resolve(cwd, named);
  try {
    if (!statSync(path).isDirectory()) {
      if (isTestFile(path)) return [shownPath(path, cwd)];
      const hint = `name it ${basename(path).replace(/\.ya?ml$/, "")}.rnvtest.yaml`;
      report(error("test.invalid", `${named} is no file of tests`, { hint }));
      return [];
    }
    const below = [...filesBelow(path)].filter(({ entry }) => entry.isFile() && isTestFile(entry.name));
    return below.map((file) => shownPath(file.path, cwd));
  } catch (cause) {
    report(error("manifest.not_found", `cannot look for tests at ${named}: ${reasonOf(cause)}`));
    return [];
  }
}

const listed = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

function testsIn(file: string, cwd: string, report: Report): readonly ManifestTest[] {
  const read = readDocument(testFileSchema, file, cwd, report);
  if (read === undefined) return [];
  const { root, document, text } = read;
  const declared = root.entries.get("tests")?.value as MapNode;
  if (declared.entries.size === 0)
    report(error("test.invalid", `${file} holds no test`, { range: declared.range }));
  const beside = resolve(cwd, dirname(file));
  const manifest = listed(document.manifest ?? defaultManifest(beside).file);
  // A manifest may name files of its folder and below: tests in a folder of their own have it elsewhere.
  const folder = manifest[0] === undefined ? beside : dirname(resolve(beside, manifest[0]));
  const pathsOf = (value: string | readonly string[] | undefined): readonly string[] =>
    listed(value).map((path) => relative(folder, resolve(beside, path)));
  const project = [cwd, repositoryAround(beside) ?? beside];
  checkPaths(["manifest", "policies"], root.entries, beside, project, report);
  const shared = {
    folder,
    file,
    shownFolder: relative(cwd, folder).split(sep).join("/"),
    files: pathsOf(manifest),
    policies: pathsOf(document.policies),
  };
  return Object.entries(document.tests).map(([name, test]) => {
    const entry = declared.entries.get(name) as MapEntry;
    const nodes = (entry.value as MapNode).entries;
    const { overlay, applied, live, drift, overridePolicies = [], expect = {}, ...rest } = test;
    checkPaths(["overlay", "applied", "live", "drift"], nodes, beside, project, report);
    const source = (key: string, value: unknown): TestSource | undefined => {
      if (isObject(value)) return writtenSource(nodes.get(key)?.value as SourceNode, text);
      return value === undefined ? undefined : { files: pathsOf(value as string | readonly string[]) };
    };
    return {
      ...shared,
      ...rest,
      name,
      line: positionAt(entry.keyRange.source?.text ?? "", entry.keyRange.start).line,
      environment: { ...document.environment, ...test.environment },
      overridePolicies,
      expect,
      overlay: source("overlay", overlay),
      applied: applied === true ? applied : source("applied", applied),
      live: source("live", live),
      drift: source("drift", drift),
    };
  });
}

/**
 * Refuses paths out of the project, and files that are no manifest. A text that does not parse is shown: a pull request
 * could make the job show a key.
 */
function checkPaths(
  keys: readonly string[],
  nodes: MapNode["entries"],
  beside: string,
  project: readonly string[],
  report: Report,
): void {
  for (const node of keys.flatMap((key) => nodes.get(key)?.value ?? [])) {
    const texts = node.kind === "list" ? node.items : [node];
    for (const { value, range } of texts.filter((text) => text.kind === "scalar")) {
      if (typeof value !== "string") continue;
      const path = resolve(beside, value);
      const real = realPath(path);
      const problem =
        real !== undefined && !isWithin(real, project)
          ? ["is outside the project", "copy it into the project, or start rnv test in a folder above both"]
          : real !== undefined && !/\.(ya?ml|json|[cm]?[jt]s)$/.test(real) && statSync(real).isFile()
            ? ["is no manifest", "its name ends in .yaml, .json or .ts"]
            : undefined;
      if (problem === undefined) continue;
      const [summary, hint = ""] = problem;
      report(error("test.invalid", `${value} ${summary}`, { range, hint }));
    }
  }
}

function writtenSource({ range: { start, end } }: SourceNode, text: string): TestSource {
  const blank = (part: string): string => part.replace(/[^\n\r]/g, " ");
  const written = blank(text.slice(0, start)) + text.slice(start, end) + blank(text.slice(end));
  return { files: ["-"], text: written };
}

export const layerSources = (lower: TestSource, upper: TestSource): TestSource => ({
  files: [...lower.files, ...upper.files],
  text: lower.text ?? upper.text,
});

import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

/** Keys of GitHub's workflows that tests read: the schemas of SchemaStore judge all of them. */
export interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | number | boolean>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}

interface Job {
  readonly needs?: string;
  readonly uses?: string;
  readonly "runs-on"?: string;
  readonly "timeout-minutes"?: number;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Step["env"];
  readonly strategy?: { readonly matrix: unknown };
  readonly steps?: readonly Step[];
}

export interface Workflow {
  readonly on: object;
  readonly permissions?: Job["permissions"];
  readonly concurrency?: unknown;
  readonly env?: Step["env"];
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Reads the documents of a file of YAML. Demands that it has no mistake and no key twice. */
export function documentsOf(file: string): readonly unknown[] {
  return [...parseAllDocuments(readFileSync(file, "utf8"), { uniqueKeys: true })].map((document) => {
    const errors = [...document.errors, ...document.warnings].map(String);
    expect({ file, errors }).toEqual({ file, errors: [] });
    return document.toJS();
  });
}

export const workflowOf = (file: string): Workflow => documentsOf(file)[0] as Workflow;

export const stepsIn = ({ jobs }: Workflow): readonly Step[] =>
  Object.values(jobs).flatMap(({ steps = [] }) => steps);

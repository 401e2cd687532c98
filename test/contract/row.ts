import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContractService, Control } from "./contract-service";

/** One rule of the service interface and how it is checked. */
export interface Row {
  /**
   * Section of the interface, with its number where it has one, and in brackets what distinguishes the row from others of the
   * rule: `Idempotency rule 1 (scope)`. It is the row's name in README.md.
   */
  readonly name: string;
  /** The name without what is in brackets. */
  readonly rule: string;
  /** What the interface says, word for word: README.md has it. */
  readonly quote: string;
  /** Endpoints of the interface that the row exercises: `POST /workspaces/{workspaceId}/projects`. */
  readonly endpoints: readonly string[];
  readonly run: (service: ContractService) => Promise<void>;
  /** True: only the embedded platform lets the row set its stage (its clock, keys of every role, a live release). */
  readonly needsControl: boolean;
}

/** A row as README.md lists it. */
export interface ListedRow {
  readonly topic: string;
  readonly runsIn: string;
  readonly name: string;
  readonly quote: string;
}

export const readme = readFileSync(join(__dirname, "README.md"), "utf8");

const cellsOf = (line: string): readonly string[] =>
  line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

/** The rows of README.md, in its order. */
export const listedRows: readonly ListedRow[] = readme.split(/^## /m).flatMap((section) => {
  const [topic = "", ...lines] = section.split("\n");
  return lines
    .map(cellsOf)
    .filter(([, runsIn = ""]) => ["any", "emulator"].includes(runsIn))
    .map(([, runsIn = "", name = "", quote = ""]) => ({ topic, runsIn, name, quote }));
});

/** The endpoints where there are some, and what checks the rule. */
type Given<R> = readonly [run: R] | readonly [endpoints: readonly string[], run: R];

type ControlledRun = (service: ContractService, control: Control) => Promise<void>;

/** A row that any service can be asked for. */
export function row(name: string, ...given: Given<Row["run"]>): Row {
  const [endpoints, run] = given.length === 1 ? [[], given[0]] : given;
  const quote = listedRows.find((listed) => listed.name === name)?.quote ?? "";
  return { name, rule: name.replace(/ \([^)]*\)$/, ""), quote, endpoints, run, needsControl: false };
}

/** A row that moves the clock, changes data behind the interface or needs keys of other roles. */
export function controlledRow(name: string, ...given: Given<ControlledRun>): Row {
  const [endpoints, run] = given.length === 1 ? [[], given[0]] : given;
  const controlled = row(name, endpoints, async (service) => {
    if (service.control === undefined) throw new Error("the row needs the embedded platform");
    return run(service, service.control);
  });
  return { ...controlled, needsControl: true };
}

export const titleOf = ({ name, quote }: Row): string => `${name}: "${quote}"`;

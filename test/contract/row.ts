import type { ContractService, Control } from "./contract-service";

/** One rule of the service interface and how it is checked. */
export interface Row {
  /** Section of the interface, with its number where it has one: `Idempotency rule 2`. */
  readonly rule: string;
  /** What the interface says, word for word. */
  readonly quote: string;
  /** Distinguished from other rows of the same rule. */
  readonly case?: string;
  /** Endpoints of the interface that the row exercises: `POST /workspaces/{workspaceId}/projects`. */
  readonly endpoints?: readonly string[];
  readonly run: (service: ContractService) => Promise<void>;
  /** True: only the embedded service lets the row set its stage (its clock, keys of every role, a live release). */
  readonly needsControl: boolean;
}

type Words = Omit<Row, "run" | "needsControl">;

export const row = (words: Words, run: Row["run"]): Row => ({ ...words, run, needsControl: false });

/** A row that moves the clock, changes data behind the interface or needs keys of other roles. */
export const controlledRow = (
  words: Words,
  run: (service: ContractService, control: Control) => Promise<void>,
): Row => ({
  ...words,
  needsControl: true,
  run: (service) => {
    if (service.control === undefined) throw new Error("the row needs the embedded service");
    return run(service, service.control);
  },
});

export const titleOf = (row: Row): string =>
  `${row.rule}: "${row.quote}"${row.case === undefined ? "" : ` (${row.case})`}`;

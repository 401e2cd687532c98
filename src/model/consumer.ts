/** A service that refers to another service, as the platform shows it. */
export interface Consumer {
  readonly id: string;
  readonly name: string;
  /** Name of its project; undefined where it is in none. */
  readonly project?: string | undefined;
  /** Name of its environment; undefined where that is Production or not known. */
  readonly environment?: string | undefined;
  /** Names of variables, as far as the reference shows them. */
  readonly keys: readonly string[];
}

export interface Consumers {
  /** By the id of the service that they refer to. */
  readonly byProvider: ReadonlyMap<string, readonly Consumer[]>;
  /** False where references between projects are not shown. */
  readonly isComplete: boolean;
}

/** Returns consumers in words: `the service "web" of project "Billing" (DATABASE_URL)`. */
export const consumerList = (consumers: readonly Consumer[]): string =>
  consumers
    .map(({ name, project, environment, keys }) => {
      const at = environment === undefined ? "" : `, environment "${environment}"`;
      const where = project === undefined ? "" : ` of project "${project}"${at}`;
      return `the service "${name}"${where}${keys.length === 0 ? "" : ` (${keys.join(", ")})`}`;
    })
    .sort()
    .join(", ");

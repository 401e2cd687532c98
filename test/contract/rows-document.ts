import type { Row } from "./row";

/** The README of the suite: what it is, how to run it, and where each row runs. */
export function rowsDocument(rowsByTopic: Readonly<Record<string, readonly Row[]>>): string {
  const rows = Object.values(rowsByTopic).flat();
  const anywhere = rows.filter(({ needsControl }) => !needsControl).length;
  return [
    "# The contract suite",
    "",
    `${rows.length} rows, each with the sentence of the service's interface that it checks. They are in three places:`,
    "",
    "| where | rows | how |",
    "|---|---|---|",
    `| the emulator of this project, over HTTP | all ${rows.length} | \`npx jest test/contract\` |`,
    `| a real workspace | ${anywhere} (**any**) | \`RNV_CONTRACT_BASE_URL=… RNV_CONTRACT_WORKSPACE_ID=… RNV_CONTRACT_API_KEY=… npx jest test/contract\` |`,
    `| a service that fills every gap of the interface otherwise (\`strange-service.ts\`) | the same ${anywhere} | with the first |`,
    "",
    `The other ${rows.length - anywhere} (**emulator**) need what no caller of a real service has: its clock, keys of every role, a release that`,
    'serves, data behind the interface, or an answer to what the interface marks "not shown". Rows that run against any service',
    'assert what it states: any 4xx where the status is "not shown", any 2xx where it does not say which.',
    "",
    "In a real workspace the suite makes projects and services whose names begin with `contract-`, deploys nothing and removes them",
    "again. `RNV_CONTRACT_PROJECT_COLOR` is a colour that the service takes (`#2f6fed` unless set); `RNV_GAP_ENVIRONMENT_RECORD` names",
    "the id field of an environment (`id` unless set).",
    "",
    "This file is written by the suite: `RNV_UPDATE_GOLDEN=1 npx jest test/contract`.",
    ...Object.entries(rowsByTopic).flatMap(([topic, ofTopic]) => [
      "",
      `## ${topic[0]?.toUpperCase()}${topic.slice(1)}`,
      "",
      "| runs in | rule | the interface's words |",
      "|---|---|---|",
      ...ofTopic.map(
        ({ needsControl, rule, quote, case: only }) =>
          `| ${needsControl ? "emulator" : "any"} | ${cell(rule)}${only === undefined ? "" : ` (${cell(only)})`} | ${cell(quote)} |`,
      ),
    ]),
    "",
  ].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

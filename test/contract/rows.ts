import type { Row } from "./row";
import { canvasLimitRows } from "./rows/canvas-limit-rows";
import { canvasRows } from "./rows/canvas-rows";
import { commonRows } from "./rows/common-rows";
import { deploymentRows } from "./rows/deployment-rows";
import { deploymentStateRows } from "./rows/deployment-state-rows";
import { headerRows } from "./rows/header-rows";
import { projectRows } from "./rows/project-rows";
import { replayRows } from "./rows/replay-rows";
import { serviceRows } from "./rows/service-rows";
import { serviceStateRows } from "./rows/service-state-rows";
import { variableRows } from "./rows/variable-rows";

/** Every row of the contract suite, by topic. */
export const rowsByTopic: Readonly<Record<string, readonly Row[]>> = {
  "Catalog, authentication and errors": commonRows,
  "Headers, paging and idempotency": headerRows,
  "Keyed replay on every keyed endpoint": replayRows,
  Projects: projectRows,
  Services: [...serviceRows, ...serviceStateRows],
  Deployments: [...deploymentRows, ...deploymentStateRows],
  Variables: variableRows,
  Canvas: [...canvasRows, ...canvasLimitRows],
};

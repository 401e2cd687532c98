import { planDocument } from "../../src/plan/document";
import type { Plan } from "../../src/plan/plan";
import { planPage } from "../../src/report/html/pages";
import { resourceTypes } from "../../src/resources";

/** The page of a plan, as `--html` writes it. */
export const pageOf = (plan: Plan, sources?: ReadonlyMap<string, string>): string =>
  planPage(planDocument(plan, new Map(), sources), { types: resourceTypes }) ?? "";

import { planDocument } from "../../src/plan/document";
import type { Plan } from "../../src/plan/plan";
import { planPage } from "../../src/report/html/pages";
import { resourceTypes } from "../../src/resources";

/** The page of a plan, as `--html` writes it. */
export const pageOf = (plan: Plan): string => planPage(planDocument(plan), { types: resourceTypes });

import { planDocument } from "../plan/document";
import type { Plan } from "../plan/plan";
import { inertJson } from "./inert";

/** `plan -json`: one document in the shape of Terraform's `show -json`, plus what is ours (DESIGN section 8). */
export const planJson = (plan: Plan): string => `${inertJson(planDocument(plan), 2)}\n`;

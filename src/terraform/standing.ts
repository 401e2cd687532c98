import type { Resource } from "../api/reads";
import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import type { Attributes } from "../model/value";

/**
 * Returns what a live thing does that none of its attributes says, for people: that its runtime is suspended, or that it is
 * archived though that is not declared. Only of what is not run again and again: the outcome of a run is told where it is run.
 */
export function standingOf(
  resource: Resource,
  live: LiveResource,
  declared: Attributes = new Map(),
): readonly Diagnostic[] {
  if (resource.reacts !== undefined) return [];
  const about = `${resource.type} "${live.name}"`;
  const found = (live.standing ?? [])
    .filter(({ code }) => code === "suspended")
    .map(({ summary }) =>
      warning("live.standing", `${about} is ${summary}`, {
        detail: "It answers nothing until it is resumed; no plan changes that.",
        hint: "resume it in the dashboard, or with the action rnv_resume (Terraform 1.14)",
      }),
    );
  const { archives } = resource;
  const isArchived = archives !== undefined && live.attributes.get(archives.attribute) === true;
  if (!isArchived || declared.get(archives.attribute) === true) return found;
  return [
    ...found,
    warning("live.standing", `${about} is archived`, {
      detail: "It takes no new deployments; what runs of it goes on.",
    }),
  ];
}

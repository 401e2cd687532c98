import type { Reads, Resource } from "../../api/reads";
import { lookAgain } from "../../apply/look";
import { isMissing } from "../../model/freshness";
import type { LiveResource, ReadResult } from "../../model/live";
import { snakeCase } from "../../model/text";
import { findResource } from "../../resources";
import { diagnosticError } from "../messages";
import type { Session } from "../provider";
import { textIn } from "../schema/attributes";
import { shapeOf, type TerraformShape } from "../schema/terraform-shape";
import { standingOf } from "../standing";
import type { TerraformObject } from "../values/terraform-value";
import { type DataSource, dataSource, shownAttributes, shownResource } from "./define-data-source";

/** The data source of one resource, found by its id, or by its name in its parent. */
export function lookupOf(resource: Resource): DataSource {
  const type = shapeOf(resource);
  const nameAttribute = snakeCase(resource.nameAttribute ?? "name");
  const keys = ["id", nameAttribute, ...resource.parents.map(({ attribute }) => snakeCase(attribute))];
  const attributes = shownAttributes(type).map((one) =>
    keys.includes(one.name)
      ? { ...one, optional: true as const, doc: `${one.doc} Looked up by it when it is given.` }
      : one,
  );
  const [parent] = resource.parents;
  const where = parent === undefined ? "" : `, in every ${parent.type} unless one is named`;
  const doc = `One ${resource.type}, found by its id or by its ${nameAttribute}${where}.`;
  return dataSource(type.name, { doc, attributes }, async (session, config, tell) => {
    const live = await lookUp(session, type, config, nameAttribute);
    tell(standingOf(resource, live));
    return shownResource(type, live);
  });
}

async function lookUp(
  session: Session,
  { resource, name: typeName }: TerraformShape,
  config: TerraformObject,
  nameAttribute: string,
): Promise<LiveResource> {
  const id = textIn(config, "id");
  const name = textIn(config, nameAttribute) ?? "";
  if (id === undefined && name === "")
    throw diagnosticError("manifest.missing_key", `${typeName} needs an id or a ${nameAttribute}`, {
      attribute: nameAttribute,
    });
  const [parent] = resource.parents;
  const parentId = parent && textIn(config, snakeCase(parent.attribute));
  const isAnywhere = id === undefined && parent !== undefined && parentId === undefined;
  // What this process made may not be shown yet.
  const { seen: read } = await lookAgain(
    session,
    () =>
      isAnywhere
        ? findAnywhere(session.reads, resource, name)
        : findResource(session.reads, resource, { id, name, parentId }),
    (one) => session.made.size > 0 && isMissing(one),
  );
  if (read.kind === "found") return read.live;
  const what = id === undefined ? `"${name}"` : `of the id ${id}`;
  if (read.kind === "ambiguous")
    throw diagnosticError("live.ambiguous", `${read.ids.length} of ${typeName} are called ${what}`, {
      attribute: nameAttribute,
      hint: `choose one by its id: ${read.ids.join(", ")}${isAnywhere ? `, or name its ${parent?.type}` : ""}`,
    });
  if (read.kind === "unchecked")
    throw diagnosticError("live.unchecked", `the ${resource.type} ${what} could not be looked up`, {
      detail: `${read.reason}.`,
    });
  throw diagnosticError("live.import_missing", `there is no ${resource.type} ${what}`, {
    attribute: id === undefined ? nameAttribute : "id",
  });
}

/** Finds the one of that name, whatever it lies in. */
async function findAnywhere(reads: Reads, resource: Resource, name: string): Promise<ReadResult> {
  const listed = await resource.list(reads);
  const [found, ...others] = (listed ?? []).filter((live) => live.name === name);
  if (found === undefined)
    return listed === undefined || !(await reads.servicesAreComplete())
      ? { kind: "unchecked", reason: "there are too many services to list those outside of projects" }
      : { kind: "absent" };
  if (others.length === 0) return { kind: "found", live: found };
  return { kind: "ambiguous", ids: [found, ...others].map(({ id }) => id) };
}

import type { Resource } from "../../api/reads";
import { lookAgain } from "../../apply/look";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { isMissing } from "../../model/freshness";
import type { LiveResource } from "../../model/live";
import { snakeCase } from "../../model/terraform-name";
import { managedType } from "../schema/managed-type";
import type { Session } from "../session";
import { addressIn, textIn } from "../values/attributes";
import type { TerraformObject } from "../values/terraform-value";
import { type DataSource, dataSource } from "./data-source";
import { shownAttributes, shownResource } from "./shown-resource";

/** The data source of one resource, found by its id, or by its name in its parent. */
export function lookupOf(resource: Resource): DataSource {
  const type = managedType(resource);
  const nameAttribute = snakeCase(resource.nameAttribute ?? "name");
  const keys = ["id", nameAttribute, ...resource.parents.map(({ attribute }) => snakeCase(attribute))];
  const attributes = shownAttributes(type).map((one) =>
    keys.includes(one.name)
      ? { ...one, optional: true as const, doc: `${one.doc} Looked up by it when it is given.` }
      : one,
  );
  const doc = `One ${resource.type}, found by its id or by its ${nameAttribute}.`;
  return dataSource(type.name, { doc, attributes, groups: [] }, async (session, config) =>
    shownResource(type, await find(session, resource, type.name, config, nameAttribute)),
  );
}

async function find(
  session: Session,
  resource: Resource,
  typeName: string,
  config: TerraformObject,
  nameAttribute: string,
): Promise<LiveResource> {
  const id = textIn(config, "id");
  const name = textIn(config, nameAttribute) ?? "";
  if (id === undefined && name === "")
    throw new DiagnosticsError([
      error("manifest.missing_key", `${typeName} needs an id or a ${nameAttribute}`, {
        attribute: nameAttribute,
      }),
    ]);
  const [parent] = resource.parents;
  const parentId = parent && textIn(config, snakeCase(parent.attribute));
  const declared = new Map(parent && parentId !== undefined ? [[parent.attribute, parentId]] : []);
  const subject = {
    address: addressIn(managedType(resource), name),
    name,
    declared,
    ...(id === undefined ? {} : { id }),
    ...(parentId === undefined ? {} : { parentId }),
  };
  // What this process made may not be shown yet.
  const { seen: read } = await lookAgain(
    session,
    () => resource.read(session.reads, subject),
    (one) => session.made.size > 0 && isMissing(one),
  );
  if (read.kind === "found" && (id === undefined || name === "" || read.live.name === name)) return read.live;
  const what = id === undefined ? `"${name}"` : `of the id ${id}`;
  if (read.kind === "ambiguous")
    throw new DiagnosticsError([
      error("live.ambiguous", `${read.ids.length} of ${typeName} are called ${what}`, {
        attribute: nameAttribute,
        hint: `choose one by its id: ${read.ids.join(", ")}`,
      }),
    ]);
  throw new DiagnosticsError([
    error("live.import_missing", `there is no ${resource.type} ${what}`, {
      attribute: id === undefined ? nameAttribute : "id",
    }),
  ]);
}

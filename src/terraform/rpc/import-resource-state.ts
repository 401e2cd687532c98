import type { Resource } from "../../api/reads";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { terraformNameOf } from "../../model/terraform-name";
import { typeNamed } from "../../resources";
import { writePrivate } from "../private-data";
import type { Provider } from "../provider";
import type { Session } from "../session";
import { emptyValue, setValue } from "../values/attributes";
import { encodeValue } from "../values/codec";

/** ImportResourceState: by id, or by the names on the way to it: `shop/api`, `shop/api/LOG_LEVEL`. */
export async function importResourceState(
  provider: Provider,
  request: { readonly typeName: string; readonly id: string },
): Promise<object> {
  const type = provider.typeNamed(request.typeName);
  const session = provider.requireSession();
  const found = await locate(session, type.resource, request.id.split("/"), request.id);
  const state = emptyValue(type);
  state.id = found.id;
  for (const { path, steps } of type.declared) {
    if (path === type.resource.nameAttribute) setValue(state, steps, found.name);
    if (found.parentId !== undefined && path === found.parentAttribute)
      setValue(state, steps, found.parentId);
  }
  return {
    importedResources: [
      {
        typeName: type.name,
        state: { msgpack: encodeValue(type.valueType, state) },
        private: writePrivate({ applied: {}, workspace: session.workspaceId, imported: true }),
      },
    ],
  };
}

interface Located {
  readonly id: string;
  readonly name: string;
  readonly parentId?: string;
  readonly parentAttribute?: string;
}

/** A type without a name of its own is found by its parent alone. */
async function locate(
  session: Session,
  resource: Resource,
  segments: readonly string[],
  text: string,
): Promise<Located> {
  const [parent] = resource.parents;
  const parentType = parent && typeNamed(parent.type);
  const hasName = resource.nameAttribute !== undefined;
  const above = hasName ? segments.slice(0, -1) : segments;
  const last = hasName ? (segments.at(-1) ?? "") : "";
  const lies =
    parent && parentType && above.length > 0 ? await locate(session, parentType, above, text) : undefined;
  if ((parent === undefined && above.length > 0) || segments.some((segment) => segment === ""))
    throw new DiagnosticsError([notFound(resource, text)]);
  const attribute = parent?.attribute ?? "";
  const place = lies === undefined ? {} : { parentId: lies.id };
  const declared = new Map(lies === undefined ? [] : [[attribute, lies.id]]);
  const subject = { address: `${resource.type}.${last}` as never, name: last, declared, ...place };
  for (const id of [undefined, last || undefined]) {
    const read = await resource.read(session.reads, { ...subject, ...(id === undefined ? {} : { id }) });
    if (read.kind === "ambiguous") throw new DiagnosticsError([ambiguous(resource, text, read.ids)]);
    if (read.kind !== "found" || (lies === undefined && id === undefined && last === "")) continue;
    const { live } = read;
    const parentId = live.parentId ?? lies?.id;
    return {
      id: live.id,
      name: live.name,
      ...(parentId == null ? {} : { parentId, parentAttribute: attribute }),
    };
  }
  throw new DiagnosticsError([notFound(resource, text)]);
}

const notFound = (resource: Resource, text: string) =>
  error(
    "live.import_missing",
    `nothing is found for the import id "${text}" of ${terraformNameOf(resource)}`,
    {
      hint: `give its id, or ${importForm(resource)}`,
    },
  );

const ambiguous = (resource: Resource, text: string, ids: readonly string[]) =>
  error("live.ambiguous", `${ids.length} of ${terraformNameOf(resource)} are called "${text}"`, {
    hint: `import one by its id: ${ids.join(", ")}`,
  });

/** What an import id looks like: `PROJECT/SERVICE`. */
export function importForm(resource: Resource): string {
  const [parent] = resource.parents;
  const parentType = parent && typeNamed(parent.type);
  const own = resource.nameAttribute === undefined ? [] : [resource.type.toUpperCase()];
  return [...(parentType ? [importForm(parentType)] : []), ...own].join("/");
}

import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { AttributeChange } from "./plan";
import { place } from "./resolved-subject";
import type { ResourceInstance } from "./subject";

/**
 * Warns of a rename that nobody wrote: a name that is not declared is the key, so a key that moved, or that takes over
 * what is called otherwise, renames it. The hint is the line that keeps the name.
 */
export function nameFollowsKey(
  instance: ResourceInstance,
  changes: readonly AttributeChange[],
): readonly Diagnostic[] {
  const { address, type, live, recorded } = instance;
  const { nameAttribute, manifest } = type;
  if (nameAttribute === undefined || !isKeyed(instance, nameAttribute)) return [];
  const change = changes.find(({ path, cause }) => path === nameAttribute && cause !== "drift");
  const name = live?.name ?? recorded?.name;
  if (!change || name === undefined) return [];
  const line = `${nameAttribute}: ${asYaml(name)}`;
  const where = manifest.shorthand ? `${keyOf(instance)}: { ${line}, … }` : line;
  return [
    warning(
      "plan.name_follows_key",
      `${address} follows its key: ${JSON.stringify(name)} is renamed to ${JSON.stringify(keyOf(instance))}`,
      {
        address,
        attribute: nameAttribute,
        ...detail(instance, nameAttribute),
        hint: `to keep ${JSON.stringify(name)}, write in its block: ${where}`,
        ...place(instance),
      },
    ),
  ];
}

function detail(
  { type, previousAddress }: ResourceInstance,
  nameAttribute: string,
): { readonly detail?: string } {
  const sentences = [
    ...(previousAddress
      ? [`The move from ${previousAddress} alone would change nothing at the service.`]
      : []),
    ...(type.rules[nameAttribute]?.takesEffect === "at once"
      ? []
      : [`What runs gets the new ${nameAttribute} with its next deployment.`]),
  ];
  return sentences.length > 0 ? { detail: sentences.join(" ") } : {};
}

const keyOf = ({ address }: ResourceInstance): string => address.slice(address.lastIndexOf(".") + 1);

/** Its name stands nowhere but in its key. A stack always writes names: there only a move tells. */
function isKeyed(instance: ResourceInstance, nameAttribute: string): boolean {
  const { desired, previousAddress } = instance;
  if (!desired) return false;
  const declared = desired.attributes.get(nameAttribute);
  if (declared?.value !== keyOf(instance)) return false;
  const { range } = declared;
  const isImplied = range.start === desired.range.start && range.end === desired.range.end;
  return isImplied || previousAddress !== undefined;
}

/** Plain where YAML reads it as the text that it is, quoted elsewhere. */
const asYaml = (name: string): string =>
  /^[a-z_][\w-]*$/i.test(name) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(name)
    ? name
    : JSON.stringify(name);

import { error, warning } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";
import { terraformPrefix } from "../model/terraform-name";
import type { Report } from "./findings";
import { constructPathOf, type Entry, type Stack, type StackResource } from "./stack";
import { isObject, type Json, type JsonObject, type Place, type StackDocument } from "./stack-document";
import { problemAt, unsupported } from "./stack-problem";

/** Top-level blocks that hold named blocks. */
const namedBlocks = ["variable", "output"] as const;
const known = new Set([
  "//",
  "terraform",
  "provider",
  "resource",
  "data",
  "locals",
  "moved",
  "import",
  "removed",
  ...namedBlocks,
]);

/** The parts of one stack by name. What rnv cannot honour is reported, never passed over. */
export function readStack(document: StackDocument, fallbackName: string, report: Report): Stack {
  const { root } = document;
  const body = isObject(document.value) ? document.value : {};
  if (!isObject(document.value))
    report(error("manifest.invalid_type", "a stack is a JSON object", { range: root }));
  const name = stackName(body) ?? fallbackName;
  for (const key of Object.keys(body))
    if (!known.has(key)) report(problemAt(unsupported(`the block "${key}"`), name, root.at(key).keyPlace));
  const blocks = (key: string) => labelled(body, root, key, 1);
  const stack: Stack = {
    document,
    name,
    resources: labelled(body, root, "resource", 2).map(resourceOf),
    variables: entriesOf(blocks("variable")),
    outputs: entriesOf(blocks("output")),
    locals: localsOf(body, root),
    data: new Map(labelled(body, root, "data", 2).map((one) => [one.labels.join("."), one])),
  };
  for (const { labels, value, place } of blocks("variable"))
    if (isObject(value) && value.validation !== undefined)
      report(
        problemAt(unsupported("validation"), `${name}: var.${labels[0]}`, place.at("validation").keyPlace),
      );
  checkSettings(body, root, name, report);
  return stack;
}

/** The name of the stack's construct, from the comment at the top. */
function stackName(body: JsonObject): string | undefined {
  const comment = body["//"];
  const metadata = isObject(comment) ? comment.metadata : undefined;
  return isObject(metadata) && typeof metadata.stackName === "string" ? metadata.stackName : undefined;
}

export interface Labelled extends Entry {
  readonly labels: readonly string[];
}

/** Blocks under so many labels; Terraform takes a list of objects wherever it takes an object. */
export function labelled(body: JsonObject, root: Place, key: string, labels: number): readonly Labelled[] {
  let level: readonly Labelled[] = body[key] === undefined ? [] : objects(body[key], root.at(key), []);
  for (let i = 0; i < labels; i += 1)
    level = level.flatMap((one) =>
      Object.entries(isObject(one.value) ? one.value : {}).flatMap(([label, value]) =>
        label === "//" ? [] : objects(value, one.place.at(label), [...one.labels, label]),
      ),
    );
  return level;
}

const objects = (value: Json, place: Place, labels: readonly string[]): readonly Labelled[] =>
  Array.isArray(value)
    ? value.map((item: Json, i) => ({ value: item, place: place.at(i), labels }))
    : [{ value, place, labels }];

const entriesOf = (blocks: readonly Labelled[]): ReadonlyMap<string, Entry> =>
  new Map(blocks.map((one) => [one.labels[0] as string, one]));

function localsOf(body: JsonObject, root: Place): ReadonlyMap<string, Entry> {
  const locals = new Map<string, Entry>();
  for (const { value, place } of labelled(body, root, "locals", 0))
    for (const [name, one] of Object.entries(isObject(value) ? value : {}))
      if (name !== "//") locals.set(name, { value: one, place: place.at(name) });
  return locals;
}

function resourceOf({ labels, value, place }: Labelled): StackResource {
  const [terraformType, name] = labels as readonly [string, string];
  const body = isObject(value) ? value : {};
  const constructPath = constructPathOf(body);
  return { terraformType, name, body, place, ...(constructPath === undefined ? {} : { constructPath }) };
}

/** Other providers and remote backends would mean work for Terraform. */
function checkSettings(body: JsonObject, root: Place, name: string, report: Report): void {
  for (const { labels, place } of labelled(body, root, "provider", 1))
    if (labels[0] !== terraformPrefix)
      report(problemAt(unsupported(`the provider "${labels[0]}"`), name, place));
  const settings = labelled(body, root, "terraform", 0);
  for (const { value, place } of settings) {
    if (!isObject(value)) continue;
    for (const { labels, place: at } of labelled(value, place, "backend", 1))
      if (labels[0] !== "local") report(ownState(`the backend "${labels[0]}"`, name, at));
    if (value.cloud !== undefined) report(ownState("the cloud block", name, place.at("cloud").keyPlace));
  }
}

const ownState = (what: string, name: string, range: SourceRange) =>
  warning("manifest.unsupported", `${name}: ${what} is not used`, {
    range,
    detail: "rnv keeps a state of its own, named by RNV_STATE or --state.",
  });

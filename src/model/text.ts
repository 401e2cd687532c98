import { hash } from "node:crypto";
import { append } from "./graph";
import type { ResourceType } from "./resource-type";

/** Variables of a process: its own, or those that a caller stands in for it. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** The first few of many: `a, b and 10 more`. At most `most` are named. */
export const shortList = (items: readonly string[], most = 5): string =>
  items.length <= most
    ? items.join(", ")
    : `${items.slice(0, most).join(", ")} and ${items.length - most} more`;

/** Returns the pattern for names that a word stands for: `*` matches any text and `?` one character (`prod-*`). */
export const namePattern = (word: string): RegExp =>
  new RegExp(
    `^${word
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "s",
  );

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Orders texts by their UTF-16 units, the same in every language of the machine. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** SHA-256 in hex of a text in UTF-8, or of bytes. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex");

/** A UUID, in any case of letters. */
export const uuidPattern = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Returns an id as the service writes it: a UUID in lower case. */
export const canonicalId = (id: string): string => (uuidPattern.test(id) ? id.toLowerCase() : id);

/** The beginning of an ID, after an address or its kind: `deployment 3fe7190e`. */
export const shortId = (id: string): string => id.slice(0, 8);

export const terraformPrefix = "rnv";

/** The resource that is a map of variables, which manifests and constructs of rnv write one by one. */
export const variablesResource = `${terraformPrefix}_variables`;

/** The attribute of a resource that keeps it from being deleted; the service never sees it. */
export const protectionAttribute = "deletion_protection";

/** The attribute of a resource with a secret that has its provider make the value up. */
export const generatedName = "generate";

/** The name of a secret attribute whose value Terraform sends and does not keep. */
export const writeOnlyNameOf = (name: string): string => `${name}_wo`;

/** The name of the attribute whose change makes Terraform send a write-only one again. */
export const writeOnlyVersionOf = (name: string): string => `${writeOnlyNameOf(name)}_version`;

/** The steps of a resource that Terraform lets people bound: `timeouts { create = "45m" }`. */
export const timeoutNames = ["create", "update", "delete"] as const;

/** The name of a resource type in Terraform and in stacks: `rnv_service`. */
export const terraformNameOf = (type: Pick<ResourceType, "type" | "terraformName">): string =>
  type.terraformName ?? `${terraformPrefix}_${type.type}`;

/** `healthCheckPath` to `health_check_path`: how attributes are written in Terraform. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `health_check_path` to `healthCheckPath`: how attributes are written in a manifest. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Returns a short reason for a failed file operation, without the path. */
export function reasonOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code;
  const known: Record<string, string> = {
    ENOENT: "it does not exist",
    EEXIST: "it is there already",
    ENAMETOOLONG: "its name is too long",
    EACCES: "access is denied",
    EPERM: "access is denied",
    EISDIR: "it is not a file",
    ENOTDIR: "a part of its path is not a folder",
    ELOOP: "its links form a loop",
    ENOSPC: "there is no space left on the disk",
    EDQUOT: "the disk quota is used up",
    EIO: "the disk reported an error",
    EROFS: "the file system is read-only",
    ENOTSUP: "the file system has no hard links",
    EFBIG: "it is too large",
  };
  return known[code ?? ""] ?? (code === undefined ? (cause as Error).message : code);
}

/** Returns a name as it is compared: the service may keep `é` as one code point or as two, and outer spaces or none. */
export const comparedName = (name: string): string => name.normalize().trim();

export const sameName = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "string" && typeof b === "string" && comparedName(a) === comparedName(b));

const byName = new WeakMap<readonly unknown[], Map<string, unknown[]>>();

/** Returns the entries of a list with that name (`sameName`). A list is indexed once, and must not change after that. */
export function entriesNamed<Entry extends { readonly name: string }>(
  list: readonly Entry[],
  name: string,
): readonly Entry[] {
  let index = byName.get(list);
  if (index === undefined) {
    index = new Map();
    for (const entry of list) append(index, comparedName(entry.name), entry);
    byName.set(list, index);
  }
  return (index.get(comparedName(name)) ?? []) as Entry[];
}

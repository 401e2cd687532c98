import { isLogicalName } from "../../model/address";

/** Logical names of one manifest: no two in a mapping are the same. */
export class LogicalNames {
  readonly #taken = new Set<string>();

  /** Chooses the path of something in a mapping. */
  pathIn(mapping: readonly string[], name: string): readonly string[] {
    const made = isLogicalName(name) ? name : (name.normalize("NFKD").match(/\w+/g)?.join("-") ?? "service");
    // A key that no manifest may have.
    const wanted = [...mapping, made === "__proto__" ? "proto" : made].join("/");
    let path = wanted;
    for (let n = 2; this.#taken.has(path); n += 1) path = `${wanted}-${n}`;
    this.#taken.add(path);
    return path.split("/");
  }
}

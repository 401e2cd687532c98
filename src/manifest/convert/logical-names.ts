import { isLogicalName } from "../../model/address";

/** Logical names of one manifest, made of names from elsewhere: no two in a mapping are the same. */
export class LogicalNames {
  readonly #used = new Set<string>();

  /** Chooses a path in a mapping: a valid and unused name stays as it is, `Online shop` becomes `online-shop`. */
  pathIn(mapping: readonly string[], name: string, fallback = "service"): readonly string[] {
    const words = name.normalize("NFKD").toLowerCase().match(/\w+/g) ?? [fallback];
    const made = isLogicalName(name) ? name : words.join("-");
    // A key that no manifest may have.
    const wanted = [...mapping, made === "__proto__" ? "proto" : made].join("/");
    let path = wanted;
    for (let n = 2; this.#used.has(path); n += 1) path = `${wanted}-${n}`;
    this.#used.add(path);
    return path.split("/");
  }
}

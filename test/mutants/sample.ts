import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Mutant, mutantsOf } from "./mutations";

export const root = resolve(__dirname, "../..");
const source = join(root, "src");

/** The folders whose mutants must die. */
export const folders: readonly string[] = ["apply", "plan", "state", "api"];

/** Returns all mutants of the files below `folder` whose path begins with `only`, in the order of their files. */
export function mutantsIn(folder: string, only = ""): readonly Mutant[] {
  return readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && file.startsWith(only))
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(join(source, file), "utf8")));
}

/**
 * Returns `size` of the mutants, drawn by `seed`: each stands or falls by its own name, so that an edit elsewhere
 * changes nothing about the others.
 */
export function draw(mutants: readonly Mutant[], size: number, seed: string): readonly Mutant[] {
  const lot = ({ id, file }: Mutant): string =>
    createHash("sha256").update(`${seed} ${file} ${id}`).digest("hex");
  return mutants
    .map((mutant) => ({ mutant, by: lot(mutant) }))
    .sort((one, other) => (one.by < other.by ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

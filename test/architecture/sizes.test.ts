import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const source = join(__dirname, "..", "..", "src");

interface Folder {
  /** Below `src`; together they become the folder of the budget. */
  readonly paths: readonly string[];
  /** Below `paths`, counted elsewhere. */
  readonly without?: readonly string[];
  /** Lines that the folder has at most. It grows only by what another folder lost. */
  readonly ceiling: number;
  /** Lines that the folder is meant to have. */
  readonly budget: number;
}

/** Physical lines of `*.ts`. A file that moves to another folder takes its lines to that folder's ceiling. */
const folders: Readonly<Record<string, Folder>> = {
  "index.ts": { paths: ["index.ts"], ceiling: 60, budget: 60 },
  model: { paths: ["model", "diagnostics"], ceiling: 2_795, budget: 2_640 },
  api: { paths: ["api"], ceiling: 5_573, budget: 4_900 },
  declaration: { paths: ["declaration"], ceiling: 2_917, budget: 2_800 },
  manifest: { paths: ["manifest"], without: ["manifest/convert"], ceiling: 4_140, budget: 3_400 },
  "manifest/convert": { paths: ["manifest/convert"], ceiling: 560, budget: 560 },
  stack: { paths: ["stack"], ceiling: 4_261, budget: 4_250 },
  plan: { paths: ["plan"], ceiling: 5_519, budget: 5_150 },
  resources: { paths: ["resources"], ceiling: 2_764, budget: 2_650 },
  apply: { paths: ["apply"], ceiling: 2_756, budget: 2_650 },
  state: { paths: ["state"], ceiling: 3_450, budget: 3_450 },
  report: { paths: ["report"], ceiling: 4_900, budget: 4_900 },
  commands: { paths: ["commands"], ceiling: 6_074, budget: 4_850 },
  cli: { paths: ["cli"], ceiling: 7_332, budget: 6_800 },
  emulator: { paths: ["emulator"], ceiling: 3_780, budget: 3_780 },
  cdktf: { paths: ["cdktf"], ceiling: 1_573, budget: 1_570 },
  terraform: { paths: ["terraform"], ceiling: 5_662, budget: 5_600 },
};

/**
 * All of `src`. Grants: 300 lines for the readings of `emulator`, 350 for manifests in TypeScript and stacks, 250 for CI,
 * 150 for history. Fields that were inline spreads took another 511; stops and errors for a service of another form and for
 * imports that stages share another 56. Values that stand where a name belongs, and resources of other addresses, took 152.
 * Names that pass from one resource to another, and renamed stacks, took 226.
 */
const whole: Folder = { paths: [""], ceiling: 63_969, budget: 60_010 };

/** A ceiling that is further above its folder lets it grow unseen. */
const slack = 50;

/** Without what the build generates. */
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !file.includes("/generated/"),
);
const isBelow = (file: string, path: string): boolean =>
  path === "" || file === path || file.startsWith(`${path}/`);
const holds = ({ paths, without = [] }: Folder, file: string): boolean =>
  paths.some((path) => isBelow(file, path)) && !without.some((path) => isBelow(file, path));
const linesIn = (file: string): number => readFileSync(join(source, file), "utf8").split("\n").length - 1;
const linesOf = (folder: Folder): number =>
  files.filter((file) => holds(folder, file)).reduce((sum, file) => sum + linesIn(file), 0);

describe("the size of src", () => {
  it("counts each file in one folder", () => {
    const counted = files.map((file) => [
      file,
      Object.values(folders).filter((folder) => holds(folder, file)).length,
    ]);
    expect(counted).toEqual(files.map((file) => [file, 1]));
  });

  it.each(Object.entries({ ...folders, src: whole }))("%s is within its ceiling", (name, folder) => {
    const lines = linesOf(folder);
    const { ceiling, budget } = folder;
    expect(ceiling).toBeGreaterThanOrEqual(budget);
    expect({ name, lines, isWithin: lines <= ceiling }).toEqual({ name, lines, isWithin: true });
    // After a removal: lower the ceiling to what is left.
    const isTight = ceiling === budget || ceiling - lines <= slack;
    expect({ name, lines, ceiling, isTight }).toEqual({ name, lines, ceiling, isTight: true });
  });

  it("has budgets whose sum is the budget of src", () => {
    expect(Object.values(folders).reduce((sum, { budget }) => sum + budget, 0)).toBe(whole.budget);
  });
});

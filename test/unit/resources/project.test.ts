import { productionEnvironmentId } from "../../../src/resources/project";

const projectWith = (...names: string[]) => ({
  ...{ id: "p", name: "Shop", description: "" },
  environments: names.map((name) => ({ id: `id of ${name}`, name })),
});

it("the Production environment is the one of that name, else the only one", () => {
  expect(productionEnvironmentId(projectWith("Staging", "Production"))).toBe("id of Production");
  expect(productionEnvironmentId(projectWith("Main"))).toBe("id of Main");
  expect(productionEnvironmentId(projectWith("Staging", "Main"))).toBeUndefined();
});

import { readingOrder } from "../../../src/report/order";
import { address, change } from "../../support/plan-fixture";

const order = (...changes: ReturnType<typeof change>[]): string[] =>
  readingOrder(changes).map(({ address: at }) => at as string);

it("puts a project before its services, each before its variables and its deployment, the layout last", () => {
  expect(
    order(
      change("create", "deployment.shop.api", { dependsOn: [address("service.shop.api")] }),
      change("create", "layout.shop", { dependsOn: [address("project.shop")] }),
      change("create", "project.shop"),
      change("create", "service.docs"),
      change("create", "service.shop.api"),
      change("create", "service.shop.web"),
      change("create", "variable.shop.api.A"),
    ),
  ).toEqual([
    "service.docs",
    "project.shop",
    "service.shop.api",
    "variable.shop.api.A",
    "deployment.shop.api",
    "service.shop.web",
    "layout.shop",
  ]);
});

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

it("keeps the order for removals, whose dependencies run the other way", () => {
  expect(
    order(
      change("forget", "deployment.shop.api", { dependsOn: [address("service.shop.api")] }),
      change("delete", "project.shop", { dependsOn: [address("service.shop.api")] }),
      change("delete", "service.shop.api"),
      change("delete", "variable.shop.api.A", { withParent: true }),
    ),
  ).toEqual(["project.shop", "service.shop.api", "variable.shop.api.A", "deployment.shop.api"]);
});

it("puts a service before its deployment where nothing tells how they hang together", () => {
  expect(order(change("no-op", "deployment.shop.api"), change("no-op", "service.shop.api"))).toEqual([
    "service.shop.api",
    "deployment.shop.api",
  ]);
});

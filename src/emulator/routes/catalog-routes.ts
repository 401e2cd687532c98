import type { Route } from "../call";

/** Interface, "Catalog". */
export const catalogRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/catalog",
    shows: "catalog",
    handle: ({ world }) => ({
      ...world.catalog,
      capabilities: {
        ...world.catalog.capabilities,
        hosting: !world.switches.conditions.has("hosting-off"),
        workerOnline: !world.switches.conditions.has("worker-offline"),
      },
    }),
  },
];

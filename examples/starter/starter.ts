// All services, in one file. `rnv plan` shows the changes, `rnv apply` makes them.
import { defineManifest } from "terraform-provider-rnv";

export default defineManifest({
  projects: {
    // Its address is project.shop, that of the service service.shop.api.
    shop: {
      name: "Shop",
      services: {
        api: {
          kind: "web", // immutable: a change deletes and creates it again
          // Only the fields written here are managed.
          configuration: {
            repository: "https://git.example.com/shop/api",
            branch: "main",
            runtime: "node",
            plan: "free",
            healthCheckPath: "/healthz",
          },
          variables: {
            LOG_LEVEL: "info",
            // Secrets stay out of this file:
            // DATABASE_URL: { fromEnv: "SHOP_DATABASE_URL" },
            // SESSION_KEY: { generate: { length: 32 } },
          },
          deploy: { when: "changed" }, // changed | always | never
          // lifecycle: { preventDestroy: true }, // refuse every plan that would delete it
        },
      },
    },
  },
  outputs: { apiUrl: "${service.shop.api.url}" }, // rnv output -raw apiUrl
});

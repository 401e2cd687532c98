import { fileURLToPath } from "node:url";

/** A plugin of esbuild: undici's entry becomes the modules that are used. */
export const partOfUndici = {
  name: "part-of-undici",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^undici$/ }, () => ({
      path: fileURLToPath(new URL("undici.cjs", import.meta.url)),
    })),
};

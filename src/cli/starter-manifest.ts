/** The manifest that `rnv init` writes: small, complete, and applied as it is by the embedded service. */
export const starterManifest = `# What runs, in one file. \`rnv plan\` shows what would change, \`rnv apply\` changes it.
version: 1

projects:
  shop:                                  # its address is project.shop
    name: Shop
    services:
      api:                               # service.shop.api
        kind: web                        # immutable: a change deletes and creates it again
        configuration:                   # only the fields written here are managed
          repository: https://git.example.com/shop/api
          branch: main
          runtime: node
          plan: free
          healthCheckPath: /healthz
        variables:
          LOG_LEVEL: info                # texts only: quote numbers
          # Secrets stay out of this file:
          # DATABASE_URL: { fromEnv: SHOP_DATABASE_URL }
          # SESSION_KEY: { generate: { length: 32 } }
        deploy:
          when: changed                  # changed | always | never
        # lifecycle:
        #   preventDestroy: true         # refuse every plan that would delete it

outputs:
  apiUrl: \${service.shop.api.url}        # rnv output -raw apiUrl
`;

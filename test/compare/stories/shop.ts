/** Applies without questions, one write after the other, so that their order can be compared. */
export const approve = ["-auto-approve", "-input=false", "-parallelism=1"] as const;

/** A manifest of one project with these services, each a line of YAML. */
export const shop = (services: Readonly<Record<string, string>>, more = ""): string =>
  `projects:\n  shop:\n    name: Shop\n    services:\n${Object.entries(services)
    .map(([name, block]) => `      ${name}: ${block}\n`)
    .join("")}${more}`;

/** A web service with a repository; `more` is added to its block. */
export const web = (configuration = "", more = ""): string =>
  `{ kind: web, configuration: { repository: "https://git.example.com/shop/api"${
    configuration && `, ${configuration}`
  } }${more && `, ${more}`} }`;

/** The manifest that most stories begin with. */
export const twoServices = shop({
  api: web(
    "healthCheckPath: /healthz",
    'variables: { LOG_LEVEL: info, WORKER: "${service.shop.worker.internalHost}" }',
  ),
  worker: web("", "deploy: { when: never }"),
});
